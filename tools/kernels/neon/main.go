// Command neon generates the vector kernels of reasoner/circuit/kernel for arm64: 512 and 128 lanes, rows of
// four registers and of one. They correspond to the kernels of ../main.go for amd64: the interpreter of gate
// runs and the handling of whole rows (this file), and the choice of random moves (choice.go).
//
// A row of four registers is the widest row that one instruction loads or stores. A bitwise operation takes
// an instruction for each register of a row; the other instructions do not depend on the width. So a gate of
// two inputs takes 14 instructions with four registers, and 11 with one.
package main

import (
	"fmt"

	"stackmate/tools/arm64"
)

// The operations and the header of a run, as in reasoner/circuit/kernel.
const (
	opAnd = iota
	opOr

	header = 16 // bytes: op, pos, neg, count
)

// row is the registers of a row, or one register that stands for each of them.
type row []arm64.V

// generator writes kernels for rows of a given width.
type generator struct {
	*arm64.File
	name  string
	lanes int // registers of a row
	width int // bytes of a row
}

func main() {
	arm64.Generate(func(f *arm64.File) {
		for _, g := range []*generator{{f, "NEON128", 1, 16}, {f, "NEON", 4, 64}} {
			g.evaluate()
			g.draw()
			for _, t := range []*table{{generator: g}, {generator: g, turns: true}} {
				t.count()
				t.pick()
			}
			g.restore()
			g.random()
		}
	})
}

func (g *generator) row() row { return g.Vectors(g.lanes) }

// rows allocates n rows.
func (g *generator) rows(n int) []row {
	var list []row
	for range n {
		list = append(list, g.row())
	}
	return list
}

// load and store access a row; loadNext and storeNext also advance the address to the next row.
func (g *generator) load(from arm64.R, to row)  { g.Op("VLD1", from.At(0), arm64.List(to, "D2")) }
func (g *generator) store(x row, to arm64.R)    { g.Op("VST1", arm64.List(x, "D2"), to.At(0)) }
func (g *generator) loadNext(at arm64.R, x row) { g.Op("VLD1.P", at.At(g.width), arm64.List(x, "D2")) }
func (g *generator) storeNext(x row, at arm64.R) {
	g.Op("VST1.P", arm64.List(x, "D2"), at.At(g.width))
}

// each writes a bitwise instruction for each register of a row.
func (g *generator) each(name string, x, a, to row) {
	for i := range to {
		g.Op(name, x[i%len(x)].As("B16"), a[i%len(a)].As("B16"), to[i].As("B16"))
	}
}

func (g *generator) and(x, a, to row) { g.each("VAND", x, a, to) } // to = a & x
func (g *generator) or(x, a, to row)  { g.each("VORR", x, a, to) } // to = a | x
func (g *generator) xor(x, a, to row) { g.each("VEOR", x, a, to) } // to = a ^ x

// whereTrue computes to = mask ? x : to, whereFalse to = mask ? to : x.
func (g *generator) whereTrue(mask, x, to row)  { g.each("VBIT", mask, x, to) }
func (g *generator) whereFalse(mask, x, to row) { g.each("VBIF", mask, x, to) }

// fullAdd computes sum, x = the digits of sum + x + y.
func (g *generator) fullAdd(sum, x, y, spare row) {
	g.xor(sum, x, spare)
	g.xor(spare, y, sum)
	g.whereTrue(spare, y, x)
}

// fill sets every byte of a row to a value.
func (g *generator) fill(to row, bits int) {
	for _, v := range to {
		g.Op("VMOVI", fmt.Sprintf("$%d", bits), v.As("B16"))
	}
}

// dispatch jumps to label if a register has the given value.
func (g *generator) dispatch(value arm64.R, want int, label string) {
	g.Op("CMP", fmt.Sprintf("$%d", want), value)
	g.Op("BEQ", label)
}

// toAddresses converts numbers of rows to their addresses.
func (g *generator) toAddresses(rows arm64.R, numbers ...arm64.R) {
	for _, n := range numbers {
		g.Op("ADD", n.Times8(), rows, n)
	}
}

// interpreter holds the registers of all loops over gates.
type interpreter struct {
	*generator
	rows, code, pos, neg, count arm64.R
	at                          []arm64.R // the rows of a gate
	acc                         row
	operand                     []row
	constant                    row // all zeros or ones
}

func (g *generator) evaluate() {
	p := g.Func("kernel"+g.name, "func(rows *uint64, code *int32, n int)", "evaluates the n words of straight code at code on the rows at rows.")
	i := &interpreter{generator: g, rows: p[0], code: p[1], pos: g.General(), neg: g.General(), count: g.General(), at: g.Generals(5)}
	i.acc, i.operand, i.constant = g.row(), g.rows(3), g.Vectors(1)
	end, op := p[2], g.General()
	g.Op("ADD", end.String()+"<<2", i.code, end)
	g.Label("run")
	g.Op("CMP", end, i.code)
	g.Op("BHS", "done")
	g.Op("LDPSW.P", i.code.At(header), arm64.Pair(op, i.pos))
	g.Op("LDPSW", i.code.At(8-header), arm64.Pair(i.neg, i.count))
	g.dispatch(op, opOr, "or")
	i.forms("and", 0, 255, g.and, func(x, a, to row) { g.whereTrue(x, i.constant, to) })
	g.Label("or")
	i.forms("or", 255, 0, g.or, func(x, a, to row) { g.whereFalse(x, i.constant, to) })
	g.Label("done")
	g.Op("RET")
}

// combine writes an operation of two rows: to = a op x.
type combine func(x, a, to row)

// shapes lists the forms with loops of their own.
var shapes = []struct{ pos, neg int }{{1, 0}, {2, 0}, {1, 1}, {3, 0}, {2, 1}, {4, 0}, {3, 1}, {2, 2}}

// shapeBits is the width of neg in the number of a shape.
const shapeBits = 4

// forms writes the loops of the shapes, a loop for gates of any width, and the choice between them. The
// number of a shape is pos and neg side by side. It is unique only if neg fits its bits, so gates with more
// complemented operands go to the wide loop first. constant is combined with complemented operands; start is
// the initial value of acc.
func (i *interpreter) forms(name string, constant, start int, plain, complemented combine) {
	i.fill(i.constant, constant)
	i.Op("CMP", fmt.Sprintf("$%d", 1<<shapeBits), i.neg)
	i.Op("BHS", name+"wide")
	shape := i.at[0]
	i.Op("ORR", fmt.Sprintf("%v<<%d", i.pos, shapeBits), i.neg, shape)
	for _, s := range shapes {
		i.dispatch(shape, s.pos<<shapeBits|s.neg, fmt.Sprintf("%s%d%d", name, s.pos, s.neg))
	}
	i.wide(name+"wide", start, plain, complemented)
	for _, s := range shapes {
		i.gates(fmt.Sprintf("%s%d%d", name, s.pos, s.neg), s.pos, s.neg, plain, complemented)
	}
}

// gates writes a loop over the gates of a run.
func (i *interpreter) gates(name string, pos, neg int, plain, complemented combine) {
	i.Label("%s", name)
	words := 1 + pos + neg
	for k := 2; k+1 < words; k += 2 {
		i.Op("LDPSW", i.code.At(4*k), arm64.Pair(i.at[k], i.at[k+1]))
	}
	if words%2 != 0 {
		i.Op("MOVW", i.code.At(4*(words-1)), i.at[words-1])
	}
	i.Op("LDPSW.P", i.code.At(4*words), arm64.Pair(i.at[0], i.at[1]))
	i.toAddresses(i.rows, i.at[:words]...)
	i.load(i.at[1], i.acc)
	for k := 2; k < words; k++ {
		i.load(i.at[k], i.operand[k-2])
	}
	for k := 2; k < words; k++ {
		if x := i.operand[k-2]; k <= pos {
			plain(x, i.acc, i.acc)
		} else {
			complemented(x, i.acc, i.acc)
		}
	}
	i.store(i.acc, i.at[0])
	i.EndLoop(i.count, name)
	i.Op("B", "run")
}

// wide writes a loop over gates of any width. It combines plain operands by plain and complemented operands
// by complemented, two at a time.
func (i *interpreter) wide(name string, start int, plain, complemented combine) {
	i.Label("%s", name)
	i.Op("MOVW.P", i.code.At(4), i.at[0])
	i.fill(i.acc, start)
	for _, part := range []struct {
		name    string
		count   arm64.R
		combine combine
	}{{"plain", i.pos, plain}, {"neg", i.neg, complemented}} {
		two, one, end, left := name+part.name, name+part.name+"one", name+part.name+"end", i.at[4]
		i.Op("SUBS", "$2", part.count, left)
		i.Op("BLT", one)
		i.Label("%s", two)
		i.Op("LDPSW.P", i.code.At(8), arm64.Pair(i.at[1], i.at[2]))
		i.toAddresses(i.rows, i.at[1], i.at[2])
		i.load(i.at[1], i.operand[0])
		i.load(i.at[2], i.operand[1])
		part.combine(i.operand[0], i.acc, i.acc)
		part.combine(i.operand[1], i.acc, i.acc)
		i.Op("SUBS", "$2", left, left)
		i.Op("BGE", two)
		i.Label("%s", one) // left is -1 if an operand remains
		i.Op("TBZ", "$0", left, end)
		i.Op("MOVW.P", i.code.At(4), i.at[1])
		i.toAddresses(i.rows, i.at[1])
		i.load(i.at[1], i.operand[0])
		part.combine(i.operand[0], i.acc, i.acc)
		i.Label("%s", end)
	}
	i.toAddresses(i.rows, i.at[0])
	i.store(i.acc, i.at[0])
	i.EndLoop(i.count, name)
	i.Op("B", "run")
}

// restore writes the copying of one position into some lanes.
func (g *generator) restore() {
	p := g.Func("restore"+g.name, "func(to, from *uint64, rows int, mask *uint64)", "writes, in the lanes of mask, rows of one value each: the words at from.")
	to, from, left := p[0], p[1], p[2]
	mask, x := g.row(), g.row()
	g.load(p[3], mask)
	g.Label("row")
	g.load(to, x)
	other := g.Vectors(1)
	g.Op("VLD1R.P", from.At(8), arm64.List(other, "D2"))
	g.whereTrue(mask, other, x)
	g.storeNext(x, to)
	g.EndLoop(left, "row")
	g.Op("RET")
}

// columns is the distance in bytes between the words of a generator's state.
const columns = 64

// random writes the generators of machine.Rand, one in each 64-bit column.
func (g *generator) random() {
	p := g.Func("random"+g.name, "func(state, dst *uint64, rows int)", "fills rows with random bits and advances the columns of state: xoshiro256++.")
	state, dst, left, at := p[0], p[1], p[2], g.General()
	s, out, t := g.rows(4), g.row(), g.row()
	each := func(write func(x row, at arm64.R)) {
		g.Op("MOVD", state, at)
		for _, x := range s {
			write(x, at)
			g.Op("ADD", fmt.Sprintf("$%d", columns), at)
		}
	}
	each(func(x row, at arm64.R) { g.load(at, x) })
	shift := func(name string, k int, a, to row) {
		for i := range to {
			g.Op(name, fmt.Sprintf("$%d", k), a[i].As("D2"), to[i].As("D2"))
		}
	}
	rotate := func(k int, a, to row) { // VSLI keeps the bits below the shifted bits
		shift("VUSHR", 64-k, a, to)
		shift("VSLI", k, a, to)
	}
	add := func(a, b, to row) {
		for i := range to {
			g.Op("VADD", a[i].As("D2"), b[i].As("D2"), to[i].As("D2"))
		}
	}
	g.Label("row")
	add(s[0], s[3], out)
	rotate(23, out, t)
	add(s[0], t, t)
	g.storeNext(t, dst)
	shift("VSHL", 17, s[1], t)
	g.xor(s[0], s[2], s[2])
	g.xor(s[1], s[3], out)
	g.xor(s[2], s[1], s[1])
	g.xor(out, s[0], s[0])
	g.xor(t, s[2], s[2])
	rotate(45, out, s[3])
	g.EndLoop(left, "row")
	each(g.store)
	g.Op("RET")
}

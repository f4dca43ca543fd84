// Command kernels generates the vector kernels of reasoner/circuit/kernel for AVX2 (128
// and 256 lanes) and AVX-512 (512 lanes): the interpreter of gate runs (this file), the
// three steps of choosing random moves (choice.go), the handling of whole rows
// (rows.go), and the transposition of bits (transpose.go).
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The operations and the header of a run, as reasoner/circuit/kernel has them.
const (
	opAnd = iota
	opOr

	header = 16 // bytes: op, pos, neg, count
)

// isa is one instruction set: how the vector operations are written with it.
type isa struct {
	name   string
	width  int // bytes of a vector
	vector func() VecVirtual

	// many says that there are registers and instructions for what else lies in memory:
	// 32 of them, and gates of three inputs.
	many bool

	move         func(from, to Op)
	and, or, xor func(x, a, to Op)                               // to = a & x, and so on
	without      func(x, a, to Op)                               // to = x &^ a
	orNot        func(x Op, acc, tmp, ones VecVirtual)           // acc |= ^x
	fill         func(r VecVirtual)                              // r = all ones
	choose       func(mask, x, to VecVirtual)                    // to = x where mask is true; x may change
	fullAdd      func(sum, x VecVirtual, y Op, carry VecVirtual) // sum, carry = sum + x + y
	rotate64     func(k uint8, a, spare VecVirtual)              // a = a rotated left by k
}

func (v *isa) zero(r VecVirtual) { v.xor(r, r, r) }

func main() {
	narrow := avx2("AVX128", 16, func() VecVirtual { return XMM() })
	for _, v := range []*isa{narrow, avx2("AVX2", 32, func() VecVirtual { return YMM() }), avx512()} {
		evaluate(v)
		draw(v)
		for _, t := range []*table{{isa: v}, {isa: v, turns: true}} {
			t.count()
			t.pick()
		}
		blend(v)
		restore(v)
		random(v)
	}
	transpose()
	Generate()
}

// avx2 writes the instructions of AVX2 for registers of 128 or 256 bits.
func avx2(name string, width int, vector func() VecVirtual) *isa {
	return &isa{
		name: name, width: width, vector: vector,
		move: VMOVDQU, and: VPAND, or: VPOR, xor: VPXOR, without: VPANDN,
		orNot:  func(x Op, acc, tmp, ones VecVirtual) { VPXOR(x, ones, tmp); VPOR(tmp, acc, acc) },
		fill:   func(r VecVirtual) { VPCMPEQD(r, r, r) },
		choose: func(mask, x, to VecVirtual) { VPXOR(x, to, x); VPAND(mask, x, x); VPXOR(x, to, to) },
		fullAdd: func(sum, x VecVirtual, y Op, carry VecVirtual) {
			half := vector()
			VPXOR(sum, x, half)
			VPAND(sum, x, carry)
			VPXOR(y, half, sum)
			VPAND(y, half, half)
			VPOR(half, carry, carry)
		},
		rotate64: func(k uint8, a, spare VecVirtual) {
			VPSRLQ(U8(64-k), a, spare)
			VPSLLQ(U8(k), a, a)
			VPOR(spare, a, a)
		},
	}
}

func avx512() *isa {
	of := func(instruction func(...Op)) func(x, a, to Op) {
		return func(x, a, to Op) { instruction(x, a, to) }
	}
	return &isa{
		name: "AVX512", width: 64, many: true, vector: func() VecVirtual { return ZMM() },
		move: func(from, to Op) { VMOVDQU64(from, to) },
		and:  of(VPANDQ), or: of(VPORQ), xor: of(VPXORQ), without: of(VPANDNQ),
		// truth table over (acc, acc, x): acc | ^x
		orNot:  func(x Op, acc, _, _ VecVirtual) { VPTERNLOGQ(U8(0xf5), x, acc, acc) },
		fill:   func(r VecVirtual) { VPTERNLOGQ(U8(0xff), r, r, r) },
		choose: func(mask, x, to VecVirtual) { VPTERNLOGQ(U8(0xd8), mask, x, to) },
		fullAdd: func(sum, x VecVirtual, y Op, carry VecVirtual) {
			VMOVDQA64(sum, carry)
			VPTERNLOGQ(U8(0xe8), y, x, carry) // majority
			VPTERNLOGQ(U8(0x96), y, x, sum)   // parity
		},
		rotate64: func(k uint8, a, _ VecVirtual) { VPROLQ(U8(k), a, a) },
	}
}

// generator is one kernel being written.
type generator struct {
	*isa
	acc, tmp, ones       VecVirtual // acc is the value being computed
	rows, code, end      GPVirtual
	pos, neg, count, idx GPVirtual
}

func evaluate(v *isa) {
	TEXT("kernel"+v.name, NOSPLIT, "func(rows *uint64, code *int32, n int)")
	Doc("kernel" + v.name + " evaluates the n words of straight code at code on the rows at rows.")
	g := &generator{isa: v, acc: v.vector(), tmp: v.vector(), ones: v.vector(), pos: GP64(), neg: GP64(), count: GP64(), idx: GP64(), end: GP64()}
	g.rows = Load(Param("rows"), GP64()).(GPVirtual)
	g.code = Load(Param("code"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	LEAQ(Mem{Base: g.code, Index: n, Scale: 4}, g.end)
	if v.width < 64 {
		v.fill(g.ones)
	}
	Label("run")
	CMPQ(g.code, g.end)
	JGE(LabelRef("done"))
	op := GP64()
	MOVLQSX(Mem{Base: g.code}, op)
	MOVLQSX(Mem{Base: g.code, Disp: 4}, g.pos)
	MOVLQSX(Mem{Base: g.code, Disp: 8}, g.neg)
	MOVLQSX(Mem{Base: g.code, Disp: 12}, g.count)
	ADDQ(Imm(header), g.code)
	dispatch(op, opOr, "or")
	into := func(op func(x, a, to Op)) func(Op) { return func(x Op) { op(x, g.acc, g.acc) } }
	g.forms("and", v.fill, into(v.and), func(x Op) { v.move(x, g.tmp); v.without(g.acc, g.tmp, g.acc) })
	Label("or")
	g.forms("or", v.zero, into(v.or), func(x Op) { v.orNot(x, g.acc, g.tmp, g.ones) })
	Label("done")
	end()
}

// again ends a loop that is to run n times, at least once.
func again(n GPVirtual, label string) {
	DECQ(n)
	JNZ(LabelRef(label))
}

func end() {
	VZEROUPPER()
	RET()
}

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

func dispatch(value GPVirtual, want int, label string) {
	CMPQ(value, Imm(uint64(want)))
	JEQ(LabelRef(label))
}

// operand is the row of the k-th word of the gate at code.
func (g *generator) operand(k int) Op {
	MOVLQSX(Mem{Base: g.code, Disp: 4 * k}, g.idx)
	return Mem{Base: g.rows, Index: g.idx, Scale: 8}
}

// gates writes a loop over the gates of a run: compute leaves the value in acc,
// the row to store it in is the first word, and width words make a gate.
func (g *generator) gates(name string, width int, compute func()) {
	Label(name)
	compute()
	g.move(g.acc, g.operand(0))
	ADDQ(Imm(uint64(4*width)), g.code)
	again(g.count, name)
	JMP(LabelRef("run"))
}

// wide writes a loop over gates of any width: every plain operand is combined by
// plain, every complemented one by complemented.
func (g *generator) wide(name string, start func(VecVirtual), plain, complemented func(Op)) {
	Label(name)
	start(g.acc)
	at := GP64()
	LEAQ(Mem{Base: g.code, Disp: 4}, at)
	each := func(part string, count GPVirtual, combine func(Op)) {
		left := GP64()
		MOVQ(count, left)
		TESTQ(left, left)
		JZ(LabelRef(name + part + "end"))
		Label(name + part)
		MOVLQSX(Mem{Base: at}, g.idx)
		combine(Mem{Base: g.rows, Index: g.idx, Scale: 8})
		ADDQ(Imm(4), at)
		again(left, name+part)
		Label(name + part + "end")
	}
	each("plain", g.pos, plain)
	each("neg", g.neg, complemented)
	g.move(g.acc, g.operand(0))
	MOVQ(at, g.code)
	again(g.count, name)
	JMP(LabelRef("run"))
}

// shapes are the forms with loops of their own.
var shapes = []struct{ pos, neg int }{{1, 0}, {2, 0}, {1, 1}, {3, 0}, {2, 1}, {4, 0}, {3, 1}, {2, 2}}

// shapeBits is the width of neg in the number of a shape.
const shapeBits = 4

// forms writes the loops of the shapes, one for gates of any width, and the choice between
// them. The number of a shape, pos and neg side by side, is that of no other shape only if
// neg fits its bits, so gates with more complemented operands are sent to the wide loop first.
func (g *generator) forms(name string, start func(VecVirtual), plain, complemented func(Op)) {
	CMPQ(g.neg, Imm(1<<shapeBits))
	JAE(LabelRef(name + "wide"))
	shape := GP64()
	MOVQ(g.pos, shape)
	SHLQ(Imm(shapeBits), shape)
	ORQ(g.neg, shape)
	for _, s := range shapes {
		dispatch(shape, s.pos<<shapeBits|s.neg, fmt.Sprintf("%s%d%d", name, s.pos, s.neg))
	}
	JMP(LabelRef(name + "wide"))
	for _, s := range shapes {
		g.gates(fmt.Sprintf("%s%d%d", name, s.pos, s.neg), 1+s.pos+s.neg, func() {
			g.move(g.operand(1), g.acc)
			for k := 2; k <= s.pos+s.neg; k++ {
				if k <= s.pos {
					plain(g.operand(k))
				} else {
					complemented(g.operand(k))
				}
			}
		})
	}
	g.wide(name+"wide", start, plain, complemented)
}

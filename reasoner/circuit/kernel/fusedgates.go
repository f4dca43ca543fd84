package kernel

import (
	"slices"
	"sync"
	"unsafe"
)

// Fused gates: functions of up to four rows of eight words, in plain Go. The set was chosen by counting the
// cones of games: nearly every gate becomes one of these functions. A new function needs a name, its truth
// table, and a case. It must be reachable by adding gates of two inputs one by one, through functions of the
// set.

const (
	same Op = iota + Or + 1
	and2
	or2
	xor2
	andNot2
	and3
	or3
	xor3
	maj3
	mux3
	andOr3
	orAnd3
	andNotOr3
	andAndNot3
	or4
	andOrOr4
	orAndOr4
	andOrAnd4
	andOrAndNot4
	andNotOrAndNot4
	orOrAnd4
	andNot4
	andAndNotOr4
	andOrAnd4b
)

// fusedGates are the functions with a fused gate. Some are forms of And and Or.
var fusedGates = func() []fusedGate {
	a, b, c, d := leafTables[0], leafTables[1], leafTables[2], leafTables[3]
	return []fusedGate{
		{header{same, 1, 0}, a},
		{header{And, 0, 1}, ^a},
		{header{Or, 1, 1}, a | ^b},
		{header{And, 0, 2}, ^(a | b)},
		{header{Or, 0, 2}, ^(a & b)},
		{header{and2, 2, 0}, a & b},
		{header{or2, 2, 0}, a | b},
		{header{xor2, 2, 0}, a ^ b},
		{header{andNot2, 2, 0}, a &^ b},
		{header{and3, 3, 0}, a & b & c},
		{header{or3, 3, 0}, a | b | c},
		{header{xor3, 3, 0}, a ^ b ^ c},
		{header{maj3, 3, 0}, a&b | a&c | b&c},
		{header{mux3, 3, 0}, a&b | c&^a},
		{header{andOr3, 3, 0}, a&b | c},
		{header{orAnd3, 3, 0}, (a | b) & c},
		{header{andNotOr3, 3, 0}, a&^b | c},
		{header{andAndNot3, 3, 0}, a & b &^ c},
		{header{or4, 4, 0}, a | b | c | d},
		{header{andOrOr4, 4, 0}, a&b | c | d},
		{header{orAndOr4, 4, 0}, (a|b)&c | d},
		{header{andOrAnd4, 4, 0}, a&b | c&d},
		{header{andOrAndNot4, 4, 0}, a&b | c&^d},
		{header{andNotOrAndNot4, 4, 0}, a&^b | c&^d},
		{header{orOrAnd4, 4, 0}, (a | b | c) & d},
		{header{andNot4, 4, 0}, a &^ (b | c | d)},
		{header{andAndNotOr4, 4, 0}, a&b&^c | d},
		{header{andOrAnd4b, 4, 0}, (a&b | c) & d},
	}
}()

// fusedGate is a gate that computes the function of a truth table of its operands.
type fusedGate struct {
	header
	table uint16
}

// form is the computation of a function by one gate: the leaf of each operand.
type form struct {
	header
	leaf [mostLeaves]uint8
	ok   bool
}

// fusedForms returns, by truth table, the form of a gate that computes the function.
var fusedForms = sync.OnceValue(func() []form {
	forms := make([]form, 1<<(1<<mostLeaves))
	for _, g := range fusedGates {
		for n := range 1 << (2 * mostLeaves) { // every assignment of leaves to operands
			p := [mostLeaves]uint8{uint8(n & 3), uint8(n >> 2 & 3), uint8(n >> 4 & 3), uint8(n >> 6)}
			var leaves [mostLeaves]uint16
			for k, at := range p {
				leaves[k] = leafTables[at]
			}
			t := compose(g.table, leaves)
			if !forms[t].ok && !slices.ContainsFunc(p[:g.pos+g.neg], func(leaf uint8) bool { return t != 0 && ^t != 0 && !dependsOn(t, leaf) }) {
				forms[t] = form{g.header, p, true}
			}
		}
	}
	return forms
})

// dependsOn reports whether a function depends on a leaf.
func dependsOn(table uint16, leaf uint8) bool {
	shift := 1 << (mostLeaves - 1 - leaf)
	return (table>>shift^table)&^leafTables[leaf] != 0
}

// runWide evaluates straight code with fused gates on rows of eight words.
func runWide(rows []uint64, code []int32) {
	base, c := unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Pointer(unsafe.SliceData(code))
	for next := 0; next < len(code); {
		op, pos, neg := Op(code[next]), int(code[next+1]), int(code[next+2])
		at := next + Header
		end := at + int(code[next+3])*(1+pos+neg)
		next = end
		switch op {
		case same:
			for ; at < end; at += 2 {
				*wideAt(base, c, at) = *wideAt(base, c, at+1)
			}
		case and2:
			for ; at < end; at += 3 {
				to, x, y := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2)
				to[0] = x[0].and(y[0])
				to[1] = x[1].and(y[1])
			}
		case or2:
			for ; at < end; at += 3 {
				to, x, y := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2)
				to[0] = x[0].or(y[0])
				to[1] = x[1].or(y[1])
			}
		case xor2:
			for ; at < end; at += 3 {
				to, x, y := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2)
				to[0] = x[0].xor(y[0])
				to[1] = x[1].xor(y[1])
			}
		case andNot2:
			for ; at < end; at += 3 {
				to, x, y := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2)
				to[0] = x[0].andNot(y[0])
				to[1] = x[1].andNot(y[1])
			}
		case and3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].and(y[0]).and(z[0])
				to[1] = x[1].and(y[1]).and(z[1])
			}
		case or3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].or(y[0]).or(z[0])
				to[1] = x[1].or(y[1]).or(z[1])
			}
		case xor3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].xor(y[0]).xor(z[0])
				to[1] = x[1].xor(y[1]).xor(z[1])
			}
		case maj3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].xor(z[0]).and(x[0].xor(y[0])).xor(x[0])
				to[1] = x[1].xor(z[1]).and(x[1].xor(y[1])).xor(x[1])
			}
		case mux3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = y[0].xor(z[0]).and(x[0]).xor(z[0])
				to[1] = y[1].xor(z[1]).and(x[1]).xor(z[1])
			}
		case andOr3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].and(y[0]).or(z[0])
				to[1] = x[1].and(y[1]).or(z[1])
			}
		case orAnd3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].or(y[0]).and(z[0])
				to[1] = x[1].or(y[1]).and(z[1])
			}
		case andNotOr3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].andNot(y[0]).or(z[0])
				to[1] = x[1].andNot(y[1]).or(z[1])
			}
		case andAndNot3:
			for ; at < end; at += 4 {
				to, x, y, z := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3)
				to[0] = x[0].and(y[0]).andNot(z[0])
				to[1] = x[1].and(y[1]).andNot(z[1])
			}
		case or4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].or(y[0]).or(z[0]).or(u[0])
				to[1] = x[1].or(y[1]).or(z[1]).or(u[1])
			}
		case andOrOr4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].and(y[0]).or(z[0]).or(u[0])
				to[1] = x[1].and(y[1]).or(z[1]).or(u[1])
			}
		case orAndOr4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].or(y[0]).and(z[0]).or(u[0])
				to[1] = x[1].or(y[1]).and(z[1]).or(u[1])
			}
		case andOrAnd4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].and(y[0]).or(z[0].and(u[0]))
				to[1] = x[1].and(y[1]).or(z[1].and(u[1]))
			}
		case andOrAndNot4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].and(y[0]).or(z[0].andNot(u[0]))
				to[1] = x[1].and(y[1]).or(z[1].andNot(u[1]))
			}
		case andNotOrAndNot4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].andNot(y[0]).or(z[0].andNot(u[0]))
				to[1] = x[1].andNot(y[1]).or(z[1].andNot(u[1]))
			}
		case orOrAnd4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].or(y[0]).or(z[0]).and(u[0])
				to[1] = x[1].or(y[1]).or(z[1]).and(u[1])
			}
		case andNot4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].andNot(y[0].or(z[0]).or(u[0]))
				to[1] = x[1].andNot(y[1].or(z[1]).or(u[1]))
			}
		case andAndNotOr4:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].and(y[0]).andNot(z[0]).or(u[0])
				to[1] = x[1].and(y[1]).andNot(z[1]).or(u[1])
			}
		case andOrAnd4b:
			for ; at < end; at += 5 {
				to, x, y, z, u := wideAt(base, c, at), wideAt(base, c, at+1), wideAt(base, c, at+2), wideAt(base, c, at+3), wideAt(base, c, at+4)
				to[0] = x[0].and(y[0]).or(z[0]).and(u[0])
				to[1] = x[1].and(y[1]).or(z[1]).and(u[1])
			}
		default:
			for ; at < end; at += 1 + pos + neg {
				anyWide(base, unsafe.Add(c, 4*at), op, pos, neg)
			}
		}
	}
}

// anyWide evaluates a gate with any number of operands.
func anyWide(base, gate unsafe.Pointer, op Op, pos, neg int) {
	to := wideAt(base, gate, 0)
	for q := range to {
		var acc quad
		switch op {
		case And:
			acc = acc.not()
			for k := range pos {
				acc = acc.and(wideAt(base, gate, 1+k)[q])
			}
			for k := range neg {
				acc = acc.andNot(wideAt(base, gate, 1+pos+k)[q])
			}
		case Or:
			for k := range pos {
				acc = acc.or(wideAt(base, gate, 1+k)[q])
			}
			for k := range neg {
				acc = acc.or(wideAt(base, gate, 1+pos+k)[q].not())
			}
		}
		to[q] = acc
	}
}

// wideAt returns the row whose word offset is the k-th number of code.
func wideAt(base, code unsafe.Pointer, k int) *wideRow {
	return (*wideRow)(unsafe.Add(base, uintptr(*(*uint32)(unsafe.Add(code, 4*k)))*8))
}

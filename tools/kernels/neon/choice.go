package main

import (
	"fmt"

	"stackmate/tools/arm64"
)

// blockDigits is the number of digits in which count adds up eight moves at once, with a carry.
const blockDigits = 3

// registerDigits is the greatest number of digits that are kept in registers, if there are enough; higher
// digits stay in memory.
const registerDigits = 12

// table is the source of legal moves: the rows at legal or, if two roles take turns, the rows at legal and
// other.
type table struct {
	*generator
	turns              bool
	base, legal, other arm64.R
}

// function begins a kernel function. params are the parameters after the rows of the moves; it returns their registers.
func (t *table) function(name, params, does string) []arm64.R {
	moves := "rows *uint64, legal *int32"
	if t.turns {
		name += "Turns"
		moves = "rows *uint64, legal, other *int32"
		does += " A move is legal if its bit in legal or in other is set."
	}
	p := t.Func(name+t.name, "func("+moves+params+")", does)
	t.base, t.legal = p[0], p[1]
	if t.turns {
		t.other = p[2]
		return p[3:]
	}
	return p[2:]
}

// move loads the row of the next move of a list, whose address it leaves in at.
func (t *table) move(list, at arm64.R, to row) {
	t.Op("MOVW.P", list.At(4), at)
	t.toAddresses(t.base, at)
	t.load(at, to)
}

// count writes the counting of legal moves: carry-save adders add blocks of eight rows to the digits at n.
// The lowest three digits are kept in registers.
func (t *table) count() {
	p := t.function("count", ", blocks int, n *uint64, digits int", "adds the rows at legal, in blocks of eight, to the digits at n (at least three).")
	blocks, n, digits := p[0], p[1], p[2]
	at, left, a, b := t.General(), t.General(), t.General(), t.General()
	digit, spare := t.rows(blockDigits), t.row()
	t.Op("MOVD", n, at)
	for _, d := range digit {
		t.loadNext(at, d)
	}
	t.Op("SUB", fmt.Sprintf("$%d", blockDigits), digits) // the digits through which a block's carry ripples
	two := func(list arm64.R, x, y row) {
		t.Op("LDPSW.P", list.At(8), arm64.Pair(a, b))
		t.toAddresses(t.base, a, b)
		t.load(a, x)
		t.load(b, y)
	}
	add := func() row { // two moves
		x, y := t.row(), t.row()
		two(t.legal, x, y)
		if t.turns {
			t.Op("LDPSW.P", t.other.At(8), arm64.Pair(a, b))
			t.toAddresses(t.base, a, b)
			for _, o := range []struct {
				at arm64.R
				to row
			}{{a, x}, {b, y}} {
				t.load(o.at, spare)
				t.or(spare, o.to, o.to)
			}
		}
		t.fullAdd(digit[0], x, y, spare)
		t.Free(y...)
		return x
	}
	pair := func() row {
		x, y := add(), add()
		t.fullAdd(digit[1], x, y, spare)
		t.Free(y...)
		return x
	}
	t.Label("block")
	carry, y := pair(), pair()
	t.fullAdd(digit[2], carry, y, spare)
	t.Op("ADD", fmt.Sprintf("$%d", blockDigits*t.width), n, at)
	t.Op("MOVD", digits, left)
	t.Op("CMP", "$0", left)
	t.Op("BLE", "next")
	t.Label("ripple")
	t.load(at, y)
	t.xor(carry, y, spare)
	t.and(carry, y, carry)
	t.storeNext(spare, at)
	t.EndLoop(left, "ripple")
	t.Label("next")
	t.EndLoop(blocks, "block")
	for _, d := range digit {
		t.storeNext(d, n)
	}
	t.Op("RET")
}

// drawer holds the registers of all loops of draw.
type drawer struct {
	*generator
	fraction, k, n, target, digits arm64.R
	columns, at, left, stride      arm64.R
	u, carry, addend, half         row
}

// draw writes the computation of the random target, column by column, so that the digits of the number and of
// the target fit the registers.
func (g *generator) draw() {
	p := g.Func("draw"+g.name, "func(fraction *uint64, k int, n, target *uint64, digits int)",
		"computes floor(u·n / 2^k) into target, from the k random rows of u.\n// The row before target is overwritten.")
	d := &drawer{generator: g, fraction: p[0], k: p[1], n: p[2], target: p[3], digits: p[4]}
	d.columns, d.at, d.left, d.stride = g.General(), g.General(), g.General(), g.General()
	d.u, d.carry, d.addend, d.half = g.Vectors(1), g.Vectors(1), g.Vectors(1), g.Vectors(1)
	g.Op("MOVD", fmt.Sprintf("$%d", g.width), d.stride)
	g.Op("MOVD", fmt.Sprintf("$%d", g.lanes), d.columns)
	for k := 1; k <= registerDigits; k++ {
		g.dispatch(d.digits, k, fmt.Sprintf("draw%d", k))
	}
	d.inMemory()
	for k := 1; k <= registerDigits; k++ {
		d.inRegisters(k)
	}
}

// column writes a loop over the columns of a row, with an inner loop over the fraction.
func (d *drawer) column(name string, before, each, after func()) {
	d.Label("%s", name)
	before()
	d.Op("MOVD", d.fraction, d.at)
	d.Op("MOVD", d.k, d.left)
	d.Label("%sfraction", name)
	d.next(d.at, d.u)
	each()
	d.EndLoop(d.left, name+"fraction")
	after()
	for _, r := range []arm64.R{d.fraction, d.n, d.target} {
		d.Op("ADD", "$16", r)
	}
	d.EndLoop(d.columns, name)
	d.Op("RET")
}

// next loads a column's part of a row, and advances to the next row.
func (d *drawer) next(at arm64.R, to row) {
	d.Op("VLD1.P", fmt.Sprintf("(%v)(%v)", at, d.stride), arm64.List(to, "D2"))
}

// inMemory writes draw for any number of digits.
func (d *drawer) inMemory() {
	n, target, digits, sum := d.General(), d.General(), d.General(), d.Vectors(1)
	d.column("draw", func() {}, func() {
		d.fill(d.carry, 0)
		d.Op("MOVD", d.n, n)
		d.Op("MOVD", d.target, target)
		d.Op("MOVD", d.digits, digits)
		d.Label("digit")
		d.next(n, d.addend)
		d.Op("FMOVQ", target.At(0), sum[0].Q())
		d.and(d.addend, d.u, d.addend)
		d.xor(d.addend, sum, d.half)
		d.xor(d.half, d.carry, sum)
		d.whereFalse(d.half, d.addend, d.carry)
		d.Op("FMOVQ", sum[0].Q(), target.At(-d.width))
		d.Op("ADD", d.stride, target)
		d.EndLoop(digits, "digit")
		d.Op("FMOVQ", d.carry[0].Q(), target.At(-d.width))
	}, func() {})
	d.Free(sum...)
}

// inRegisters writes draw for a number of digits that stay in registers. Halving moves each sum to the next
// lower digit; the lowest digit yields only its carry.
func (d *drawer) inRegisters(digits int) {
	factor, sum := make([]row, digits), make([]row, digits)
	for i := range digits {
		factor[i], sum[i] = d.Vectors(1), d.Vectors(1)
	}
	d.column(fmt.Sprintf("draw%d", digits), func() {
		for i := range digits {
			d.Op("FMOVQ", d.n.At(i*d.width), factor[i][0].Q())
			d.Op("FMOVQ", d.target.At(i*d.width), sum[i][0].Q())
		}
	}, func() {
		d.and(factor[0], d.u, d.carry)
		d.and(sum[0], d.carry, d.carry)
		for i := 1; i < digits; i++ {
			d.and(factor[i], d.u, d.addend)
			d.xor(d.addend, sum[i], d.half)
			d.xor(d.half, d.carry, sum[i-1])
			d.whereFalse(d.half, d.addend, d.carry)
		}
		d.or(d.carry, d.carry, sum[digits-1])
	}, func() {
		for i := range digits {
			d.Op("FMOVQ", sum[i][0].Q(), d.target.At(i*d.width))
		}
	})
	for i := range digits {
		d.Free(factor[i]...)
		d.Free(sum[i]...)
	}
}

// pick writes the search for the move that the target selects. Low digits are kept in registers, as many as
// there are; the borrow ripples on through the digits in memory.
func (t *table) pick() {
	does := ", moves int, does, target *uint64, digits int"
	if t.turns {
		does = ", moves int, does, otherDoes, target *uint64, digits int"
	}
	p := t.function("pick", does, "takes the legal moves off target and writes the borrow of each to the rows at does.")
	moves, to, target, digits := p[0], p[1], p[len(p)-2], p[len(p)-1]
	mine, at, left, upper := t.General(), t.General(), t.General(), t.General()
	borrow, spare := t.row(), t.row()
	digit := t.rows(min(registerDigits, 32/t.lanes-2))
	take := func(digit row) { // after the subtraction the digit is true where it borrowed
		t.xor(borrow, digit, digit)
		t.and(digit, borrow, borrow)
	}
	loop := func(name string, registers int, ripple func()) {
		t.Label("%s", name)
		t.Op("MOVD", target, upper)
		for _, d := range digit[:registers] {
			t.loadNext(upper, d)
		}
		t.Label("%smove", name)
		t.move(t.legal, mine, borrow)
		if t.turns {
			t.move(t.other, at, spare)
			t.or(spare, borrow, borrow)
		}
		for _, d := range digit[:registers] {
			take(d)
		}
		ripple()
		if t.turns { // the role with the legal bit makes the move
			t.load(mine, spare)
			t.and(borrow, spare, spare)
			t.xor(spare, borrow, borrow)
			t.storeNext(borrow, p[2])
			t.storeNext(spare, to)
		} else {
			t.storeNext(borrow, to)
		}
		t.EndLoop(moves, name+"move")
		t.Op("RET")
	}
	for d := 1; d <= len(digit); d++ {
		t.dispatch(digits, d, fmt.Sprintf("digits%d", d))
	}
	t.Op("SUB", fmt.Sprintf("$%d", len(digit)), digits)
	loop("digits", len(digit), func() {
		t.Op("MOVD", upper, at)
		t.Op("MOVD", digits, left)
		t.Label("ripple")
		t.load(at, spare)
		take(spare)
		t.storeNext(spare, at)
		t.EndLoop(left, "ripple")
	})
	for d := 1; d <= len(digit); d++ {
		loop(fmt.Sprintf("digits%d", d), d, func() {})
	}
}

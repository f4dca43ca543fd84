package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blockMoves is the number of moves that count adds up at once, in blockDigits digits and a carry.
const (
	blockMoves  = 8
	blockDigits = 3
)

// registerDigits is the greatest number of digits that are kept in registers; longer numbers stay in memory.
const registerDigits = 12

// table is the source of legal moves: the rows at legal or, if two roles take turns, the rows at legal and
// other.
type table struct {
	*isa
	turns              bool
	rows, legal, other GPVirtual
	idx                GPVirtual
}

// function begins a kernel function. params are the parameters after the rows of the moves.
func (t *table) function(name, params, does string) {
	doc := name + t.name
	moves := "rows *uint64, legal *int32"
	if t.turns {
		doc = name + "Turns" + t.name
		moves = "rows *uint64, legal, other *int32"
	}
	TEXT(doc, NOSPLIT, "func("+moves+params+")")
	if t.turns {
		does += " A move is legal if its bit in legal or in other is set."
	}
	Doc(doc + " " + does)
	t.rows, t.legal, t.idx = param("rows"), param("legal"), GP64()
	if t.turns {
		t.other = param("other")
	}
}

// operand returns the operand for the row of the k-th move of a list.
func (t *table) operand(list GPVirtual, k int) Mem {
	MOVLQSX(Mem{Base: list, Disp: 4 * k}, t.idx)
	return Mem{Base: t.rows, Index: t.idx, Scale: 8}
}

// loadRow loads the legal bits of the k-th move after the current move.
func (t *table) loadRow(k int, to VecVirtual) {
	t.move(t.operand(t.legal, k), to)
	if t.turns {
		t.or(t.operand(t.other, k), to, to)
	}
}

// row returns an operand for the legal bits of the k-th move after the current move.
func (t *table) row(k int) Op {
	if !t.turns {
		return t.operand(t.legal, k)
	}
	x := t.vector()
	t.loadRow(k, x)
	return x
}

// advance goes on to the moves after n.
func (t *table) advance(n int) {
	ADDQ(Imm(uint64(4*n)), t.legal)
	if t.turns {
		ADDQ(Imm(uint64(4*n)), t.other)
	}
}

// count writes the counting of legal moves: carry-save adders add blocks of eight rows to the digits at n. If
// there are enough registers, every digit stays in a register.
func (t *table) count() {
	v := t.isa
	t.function("count", ", blocks int, n *uint64, digits int", "adds the rows at legal, in blocks of eight, to the digits at n (at least three).")
	c := &counter{table: t, blocks: param("blocks"), n: param("n")}
	digits := param("digits")
	if v.many {
		for d := blockDigits + 1; d <= registerDigits; d++ {
			dispatch(digits, d, fmt.Sprintf("count%d", d))
		}
	}
	SUBQ(Imm(blockDigits), digits) // the digits through which a block's carry ripples
	c.loop("", blockDigits, func(carry VecVirtual, _ []VecVirtual) {
		at, left := GP64(), GP64()
		LEAQ(Mem{Base: c.n, Disp: blockDigits * v.width}, at)
		MOVQ(digits, left)
		CMPQ(left, Imm(0))
		JLE(LabelRef("next"))
		Label("ripple")
		digit, sum := v.vector(), v.vector()
		v.move(Mem{Base: at}, digit)
		v.xor(carry, digit, sum)
		v.and(carry, digit, carry)
		v.move(sum, Mem{Base: at})
		ADDQ(Imm(uint64(v.width)), at)
		endLoop(left, "ripple")
		Label("next")
	})
	if !v.many {
		return
	}
	for d := blockDigits + 1; d <= registerDigits; d++ {
		c.loop(fmt.Sprint(d), d, func(carry VecVirtual, more []VecVirtual) {
			for _, digit := range more {
				both := v.vector()
				v.and(carry, digit, both)
				v.xor(carry, digit, digit)
				carry = both
			}
		})
	}
}

// counter holds the parameters of all loops of count.
type counter struct {
	*table
	blocks, n GPVirtual
}

// loop writes the loop over blocks with d digits in registers. ripple adds the carry of a block to the digits
// after the first three, in registers (more) or in memory.
func (c *counter) loop(suffix string, d int, ripple func(carry VecVirtual, more []VecVirtual)) {
	Label("count" + suffix)
	digit := make([]VecVirtual, d)
	for i := range digit {
		digit[i] = c.vector()
		c.move(Mem{Base: c.n, Disp: i * c.width}, digit[i])
	}
	add := func(k int) VecVirtual {
		x, carry := c.vector(), c.vector()
		c.loadRow(k, x)
		c.fullAdd(digit[0], x, c.row(k+1), carry)
		return carry
	}
	pair := func(k int) VecVirtual {
		a, b, carry := add(k), add(k+2), c.vector()
		c.fullAdd(digit[1], a, b, carry)
		return carry
	}
	Label("block" + suffix)
	e, f, carry := pair(0), pair(4), c.vector()
	c.fullAdd(digit[2], e, f, carry)
	ripple(carry, digit[blockDigits:])
	c.advance(blockMoves)
	endLoop(c.blocks, "block"+suffix)
	for i, r := range digit {
		c.move(r, Mem{Base: c.n, Disp: i * c.width})
	}
	end()
}

// draw writes the computation of the random target.
func draw(v *isa) {
	TEXT("draw"+v.name, NOSPLIT, "func(fraction *uint64, k int, n, target *uint64, digits int)")
	Doc("draw"+v.name+" computes floor(u·n / 2^k) into target, from the k random rows of u.",
		"The row before target is overwritten.")
	fraction, k, n, target, digits := param("fraction"), param("k"), param("n"), param("target"), param("digits")
	if v.many {
		for d := 1; d <= registerDigits; d++ {
			dispatch(digits, d, fmt.Sprintf("draw%d", d))
		}
	}
	u, carry := v.vector(), v.vector()
	Label("fraction")
	v.move(Mem{Base: fraction}, u)
	v.zero(carry)
	offset, left := GP64(), GP64()
	XORQ(offset, offset)
	MOVQ(digits, left)
	Label("digit")
	addend, sum, out := v.vector(), v.vector(), v.vector()
	v.and(Mem{Base: n, Index: offset, Scale: 1}, u, addend)
	v.move(Mem{Base: target, Index: offset, Scale: 1}, sum)
	v.fullAdd(sum, addend, carry, out)
	v.move(sum, Mem{Base: target, Index: offset, Scale: 1, Disp: -v.width})
	v.move(out, carry)
	ADDQ(Imm(uint64(v.width)), offset)
	endLoop(left, "digit")
	v.move(carry, Mem{Base: target, Index: offset, Scale: 1, Disp: -v.width})
	ADDQ(Imm(uint64(v.width)), fraction)
	endLoop(k, "fraction")
	end()
	if !v.many {
		return
	}
	for d := 1; d <= registerDigits; d++ {
		drawInRegisters(v, d, fraction, k, n, target)
	}
}

// drawInRegisters writes draw for d digits that stay in registers. Halving moves each sum to the next lower
// digit; the lowest digit yields only its carry.
func drawInRegisters(v *isa, d int, fraction, k, n, target GPVirtual) {
	Label(fmt.Sprintf("draw%d", d))
	factor, sum := make([]VecVirtual, d), make([]VecVirtual, d)
	for i := range d {
		factor[i], sum[i] = v.vector(), v.vector()
		v.move(Mem{Base: n, Disp: i * v.width}, factor[i])
		v.move(Mem{Base: target, Disp: i * v.width}, sum[i])
	}
	u := v.vector()
	Label(fmt.Sprintf("fraction%d", d))
	v.move(Mem{Base: fraction}, u)
	carry := v.vector()
	v.and(factor[0], u, carry)
	v.and(sum[0], carry, carry)
	for i := 1; i < d; i++ {
		addend, out := v.vector(), v.vector()
		v.and(factor[i], u, addend)
		v.move(sum[i], sum[i-1])
		v.fullAdd(sum[i-1], addend, carry, out)
		carry = out
	}
	v.move(carry, sum[d-1])
	ADDQ(Imm(uint64(v.width)), fraction)
	endLoop(k, fmt.Sprintf("fraction%d", d))
	for i := range d {
		v.move(sum[i], Mem{Base: target, Disp: i * v.width})
	}
	end()
}

// picker holds the parameters of all loops of pick.
type picker struct {
	*table
	moves, does, otherDoes GPVirtual
}

// choose stores the lanes in which the k-th move after the current move is chosen. If roles take turns, the
// role with the legal bit makes the move.
func (p *picker) choose(k int, chosen VecVirtual) {
	to := func(does GPVirtual) Mem { return Mem{Base: does, Disp: k * p.width} }
	if !p.turns {
		p.move(chosen, to(p.does))
		return
	}
	mine, other := p.vector(), p.vector()
	p.move(p.operand(p.legal, k), mine)
	p.without(chosen, mine, other)
	p.move(other, to(p.otherDoes))
	p.and(mine, chosen, mine)
	p.move(mine, to(p.does))
}

// advance goes on to the moves after n.
func (p *picker) advance(n int) {
	p.table.advance(n)
	ADDQ(U32(uint32(n*p.width)), p.does)
	if p.turns {
		ADDQ(U32(uint32(n*p.width)), p.otherDoes)
	}
}

// pick writes the search for the move that the target selects.
func (t *table) pick() {
	v := t.isa
	does := ", moves int, does, target *uint64, digits int"
	if t.turns {
		does = ", moves int, does, otherDoes, target *uint64, digits int"
	}
	t.function("pick", does, "takes the legal moves off target and writes the borrow of each to the rows at does.")
	p := &picker{table: t, moves: param("moves"), does: param("does")}
	if t.turns {
		p.otherDoes = param("otherDoes")
	}
	target, digits := param("target"), param("digits")
	loop := func(name string, step func(borrow VecVirtual) VecVirtual) {
		borrow := v.vector()
		Label(name)
		p.loadRow(0, borrow)
		p.choose(0, step(borrow))
		p.advance(1)
		endLoop(p.moves, name)
		end()
	}
	take := func(digit, borrow VecVirtual) VecVirtual {
		rest := v.vector()
		v.without(borrow, digit, rest)
		v.xor(borrow, digit, digit)
		return rest
	}
	for d := 1; d <= registerDigits; d++ {
		dispatch(digits, d, fmt.Sprintf("load%d", d))
	}
	loop("memory", func(borrow VecVirtual) VecVirtual {
		at, left, digit := GP64(), GP64(), v.vector()
		MOVQ(target, at)
		MOVQ(digits, left)
		Label("digit")
		v.move(Mem{Base: at}, digit)
		v.move(take(digit, borrow), borrow)
		v.move(digit, Mem{Base: at})
		ADDQ(Imm(uint64(v.width)), at)
		endLoop(left, "digit")
		return borrow
	})
	for d := 1; d <= registerDigits; d++ {
		Label(fmt.Sprintf("load%d", d))
		digit := make([]VecVirtual, d)
		for i := range digit {
			digit[i] = v.vector()
			v.move(Mem{Base: target, Disp: i * v.width}, digit[i])
		}
		if v.many {
			p.fours(d, digit)
		}
		loop(fmt.Sprintf("digits%d", d), func(borrow VecVirtual) VecVirtual {
			for i := range digit {
				borrow = take(digit[i], borrow)
			}
			return borrow
		})
	}
}

// Truth tables for VPTERNLOG, of the overwritten register and the two other registers.
const (
	borrowTable = 0x8e // borrow of a - x - borrow: a < x + borrow
	parityTable = 0x96
	chosenTable = 0x40 // a and b, and not c
)

// fours writes the part of pick for d digits that takes four moves at a time off the target, as one number of
// up to three digits. If the top digit borrows, the chosen move is among the four. Then the previous target,
// which has two digits, is compared with the number of legal moves in the first pair; the remainder selects
// the move in its pair. The following loop handles the last moves, fewer than four.
func (p *picker) fours(d int, digit []VecVirtual) {
	v := p.isa
	start, rest := fmt.Sprintf("fours%d", d), fmt.Sprintf("rest%d", d)
	Label(start)
	CMPQ(p.moves, Imm(4))
	JLT(LabelRef(rest))
	var move [4]VecVirtual
	for k := range move {
		move[k] = v.vector()
		p.loadRow(k, move[k])
	}
	one, two := [2]VecVirtual{v.vector(), v.vector()}, [2]VecVirtual{v.vector(), v.vector()} // digits of a pair
	for k := range one {
		v.xor(move[2*k], move[2*k+1], one[k])
		v.and(move[2*k], move[2*k+1], two[k])
	}
	number := [3]VecVirtual{v.vector(), v.vector(), v.vector()} // number of legal moves among the four
	carry := v.vector()
	v.xor(one[0], one[1], number[0])
	v.and(one[0], one[1], carry)
	v.and(two[0], two[1], number[2])
	v.move(two[0], number[1])
	VPTERNLOGQ(U8(parityTable), carry, two[1], number[1])

	var before [2]VecVirtual
	for i := range min(2, d) {
		before[i] = v.vector()
		v.move(digit[i], before[i])
	}
	borrow := v.vector()
	v.without(number[0], digit[0], borrow)
	v.xor(number[0], digit[0], digit[0])
	for i := 1; i < d; i++ {
		out := v.vector()
		if i < len(number) {
			v.move(digit[i], out)
			VPTERNLOGQ(U8(borrowTable), borrow, number[i], out)
			VPTERNLOGQ(U8(parityTable), borrow, number[i], digit[i])
		} else {
			v.without(borrow, digit[i], out)
			v.xor(borrow, digit[i], digit[i])
		}
		borrow = out
	}

	first := v.vector() // the target is less than the number of moves in the first pair
	v.without(one[0], before[0], first)
	if d > 1 {
		VPTERNLOGQ(U8(borrowTable), first, two[0], before[1])
		first = before[1]
	}
	inPair := [2]VecVirtual{v.vector(), v.vector()}
	v.and(borrow, first, inPair[0])
	v.without(borrow, first, inPair[1])
	left := [2]VecVirtual{before[0], v.vector()} // the lowest digit of the remainder
	v.xor(before[0], one[0], left[1])
	for k := range inPair {
		VPTERNLOGQ(U8(chosenTable), left[k], inPair[k], move[2*k])
		v.without(inPair[k], move[2*k], move[2*k+1])
	}
	for k, m := range move {
		p.choose(k, m)
	}
	p.advance(4)
	SUBQ(Imm(4), p.moves)
	JMP(LabelRef(start))
	Label(rest)
	TESTQ(p.moves, p.moves)
	JNZ(LabelRef(fmt.Sprintf("digits%d", d)))
	end()
}

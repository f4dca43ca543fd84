package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blockMoves is the number of moves that count adds up at once.
const blockMoves = 8

// registerDigits is the largest target that pick keeps in registers; larger ones
// stay in memory.
const registerDigits = 12

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

// count writes the counting of legal moves: blocks of eight rows are added to
// the digits at n by carry-save adders.
func count(v *isa) {
	TEXT("count"+v.name, NOSPLIT, "func(rows *uint64, legal *int32, blocks int, n *uint64, digits int)")
	Doc("count" + v.name + " adds the rows at legal, in blocks of eight, to the digits at n (at least three).")
	rows, legal, blocks, n, digits := param("rows"), param("legal"), param("blocks"), param("n"), param("digits")
	SUBQ(Imm(3), digits) // those that a block's carry ripples through
	one, two, four := v.vector(), v.vector(), v.vector()
	for i, r := range []VecVirtual{one, two, four} {
		v.load(Mem{Base: n, Disp: i * v.width}, r)
	}
	idx := GP64()
	row := func(k int) Mem {
		MOVLQSX(Mem{Base: legal, Disp: 4 * k}, idx)
		return Mem{Base: rows, Index: idx, Scale: 8}
	}
	add := func(k int) VecVirtual {
		x, carry := v.vector(), v.vector()
		v.load(row(k), x)
		v.fullAdd(one, x, row(k+1), carry)
		return carry
	}
	Label("block")
	pair := func(k int) VecVirtual {
		a, b, carry := add(k), add(k+2), v.vector()
		v.fullAdd(two, a, b, carry)
		return carry
	}
	e, f, carry := pair(0), pair(4), v.vector()
	v.fullAdd(four, e, f, carry)
	at, left := GP64(), GP64()
	LEAQ(Mem{Base: n, Disp: 3 * v.width}, at)
	MOVQ(digits, left)
	CMPQ(left, Imm(0))
	JLE(LabelRef("next"))
	Label("ripple")
	digit, sum := v.vector(), v.vector()
	v.load(Mem{Base: at}, digit)
	v.xorInto(carry, digit, sum)
	v.andInto(carry, digit, carry)
	v.store(sum, Mem{Base: at})
	ADDQ(Imm(uint64(v.width)), at)
	DECQ(left)
	JNZ(LabelRef("ripple"))
	Label("next")
	ADDQ(Imm(4*blockMoves), legal)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	for i, r := range []VecVirtual{one, two, four} {
		v.store(r, Mem{Base: n, Disp: i * v.width})
	}
	VZEROUPPER()
	RET()
}

// draw writes the computation of the random target.
func draw(v *isa) {
	TEXT("draw"+v.name, NOSPLIT, "func(fraction *uint64, k int, n, target *uint64, digits int)")
	Doc("draw"+v.name+" computes floor(u·n / 2^k) into target, from the k random rows of u.",
		"The row before target is overwritten.")
	fraction, k, n, target, digits := param("fraction"), param("k"), param("n"), param("target"), param("digits")
	u, carry := v.vector(), v.vector()
	Label("fraction")
	v.load(Mem{Base: fraction}, u)
	v.zero(carry)
	offset, left := GP64(), GP64()
	XORQ(offset, offset)
	MOVQ(digits, left)
	Label("digit")
	addend, sum, out := v.vector(), v.vector(), v.vector()
	v.andInto(Mem{Base: n, Index: offset, Scale: 1}, u, addend)
	v.load(Mem{Base: target, Index: offset, Scale: 1}, sum)
	v.fullAdd(sum, addend, carry, out)
	v.store(sum, Mem{Base: target, Index: offset, Scale: 1, Disp: -v.width})
	v.load(out, carry)
	ADDQ(Imm(uint64(v.width)), offset)
	DECQ(left)
	JNZ(LabelRef("digit"))
	v.store(carry, Mem{Base: target, Index: offset, Scale: 1, Disp: -v.width})
	ADDQ(Imm(uint64(v.width)), fraction)
	DECQ(k)
	JNZ(LabelRef("fraction"))
	VZEROUPPER()
	RET()
}

// pick writes the search for the move that the target selects.
func pick(v *isa) {
	TEXT("pick"+v.name, NOSPLIT, "func(rows *uint64, legal *int32, moves int, does, target *uint64, digits int)")
	Doc("pick" + v.name + " takes the legal moves off target and writes the borrow of each to the rows at does.")
	rows, legal, moves := param("rows"), param("legal"), param("moves")
	does, target, digits := param("does"), param("target"), param("digits")
	idx := GP64()
	loop := func(name string, step func(borrow VecVirtual) VecVirtual) {
		borrow := v.vector()
		Label(name)
		MOVLQSX(Mem{Base: legal}, idx)
		v.load(Mem{Base: rows, Index: idx, Scale: 8}, borrow)
		v.store(step(borrow), Mem{Base: does})
		ADDQ(Imm(4), legal)
		ADDQ(Imm(uint64(v.width)), does)
		DECQ(moves)
		JNZ(LabelRef(name))
		VZEROUPPER()
		RET()
	}
	take := func(digit, borrow VecVirtual) VecVirtual {
		rest := v.vector()
		v.withoutA(borrow, digit, rest)
		v.xorInto(borrow, digit, digit)
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
		v.load(Mem{Base: at}, digit)
		v.load(take(digit, borrow), borrow)
		v.store(digit, Mem{Base: at})
		ADDQ(Imm(uint64(v.width)), at)
		DECQ(left)
		JNZ(LabelRef("digit"))
		return borrow
	})
	for d := 1; d <= registerDigits; d++ {
		Label(fmt.Sprintf("load%d", d))
		digit := make([]VecVirtual, d)
		for i := range digit {
			digit[i] = v.vector()
			v.load(Mem{Base: target, Disp: i * v.width}, digit[i])
		}
		loop(fmt.Sprintf("digits%d", d), func(borrow VecVirtual) VecVirtual {
			for i := range digit {
				borrow = take(digit[i], borrow)
			}
			return borrow
		})
	}
}

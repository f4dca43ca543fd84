package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose writes the transposition of 64×64 bits with AVX2: ever smaller blocks change places (Warren,
// Hacker's Delight, 2nd ed., section 7-3), between four registers of four words at a time. For the smallest
// blocks the words of the registers are transposed before and after.
func transpose() {
	TEXT("transposeAVX2", NOSPLIT, "func(block *uint64)")
	Doc("transposeAVX2 exchanges bit j of word i with bit i of word j, for 64 words.")
	block := param("block")
	pass := func(first, apart int, steps ...func(r *[4]VecVirtual)) {
		var r [4]VecVirtual
		at := func(i int) Mem { return Mem{Base: block, Disp: 32 * (first + apart*i)} }
		for i := range r {
			r[i] = YMM()
			VMOVDQU(at(i), r[i])
		}
		for _, step := range steps {
			step(&r)
		}
		for i := range r {
			VMOVDQU(r[i], at(i))
		}
	}
	large := exchange(32)
	for first := range 4 {
		pass(first, 4, large)
	}
	middle, small := exchange(8), exchange(2)
	for first := range 4 {
		pass(4*first, 1, middle, transposeWords, small, transposeWords)
	}
	end()
}

// exchange swaps blocks of the given width in four registers, then blocks of half the width.
func exchange(width int) func(r *[4]VecVirtual) {
	low := func(width int) VecVirtual {
		scalar, mask := GP64(), YMM()
		MOVQ(U64(^uint64(0)/(1<<width+1)), scalar)
		VMOVQ(scalar, mask.AsX())
		VPBROADCASTQ(mask.AsX(), mask)
		return mask
	}
	swap := func(a, b, mask VecVirtual, width int) {
		t := YMM()
		VPSRLQ(U8(width), a, t)
		VPXOR(b, t, t)
		VPAND(mask, t, t)
		VPXOR(t, b, b)
		VPSLLQ(U8(width), t, t)
		VPXOR(t, a, a)
	}
	whole, half := low(width), low(width/2)
	return func(r *[4]VecVirtual) {
		swap(r[0], r[2], whole, width)
		swap(r[1], r[3], whole, width)
		swap(r[0], r[1], half, width/2)
		swap(r[2], r[3], half, width/2)
	}
}

// transposeWords exchanges word j of register i with word i of register j.
func transposeWords(r *[4]VecVirtual) {
	var pairs [4]VecVirtual
	for i := 0; i < 4; i += 2 {
		pairs[i], pairs[i+1] = YMM(), YMM()
		VPUNPCKLQDQ(r[i+1], r[i], pairs[i])
		VPUNPCKHQDQ(r[i+1], r[i], pairs[i+1])
	}
	for i := range r {
		r[i] = YMM()
		halves := U8(0x20 + 0x11*(i/2)) // the lower ones, or the upper ones
		VPERM2I128(halves, pairs[i%2+2], pairs[i%2], r[i])
	}
}

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Truth tables for VPTERNLOG.
const (
	differenceTable = 0x28 // (a xor b) and c
	selectTable     = 0xe4 // c ? a : b
)

// transpose writes the transposition of 64×64 bits with AVX-512: ever smaller blocks
// change places (Warren, Hacker's Delight, 2nd ed., section 7-3), whole registers of
// eight words at first, then words within a register.
func transpose() {
	constants := make(map[int]Mem) // by width: which bits stay, and how far the others go
	for _, width := range []int{4, 2, 1} {
		m := GLOBL(fmt.Sprintf("transpose%d", width), attr.RODATA|attr.NOPTR)
		low := ^uint64(0) / (1<<width + 1)
		for i := range 8 {
			if i&width != 0 {
				DATA(8*i, U64(^low))
			} else {
				DATA(8*i, U64(low))
			}
		}
		for i := range 8 {
			if i&width != 0 {
				DATA(64+8*i, U64(64-width))
			} else {
				DATA(64+8*i, U64(width))
			}
		}
		constants[width] = m
	}
	TEXT("transposeAVX512", NOSPLIT, "func(block *uint64)")
	Doc("transposeAVX512 makes bit j of word i what bit i of word j was, of 64 words.")
	block := param("block")
	var words [8]VecVirtual
	for k := range words {
		words[k] = ZMM()
		VMOVDQU64(Mem{Base: block, Disp: 64 * k}, words[k])
	}
	scalar, low := GP64(), ZMM()
	for _, width := range []int{32, 16, 8} {
		MOVQ(U64(^uint64(0)/(1<<width+1)), scalar)
		VPBROADCASTQ(scalar, low)
		for k := range words {
			if k&(width/8) != 0 {
				continue
			}
			a, b, t := words[k], words[k+width/8], ZMM()
			VPSRLQ(U8(width), a, t)
			VPTERNLOGQ(U8(differenceTable), low, b, t)
			VPXORQ(t, b, b)
			VPSLLQ(U8(width), t, t)
			VPXORQ(t, a, a)
		}
	}
	for _, width := range []int{4, 2, 1} {
		stay, rotate := ZMM(), ZMM()
		VMOVDQU64(constants[width], stay)
		VMOVDQU64(constants[width].Offset(64), rotate)
		for _, a := range words {
			t := ZMM()
			switch width {
			case 4:
				VSHUFI64X2(U8(0x4e), a, a, t)
			case 2:
				VPERMQ(U8(0x4e), a, t)
			case 1:
				VPSHUFD(U8(0x4e), a, t)
			}
			VPROLVQ(rotate, t, t)
			VPTERNLOGQ(U8(selectTable), stay, t, a)
		}
	}
	for k, a := range words {
		VMOVDQU64(a, Mem{Base: block, Disp: 64 * k})
	}
	end()
}

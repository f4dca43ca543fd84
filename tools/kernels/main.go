// Command kernels generates the vector kernels of reasoner/circuit/kernel for AVX2 (128
// and 256 lanes) and AVX-512 (512 lanes): the three steps of choosing random moves (choice.go), the handling of whole
// rows (rows.go), and the transposition of bits (transpose.go). Gates are evaluated by machine code, which is not
// generated here.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: functions that write the vector operations.
type isa struct {
	name   string
	width  int // bytes of a vector
	vector func() VecVirtual

	// many is true if there are 32 registers and gates of three inputs, so that less has to stay in memory.
	many bool

	move         func(from, to Op)
	and, or, xor func(x, a, to Op)                               // to = a & x, and so on
	without      func(x, a, to Op)                               // to = x &^ a
	choose       func(mask, x, to VecVirtual)                    // to = x where mask is true; x may change
	fullAdd      func(sum, x VecVirtual, y Op, carry VecVirtual) // sum, carry = sum + x + y
	rotate64     func(k uint8, a, spare VecVirtual)              // a = a rotated left by k
}

func (v *isa) zero(r VecVirtual) { v.xor(r, r, r) }

func main() {
	narrow := avx2("AVX128", 16, func() VecVirtual { return XMM() })
	for _, v := range []*isa{narrow, avx2("AVX2", 32, func() VecVirtual { return YMM() }), avx512()} {
		draw(v)
		for _, t := range []*table{{isa: v}, {isa: v, turns: true}} {
			t.count()
			t.pick()
		}
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
		choose: func(mask, x, to VecVirtual) { VPTERNLOGQ(U8(0xd8), mask, x, to) },
		fullAdd: func(sum, x VecVirtual, y Op, carry VecVirtual) {
			VMOVDQA64(sum, carry)
			VPTERNLOGQ(U8(0xe8), y, x, carry) // majority
			VPTERNLOGQ(U8(0x96), y, x, sum)   // parity
		},
		rotate64: func(k uint8, a, _ VecVirtual) { VPROLQ(U8(k), a, a) },
	}
}

// endLoop ends a loop that runs n times, at least once.
func endLoop(n GPVirtual, label string) {
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

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// restore writes the copying of one position into some lanes.
func restore(v *isa) {
	TEXT("restore"+v.name, NOSPLIT, "func(to, from *uint64, rows int, mask *uint64)")
	Doc("restore" + v.name + " writes, in the lanes of mask, rows of one value each: the words at from.")
	to, from, rows := param("to"), param("from"), param("rows")
	mask := v.vector()
	v.move(Mem{Base: param("mask")}, mask)
	Label("row")
	row, other := v.vector(), v.vector()
	v.move(Mem{Base: to}, row)
	VPBROADCASTQ(Mem{Base: from}, other)
	v.choose(mask, other, row)
	v.move(row, Mem{Base: to})
	ADDQ(Imm(uint64(v.width)), to)
	ADDQ(Imm(8), from)
	endLoop(rows, "row")
	end()
}

// columns is the distance in bytes between the words of a generator's state.
const columns = 64

// random writes the generators of machine.Rand, one in each 64-bit column.
func random(v *isa) {
	TEXT("random"+v.name, NOSPLIT, "func(state, dst *uint64, rows int)")
	Doc("random" + v.name + " fills rows with random bits and advances the columns of state: xoshiro256++.")
	state, dst, rows := param("state"), param("dst"), param("rows")
	s := make([]VecVirtual, 4)
	for i := range s {
		s[i] = v.vector()
		v.move(Mem{Base: state, Disp: i * columns}, s[i])
	}
	Label("row")
	out, t := v.vector(), v.vector()
	VPADDQ(s[0], s[3], out)
	v.rotate64(23, out, t)
	VPADDQ(s[0], out, out)
	v.move(out, Mem{Base: dst})
	VPSLLQ(U8(17), s[1], t)
	v.xor(s[0], s[2], s[2])
	v.xor(s[1], s[3], s[3])
	v.xor(s[2], s[1], s[1])
	v.xor(s[3], s[0], s[0])
	v.xor(t, s[2], s[2])
	v.rotate64(45, s[3], t)
	ADDQ(Imm(uint64(v.width)), dst)
	endLoop(rows, "row")
	for i := range s {
		v.move(s[i], Mem{Base: state, Disp: i * columns})
	}
	end()
}

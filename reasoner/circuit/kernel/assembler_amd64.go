package kernel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The instructions of translated code: loads and stores of rows, gates, and PREFETCHT1, which only prefetches
// code. With AVX-512F, and AVX-512VL for rows shorter than 512 bits, they have the EVEX prefix: VMOVDQA64,
// and gates of three inputs, VPTERNLOGQ. With AVX2 they have the VEX prefix: VMOVDQA, and gates of two
// inputs, VPAND, VPANDN, VPOR, VPXOR. See Intel, Software Developer's Manual, volume 2, sections 2.3 and 2.7.
// A row is addressed by its distance from row rowBias, whose address is in RDI: nearby rows have short forms.

const (
	mapMove, opLoad, opStore = 1, 0x6f, 0x7f
	mapGate, opGate          = 3, 0x25 // EVEX
	// VEX, in the opcode map mapMove.
	opAnd, opAndNot, opOr, opXor, opEqual = 0xdb, 0xdf, 0xeb, 0xef, 0x76

	evex      = 0x62
	evexFixed = 0x85 // of the third byte: W = 1, and the prefix 66
	vex       = 0xc4
	vexFixed  = 0x01 // of the third byte: W = 0, and the prefix 66
	rdi       = 7
	ret       = 0xc3

	rowBias = 128
	// ones is the register whose bits are set, with VEX.
	ones = 15
)

// maxDistance is the greatest size of the rows in bytes. Tests lower it.
var maxDistance int64 = math.MaxInt32

// addBias is ADD RDI, imm32, the first instruction of translated code.
var addBias = []byte{0x48, 0x81, 0xc7}

// fetchAhead is PREFETCHT1 [RIP + 2048]. Long code runs once a pass, and has left the second-level cache in
// between; the processor's own prefetch does not reach so far.
var fetchAhead = []byte{0x0f, 0x18, 0x15, 0x00, 0x08, 0x00, 0x00}

// codeLine is the length of a cache line.
const codeLine = 64

// assembler appends instructions to the machine code of a program, at run time.
type assembler struct {
	code  []byte
	vex   bool  // instructions have the VEX prefix
	words int32 // words of a row: 2, 4 or 8
	long  bool  // code is prefetched
	line  int   // the last line with a prefetch
}

// pairs are the opcodes of gates of two inputs, by truth table: the functions that are 0 for two zeros.
var pairs = [16]byte{2: opAndNot, 6: opXor, 8: opAnd, 14: opOr}

// operand is a register, or a row if register is -1.
type operand struct {
	register int8
	row      int32
}

// registers returns the number of registers for values.
func (a *assembler) registers() int8 {
	if a.vex {
		return ones
	}
	return mostRegisters
}

func (a *assembler) prologue() {
	a.code = append(a.code, addBias...)
	a.code = binary.LittleEndian.AppendUint32(a.code, uint32(rowBias*8*a.words))
	if a.vex {
		a.add(mapMove, opEqual, ones, ones, operand{ones, 0})
	}
}

func (a *assembler) epilogue() { a.code = append(a.code, ret) }

func (a *assembler) load(r int8, row int32)  { a.add(mapMove, opLoad, r, 0, operand{-1, row}) }
func (a *assembler) store(row int32, r int8) { a.add(mapMove, opStore, r, 0, operand{-1, row}) }
func (a *assembler) move(to, from int8)      { a.add(mapMove, opLoad, to, 0, operand{from, 0}) }
func (a *assembler) invert(r int8)           { a.add(mapMove, opXor, r, r, operand{ones, 0}) }

// gate appends to = f(to, b, c) for the truth table of f. With VEX it may compute the complement, if inverted;
// there f must not depend on to, and isSwapped must be false.
func (a *assembler) gate(to, b int8, c operand, table uint8) (inverted bool) {
	if !a.vex {
		a.add(mapGate, opGate, to, b, c)
		a.code = append(a.code, table)
		return false
	}
	table &= 15
	inverted = table&1 != 0 // the value for two zeros
	if inverted {
		table ^= 15
	}
	switch table {
	case 0: // never
		a.add(mapMove, opXor, to, ones, operand{ones, 0})
	case 10: // c
		a.add(mapMove, opLoad, to, 0, c)
	case 12: // b
		a.move(to, b)
	default:
		a.add(mapMove, pairs[table], to, b, c)
	}
	return inverted
}

// isSwapped reports whether a function of two inputs is b &^ c or its complement: VPANDN complements its first
// operand.
func isSwapped(table uint8) bool { return table&15 == 4 || table&15 == 11 }

// add appends an instruction.
func (a *assembler) add(opcodes, op byte, reg, second int8, rm operand) {
	if line := len(a.code) / codeLine; a.long && line != a.line {
		a.code, a.line = append(a.code, fetchAhead...), line
	}
	if rm.register >= 0 {
		a.prefix(opcodes, reg, second, rm.register)
		a.code = append(a.code, op, 0xc0|byte(reg&7)<<3|byte(rm.register&7))
		return
	}
	a.prefix(opcodes, reg, second, rdi)
	distance := (rm.row - rowBias) * 8 * a.words
	short := distance
	if !a.vex { // in rows
		short /= 8 * a.words
	}
	if short == int32(int8(short)) {
		a.code = append(a.code, op, 0x40|byte(reg&7)<<3|rdi, byte(short))
	} else {
		a.code = append(a.code, op, 0x80|byte(reg&7)<<3|rdi)
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(distance))
	}
}

// prefix writes the prefix; the bits of register numbers past the lowest three
// are inverted.
func (a *assembler) prefix(opcodes byte, reg, second, rm int8) {
	not := func(r int8, bit int) byte { return byte(^r>>bit) & 1 }
	if a.vex {
		a.code = append(a.code, vex, not(reg, 3)<<7|1<<6|not(rm, 3)<<5|opcodes, byte(^second&15)<<3|byte(a.words>>2)<<2|vexFixed)
		return
	}
	a.code = append(a.code, evex,
		not(reg, 3)<<7|not(rm, 4)<<6|not(rm, 3)<<5|not(reg, 4)<<4|opcodes,
		byte(^second&15)<<3|evexFixed,
		byte(a.words>>2)<<5|not(second, 4)<<3)
}

var errCode = errors.New("translated code is not safe")

// proveCode proves that code accesses only the given number of rows, leaves row 0 unchanged, and returns. It is
// independent of the code generator: it accepts one prologue, one epilogue, and between them only known
// instructions whose row addresses it decodes.
func proveCode(code []byte, words, rows int32) error {
	var frame assembler
	frame.words = words
	frame.prologue()
	first := len(frame.code)
	if len(code) <= first || string(code[:first]) != string(frame.code) || code[len(code)-1] != ret {
		return fmt.Errorf("%w: beginning or end", errCode)
	}
	for at := first; at < len(code)-1; {
		n := instruction(code[at:len(code)-1], words, rows)
		if n == 0 {
			return fmt.Errorf("%w: byte %d", errCode, at)
		}
		at += n
	}
	return nil
}

// layout is the decoded form of an instruction before its memory operand.
type layout struct {
	length  int  // length up to the memory operand
	store   bool // the memory operand is written
	scale   int8 // of a short distance, in bytes
	follows int  // bytes after the operand
}

// instruction returns the length of the first instruction of code, or 0 if the instruction is not allowed.
func instruction(code []byte, words, rows int32) int {
	if bytes.HasPrefix(code, fetchAhead) {
		return len(fetchAhead)
	}
	f, ok := layoutOf(code, words)
	if !ok {
		return 0
	}
	modrm, n, distance := code[f.length-1], f.length, int64(0)
	switch mode := modrm >> 6; {
	case mode == 3:
		if f.store {
			return 0
		}
	case modrm&7 != rdi || code[1]&0x60 != 0x60:
		return 0
	case mode == 1 && len(code) > n:
		n, distance = n+1, int64(int8(code[n]))*int64(f.scale)
	case mode == 2 && len(code) >= n+4:
		n, distance = n+4, int64(int32(binary.LittleEndian.Uint32(code[n:])))
	default:
		return 0
	}
	if modrm>>6 != 3 {
		size := 8 * int64(words)
		offset := distance + rowBias*size
		if offset < 0 || offset%size != 0 || offset/size >= int64(rows) || f.store && offset == 0 {
			return 0
		}
	}
	if n += f.follows; n > len(code) {
		return 0
	}
	return n
}

// layoutOf decodes the prefix and the opcode of an instruction on rows of the given words.
func layoutOf(code []byte, words int32) (f layout, ok bool) {
	switch {
	case len(code) >= 6 && code[0] == evex:
		if code[2]&0x87 != evexFixed || code[3]&0xf7 != byte(words>>2)<<5 {
			return f, false
		}
		f = layout{length: 6, scale: int8(8 * words)}
		opcodes, op := code[1]&0x0f, code[4]
		if opcodes == mapGate && op == opGate {
			f.follows = 1
			return f, true
		}
		f.store = op == opStore
		return f, opcodes == mapMove && (op == opLoad || f.store) && code[2]&0x78 == 0x78 && code[3]&8 != 0
	case len(code) >= 5 && code[0] == vex:
		if code[1]&0x1f != mapMove || code[2]&0x87 != byte(words>>2)<<2|vexFixed {
			return f, false
		}
		f = layout{length: 5, scale: 1}
		switch code[3] {
		case opLoad, opStore:
			f.store = code[3] == opStore
			return f, code[2]&0x78 == 0x78
		case opAnd, opAndNot, opOr, opXor, opEqual:
			return f, true
		}
	}
	return f, false
}

package kernel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The instructions of translated code, of AVX-512F, and AVX-512VL for rows
// shorter than 512 bits: loads and stores of rows, VMOVDQA64, and gates of three
// inputs, VPTERNLOGQ; and PREFETCHT1, which changes nothing but how soon code is there. Their encoding is that of the EVEX prefix (Intel, Software
// Developer's Manual, volume 2, section 2.7). A row is found by its distance from the
// row rowBias, whose address is in RDI: the 256 rows around that one have short forms.

const (
	mapMove, opLoad, opStore = 1, 0x6f, 0x7f
	mapGate, opGate          = 3, 0x25

	evex      = 0x62
	evexFixed = 0x85 // of the third byte: W = 1, and the prefix 66
	rdi       = 7
	ret       = 0xc3

	rowBias = 128
)

// maxDistance bounds the bytes of all rows. Tests lower it.
var maxDistance int64 = math.MaxInt32

// addBias is ADD RDI, imm32, the beginning of all code.
var addBias = []byte{0x48, 0x81, 0xc7}

// fetchAhead is PREFETCHT1 [RIP + 2048]. Long code runs once a pass, and the processor does
// not fetch so far ahead what has left its second-level cache meanwhile.
var fetchAhead = []byte{0x0f, 0x18, 0x15, 0x00, 0x08, 0x00, 0x00}

// codeLine is the bytes of code that are fetched together.
const codeLine = 64

// assembler appends instructions to code.
type assembler struct {
	code  []byte
	words int32 // of a row: 2, 4 or 8
	long  bool  // code is fetched ahead
	line  int   // the last one from which code was fetched
}

func (a *assembler) begin() {
	a.code = append(a.code, addBias...)
	a.code = binary.LittleEndian.AppendUint32(a.code, uint32(rowBias*8*a.words))
}

func (a *assembler) end() { a.code = append(a.code, ret) }

func (a *assembler) load(r int8, row int32)  { a.inRow(mapMove, opLoad, r, 0, row) }
func (a *assembler) store(row int32, r int8) { a.inRow(mapMove, opStore, r, 0, row) }
func (a *assembler) move(to, from int8)      { a.inRegister(mapMove, opLoad, to, 0, from) }

// gate is to = f(to, b, c) for the truth table of f.
func (a *assembler) gate(to, b, c int8, table uint8) {
	a.inRegister(mapGate, opGate, to, b, c)
	a.code = append(a.code, table)
}

// gateRow is gate with c in a row.
func (a *assembler) gateRow(to, b int8, row int32, table uint8) {
	a.inRow(mapGate, opGate, to, b, row)
	a.code = append(a.code, table)
}

func (a *assembler) inRegister(opcodes, op byte, reg, second, rm int8) {
	a.prefix(opcodes, reg, second, rm)
	a.code = append(a.code, op, 0xc0|byte(reg&7)<<3|byte(rm&7))
}

func (a *assembler) inRow(opcodes, op byte, reg, second int8, row int32) {
	a.prefix(opcodes, reg, second, rdi)
	if d := row - rowBias; d == int32(int8(d)) { // in rows
		a.code = append(a.code, op, 0x40|byte(reg&7)<<3|rdi, byte(d))
	} else {
		a.code = append(a.code, op, 0x80|byte(reg&7)<<3|rdi)
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(d*8*a.words))
	}
}

// prefix writes the EVEX prefix; the bits of register numbers past the lowest three
// are inverted.
func (a *assembler) prefix(opcodes byte, reg, second, rm int8) {
	if line := len(a.code) / codeLine; a.long && line != a.line {
		a.code, a.line = append(a.code, fetchAhead...), line
	}
	not := func(r int8, bit int) byte { return byte(^r>>bit) & 1 }
	a.code = append(a.code, evex,
		not(reg, 3)<<7|not(rm, 4)<<6|not(rm, 3)<<5|not(reg, 4)<<4|opcodes,
		byte(^second&15)<<3|evexFixed,
		byte(a.words>>2)<<5|not(second, 4)<<3)
}

var errCode = errors.New("translated code is not as it should be")

// proveCode proves that code, made for so many rows, touches nothing but them, leaves
// row 0 as it is, and returns. It knows nothing of what wrote it: there is one form of
// beginning and end, and between them nothing but these instructions, read one
// after the other, whose rows are looked at as the processor will compute them.
func proveCode(code []byte, words, rows int32) error {
	var frame assembler
	frame.words = words
	frame.begin()
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

// instruction is the length of the instruction that code begins with, 0 if it is none
// that is allowed.
func instruction(code []byte, words, rows int32) int {
	if bytes.HasPrefix(code, fetchAhead) {
		return len(fetchAhead)
	}
	if len(code) < 6 || code[0] != evex || code[2]&0x87 != evexFixed || code[3]&0xf7 != byte(words>>2)<<5 {
		return 0
	}
	opcodes, op, modrm := code[1]&0x0f, code[4], code[5]
	gate := opcodes == mapGate && op == opGate
	if !gate && (opcodes != mapMove || op != opLoad && op != opStore || code[2]&0x78 != 0x78 || code[3]&8 == 0) {
		return 0
	}
	n, distance := 6, int64(0)
	switch mode := modrm >> 6; {
	case mode == 3:
		if op == opStore && !gate {
			return 0
		}
	case modrm&7 != rdi || code[1]&0x60 != 0x60:
		return 0
	case mode == 1 && len(code) >= 7:
		n, distance = 7, int64(int8(code[6]))*8*int64(words)
	case mode == 2 && len(code) >= 10:
		n, distance = 10, int64(int32(binary.LittleEndian.Uint32(code[6:])))
	default:
		return 0
	}
	if modrm>>6 != 3 {
		size := 8 * int64(words)
		offset := distance + rowBias*size
		if offset < 0 || offset%size != 0 || offset/size >= int64(rows) || op == opStore && offset == 0 {
			return 0
		}
	}
	if gate {
		n++
	}
	if n > len(code) {
		return 0
	}
	return n
}

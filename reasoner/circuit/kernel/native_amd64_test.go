//go:build linux || windows

package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// translated returns code of an image with short and long distances, spilled registers, and operands in rows
// and registers. Rows 1 and 2 are written.
func translated(t *testing.T, out assembler) (code []byte, rows int32) {
	t.Helper()
	rows = 500
	rng := rand.New(rand.NewPCG(1, 1))
	var program []int32
	for i := range int32(300) {
		program = append(program, i&1, 2, i&3, 1, 1+i%(rows-1))
		for range 2 + i&3 {
			program = append(program, int32(rng.IntN(int(rows))))
		}
	}
	w := newWriter(out)
	w.reset(program, slices.Repeat([]bool{true}, int(rows)))
	w.translate()
	return w.out.code, rows
}

func TestTranslatedCodeIsProved(t *testing.T) {
	for _, out := range []assembler{{words: 2}, {words: 4}, {words: 8}, {words: 2, vex: true}, {words: 4, vex: true}} {
		for _, out.long = range []bool{false, true} {
			code, rows := translated(t, out)
			if err := proveCode(code, out.words, rows); err != nil {
				t.Errorf("%+v: %v", out, err)
			}
			if bytes.Contains(code, fetchAhead) != out.long {
				t.Errorf("%+v: code is fetched ahead: %v", out, !out.long)
			}
		}
	}
}

// An instruction accesses the requested row: it is safe with one row more than the row's number.
func TestAddressesOfRowsAreDecodedAsTheProcessorDoes(t *testing.T) {
	for _, out := range []assembler{{words: 2}, {words: 4}, {words: 8}, {words: 2, vex: true}, {words: 4, vex: true}} {
		for row := int32(1); row < 500; row++ {
			out.code = out.code[:0]
			out.store(row, 0)
			if n := instruction(out.code, out.words, row+1); n != len(out.code) {
				t.Errorf("%+v: row %d is refused", out, row)
			}
			if instruction(out.code, out.words, row) > 0 {
				t.Errorf("%+v: row %d is taken for a lower one", out, row)
			}
		}
	}
}

// Every kind of change that could let code leave its rows is refused, at every place.
func TestCodeThatIsNotSafeIsRefused(t *testing.T) {
	t.Run("EVEX", func(t *testing.T) {
		refusesUnsafeCode(t, assembler{words: 8}, 6, map[string]func(c []byte){
			"other opcodes":        func(c []byte) { c[1] ^= 1 << 3 },
			"another operand size": func(c []byte) { c[2] ^= 1 << 7 },
			"a mask":               func(c []byte) { c[3] |= 1 },
			"a broadcast":          func(c []byte) { c[3] |= 1 << 4 },
			"another length":       func(c []byte) { c[3] ^= 1 << 5 },
			"an unknown opcode":    func(c []byte) { c[4] = 0x11 },
		})
	})
	t.Run("VEX", func(t *testing.T) {
		refusesUnsafeCode(t, assembler{words: 4, vex: true}, 5, map[string]func(c []byte){
			"other opcodes":        func(c []byte) { c[1] ^= 1 << 1 },
			"another operand size": func(c []byte) { c[2] ^= 1 << 7 },
			"another prefix":       func(c []byte) { c[2] ^= 1 << 1 },
			"another length":       func(c []byte) { c[2] ^= 1 << 2 },
			"an unknown opcode":    func(c []byte) { c[3] = 0x11 },
		})
	})
}

// refusesUnsafeCode changes code of instructions whose operands begin at the given byte.
func refusesUnsafeCode(t *testing.T, out assembler, operands int, changes map[string]func(c []byte)) {
	size := int64(8 * out.words)
	code, rows := translated(t, out)
	refused := func(what string, at int, change func(c []byte)) {
		broken := slices.Clone(code)
		change(broken[at:])
		if proveCode(broken, out.words, rows) == nil {
			t.Errorf("%s at byte %d is taken for safe", what, at)
		}
	}
	refused("another base", 0, func(c []byte) { c[2] = 0xc6 })
	refused("another bias", 0, func(c []byte) { c[3]++ })
	refused("no return", len(code)-1, func(c []byte) { c[0] = 0x90 })
	kinds := make(map[string]int)
	for at := len(addBias) + 4; at < len(code)-1; {
		n := instruction(code[at:], out.words, rows)
		if n == 0 {
			t.Fatalf("byte %d", at)
		}
		refused("no prefix", at, func(c []byte) { c[0] = 0x90 })
		for what, change := range changes {
			refused(what, at, change)
		}
		modrm := at + operands - 1
		mode := code[modrm] >> 6
		if mode != 3 {
			refused("another base register", modrm, func(c []byte) { c[0] ^= 1 })
			refused("a high base register", at, func(c []byte) { c[1] ^= 1 << 5 })
			refused("an address without a base", modrm, func(c []byte) { c[0] = c[0]&0x38 | 5 })
		}
		if mode == 2 {
			for _, distance := range []int64{-(rowBias + 1) * size, (int64(rows) - rowBias) * size, 1, -1, math.MaxInt32, math.MinInt32} {
				refused("a distance out of the rows", modrm, func(c []byte) { binary.LittleEndian.PutUint32(c[1:], uint32(distance)) })
			}
		}
		if op := code[modrm-1]; code[at+1]&15 == mapMove && (op == opLoad || op == opStore) {
			kinds["move"]++
			refused("a move of two operands", at, func(c []byte) { c[2] ^= 1 << 3 })
		}
		if f, _ := layoutOf(code[at:], out.words); f.store && mode != 3 {
			kinds["store"]++
			refused("a store to row 0", modrm, func(c []byte) {
				if mode == 2 {
					binary.LittleEndian.PutUint32(c[1:], uint32(-rowBias*size))
				} else if !out.vex {
					c[1] = 0x80
				} else {
					c[1] = 1 // no whole row; row 0 is too far
				}
			})
		}
		kinds[[]string{"", "short", "long", "register"}[mode]]++
		at += n
	}
	for _, kind := range []string{"short", "long", "register", "store", "move"} {
		if kinds[kind] == 0 {
			t.Errorf("no instruction of kind %q was tried", kind)
		}
	}
	for n := range code {
		if proveCode(code[:n], out.words, rows) == nil && code[n-1] != ret {
			t.Errorf("the first %d bytes are taken for safe", n)
		}
	}
	if proveCode(code, out.words, rows-1) == nil {
		t.Error("code of 500 rows is safe on 499")
	}
	if proveCode(code, out.words/2, rows) == nil {
		t.Error("code is safe on rows of half as many words")
	}
}

// If distances do not fit an instruction, there is no executable.
func TestPlansOfTooManyRowsAreRefused(t *testing.T) {
	defer func(most int64) { maxDistance = most }(maxDistance)
	for _, k := range vectorKernels() {
		maxDistance = int64(2 * 8 * k.words())
		for rows, fits := range map[int]bool{3: false, 2: true} {
			_, err := k.Verify(&Image{Rows: rows, Programs: []Program{{"one", []Segment{{Code: []int32{int32(And), 1, 0, 1, 1, 0}}}}}})
			if fits != (err == nil) {
				t.Errorf("%s: %d rows: error %v", k.name, rows, err)
			}
		}
	}
}

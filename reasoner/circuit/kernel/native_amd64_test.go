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

// translated is code of a plan with everything: short and long distances, registers
// that run out, operands in rows and registers. Rows 1 and 2 are written.
func translated(t *testing.T, words int32, long bool) (code []byte, rows int32) {
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
	w := &writer{cover: cover{leaves: 3}, out: assembler{words: words, long: long}}
	w.reset(program, slices.Repeat([]bool{true}, int(rows)))
	w.translate()
	return w.out.code, rows
}

func TestTranslatedCodeIsProved(t *testing.T) {
	for _, words := range []int32{2, 4, 8} {
		for _, long := range []bool{false, true} {
			code, rows := translated(t, words, long)
			if err := proveCode(code, words, rows); err != nil {
				t.Error(err)
			}
			if bytes.Contains(code, fetchAhead) != long {
				t.Errorf("code is fetched ahead: %v", !long)
			}
		}
	}
}

// Every kind of change that could let code out of its rows is refused, wherever it is.
func TestCodeThatIsNotSafeIsRefused(t *testing.T) {
	const words, size = 8, 64
	code, rows := translated(t, words, false)
	first := len(addBias) + 4
	refused := func(what string, at int, change func(c []byte)) {
		broken := slices.Clone(code)
		change(broken[at:])
		if proveCode(broken, words, rows) == nil {
			t.Errorf("%s at byte %d is taken for safe", what, at)
		}
	}
	refused("another base", 0, func(c []byte) { c[2] = 0xc6 })
	refused("another bias", 0, func(c []byte) { c[3]++ })
	refused("no return", len(code)-1, func(c []byte) { c[0] = 0x90 })
	kinds := make(map[string]int)
	for at := first; at < len(code)-1; {
		n := instruction(code[at:], words, rows)
		if n == 0 {
			t.Fatalf("byte %d", at)
		}
		refused("no prefix", at, func(c []byte) { c[0] = 0x90 })
		refused("other opcodes", at, func(c []byte) { c[1] ^= 1 << 3 })
		refused("another operand size", at, func(c []byte) { c[2] ^= 1 << 7 })
		refused("a mask", at, func(c []byte) { c[3] |= 1 })
		refused("a broadcast", at, func(c []byte) { c[3] |= 1 << 4 })
		refused("another length", at, func(c []byte) { c[3] ^= 1 << 5 })
		refused("an unknown opcode", at, func(c []byte) { c[4] = 0x11 })
		mode := code[at+5] >> 6
		if mode != 3 {
			refused("another base register", at, func(c []byte) { c[5] ^= 1 })
			refused("a high base register", at, func(c []byte) { c[1] ^= 1 << 5 })
			refused("an address without a base", at, func(c []byte) { c[5] = c[5]&0x38 | 5 })
		}
		if mode == 2 {
			for _, distance := range []int64{-(rowBias + 1) * size, (int64(rows) - rowBias) * size, 1, -1, math.MaxInt32, math.MinInt32} {
				refused("a distance out of the rows", at, func(c []byte) { binary.LittleEndian.PutUint32(c[6:], uint32(distance)) })
			}
		}
		store := mode != 3 && code[at+4] == opStore && code[at+1]&15 == mapMove
		if store && mode == 1 {
			kinds["store"]++
			refused("a store to row 0", at, func(c []byte) { c[6] = 0x80 })
		}
		kinds[[]string{"", "short", "long", "register"}[mode]]++
		at += n
	}
	for _, kind := range []string{"short", "long", "register", "store"} {
		if kinds[kind] == 0 {
			t.Errorf("no instruction of kind %q was tried", kind)
		}
	}
	for n := range code {
		if proveCode(code[:n], words, rows) == nil && code[n-1] != ret {
			t.Errorf("the first %d bytes are taken for safe", n)
		}
	}
	if proveCode(code, words, rows-1) == nil {
		t.Error("code of 500 rows is safe on 499")
	}
	if proveCode(code, words/2, rows) == nil {
		t.Error("code of rows of 8 words is safe on rows of 4")
	}
}

// Where distances do not fit an instruction, the plan is run as it is.
func TestPlansOfTooManyRowsAreNotTranslated(t *testing.T) {
	defer func(most int64) { maxDistance = most }(maxDistance)
	for _, k := range translators() {
		maxDistance = int64(2 * 8 * k.words())
		for rows, want := range map[int]bool{3: false, 2: true} {
			e, err := k.Engine(&Plan{Rows: rows, Programs: []Program{{"one", []Segment{{Code: []int32{int32(And), 1, 0, 1, 1, 0}}}}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := e.native > 0; got != want {
				t.Errorf("%s: %d rows: translated %v", k.name, rows, got)
			}
		}
	}
}

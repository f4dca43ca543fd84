package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"
)

// The verifier. Vector code uses the offsets of a program unchecked, and the portable kernel indexes without
// bounds checks. So every program is proved to stay in its rows before it can run, as WebAssembly engines do
// with their code. Programs of an image, whose rows are single words, are verified first. The output of
// translations (fuse.go, assembler_amd64.go), which the kernels read, is verified again.
//
// Algorithm: one pass over each program. A run has a known operation, at least one operand, a positive number
// of gates, and ends inside its segment; each offset is a multiple of the row length and leaves room for a
// whole row; nothing is written to row 0, the constant false. Sums have 64 bits, and the rows are so few that
// offsets fit the 32 bits of a code word. Cost: about a nanosecond a word.

// spans returns the ranges of words of rows, merged if adjacent: from, to.
func spans(rows []int32, words int) [][2]int {
	var out [][2]int
	for _, r := range slices.Compact(slices.Sorted(slices.Values(rows))) {
		from := int(r) * words
		if n := len(out); n > 0 && out[n-1][1] == from {
			out[n-1][1] += words
		} else {
			out = append(out, [2]int{from, from + words})
		}
	}
	return out
}

// Verify proves an image safe on k and translates it; the error names the violation and its place.
func (k *Kernel) Verify(image *Image) (*Executable, error) {
	v := &verifier{words: int64(k.words()), rows: int64(image.Rows)}
	if v.rows < 1 || v.rows > math.MaxInt32/v.words {
		return nil, fmt.Errorf("%d rows of %d words: a kernel takes from 1 to %d", v.rows, v.words, math.MaxInt32/v.words)
	}
	e := &Executable{kernel: k, rows: image.Rows, digits: minDigits}
	programs := &verifier{words: 1, rows: v.rows}
	for _, program := range image.Programs {
		segments := make([]block, len(program.Segments))
		for i, s := range program.Segments {
			segments[i] = block{Segment: s}
			s := &segments[i]
			s.run = func(rows []uint64) { k.run(rows, s.Code) }
			e.vars = max(e.vars, len(s.Vars))
		}
		start := time.Now()
		for i := range segments {
			if err := programs.segment(&segments[i].Segment); err != nil {
				return nil, fmt.Errorf("program %q, segment %d, %w", program.Name, i, err)
			}
			segments[i].vars = spans(segments[i].Vars, k.words())
		}
		e.took += time.Since(start)
		e.programs = append(e.programs, segments)
	}
	for r, m := range image.Moves {
		if len(m.Legal) == 0 {
			continue
		}
		table := newMoveTable(m, int32(v.words))
		if err := v.moveTable(&table); err != nil {
			return nil, fmt.Errorf("moves of role %d: %w", r, err)
		}
		e.moveTables = append(e.moveTables, table)
		e.digits = max(e.digits, table.digits)
		e.random = max(e.random, table.fractionRows())
	}
	if err := v.remaining(e, image); err != nil {
		return nil, err
	}
	return e, k.translate(e, image)
}

// scale returns the word offset of a row, or -1 if the offset is out of range.
func scale(row, words int32) int32 {
	if row < 0 || row > math.MaxInt32/words {
		return -1
	}
	return row * words
}

// runWords returns the number of words after the header of the first run in code, or -1 if the header is invalid.
func runWords(code []int32) int64 {
	pos, neg, count := int64(code[1]), int64(code[2]), int64(code[3])
	if pos < 0 || neg < 0 || pos+neg < 1 || count < 1 {
		return -1
	}
	return (1 + pos + neg) * count // less than 2^32 · 2^31
}

// verifier proves offsets for rows of the given words.
type verifier struct {
	words, rows int64
	fused       bool // fused gates are allowed
}

// isRow reports whether a whole row begins at a word offset.
func (v *verifier) isRow(offset int32) bool {
	return offset >= 0 && int64(offset) <= (v.rows-1)*v.words && int64(offset)&(v.words-1) == 0
}

// isTarget reports whether a row begins at an offset that may be written.
func (v *verifier) isTarget(offset int32) bool { return offset != 0 && v.isRow(offset) }

func (v *verifier) segment(s *Segment) error {
	for i, offset := range s.Vars {
		if !v.isTarget(offset) {
			return fmt.Errorf("variable %d: %w", i, v.badRow(offset))
		}
	}
	code := s.Code
	for at := 0; at < len(code); {
		if len(code)-at < Header {
			return fmt.Errorf("word %d: %d words are left, and a run begins with %d", at, len(code)-at, Header)
		}
		n := runWords(code[at:])
		left := int64(len(code) - at - Header)
		if n < 0 || n > left || !v.allows(header{Op(code[at]), code[at+1], code[at+2]}) {
			return fmt.Errorf("word %d: no run has operation %d, %d plain and %d complemented operands and %d gates in %d words",
				at, code[at], code[at+1], code[at+2], code[at+3], left)
		}
		run := code[at+Header : at+Header+int(n)]
		if k := v.gates(run, 1+int(code[at+1])+int(code[at+2])); k >= 0 {
			return fmt.Errorf("run at word %d (operation %d, %d plain and %d complemented operands, %d gates): word %d: %w",
				at, code[at], code[at+1], code[at+2], code[at+3], k, v.badRow(run[k]))
		}
		at += Header + int(n)
	}
	return nil
}

// allows reports whether gates of a form are allowed.
func (v *verifier) allows(h header) bool {
	return h.op == And || h.op == Or || v.fused && slices.ContainsFunc(fusedGates, func(g fusedGate) bool { return g.header == h })
}

// gates returns the index of the first invalid offset in a run, or -1. The first of every width words is a
// target.
func (v *verifier) gates(run []int32, width int) int {
	last, odd := uint32((v.rows-1)*v.words), uint32(v.words-1)
	for first := 0; first < len(run); first += width {
		if run[first] == 0 {
			return first
		}
		for k, offset := range run[first : first+width] {
			if u := uint32(offset); u > last || u&odd != 0 {
				return first + k
			}
		}
	}
	return -1
}

func (v *verifier) badRow(offset int32) error {
	if offset == 0 {
		return fmt.Errorf("row 0 is the constant false and is not written")
	}
	return fmt.Errorf("offset %d is not the beginning of one of %d rows of %d words", offset, v.rows, v.words)
}

// moveTable proves the move table of a role as choose.go uses it.
func (v *verifier) moveTable(table *moveTable) error {
	if table.moves < 1 || table.moves > len(table.legal) || len(table.legal)%blockMoves != 0 || table.digits != bits.Len(uint(table.moves)) || table.digits > maxDigits {
		return fmt.Errorf("%d moves in a table of %d, counted in %d digits", table.moves, len(table.legal), table.digits)
	}
	chosen := []int32{table.does}
	if table.other != nil {
		if chosen = append(chosen, table.otherDoes); len(table.other) != len(table.legal) {
			return fmt.Errorf("roles that take turns have tables of %d and %d moves", len(table.legal), len(table.other))
		}
		if apart := int64(table.does) - int64(table.otherDoes); max(apart, -apart) < int64(table.moves)*v.words {
			return fmt.Errorf("moves of roles that take turns begin at the offsets %d and %d, and are %d", table.does, table.otherDoes, table.moves)
		}
	}
	for _, does := range chosen {
		if err := v.targets("does", int64(does), int64(table.moves)); err != nil {
			return err
		}
		for _, list := range [][]int32{table.legal, table.other} {
			for m, offset := range list {
				if !v.isRow(offset) {
					return fmt.Errorf("legal bit of move %d: %w", m, v.badRow(offset))
				}
				if offset >= does && int64(offset) < int64(does)+int64(table.moves)*v.words {
					return fmt.Errorf("legal bit of move %d: offset %d is a row of the chosen moves", m, offset)
				}
			}
		}
	}
	for _, w := range table.waits {
		if !v.isTarget(w[0]) || !v.isRow(w[1]) {
			return fmt.Errorf("a move of a role that waits: offset %d or %d is not the beginning of a row", w[0], w[1])
		}
	}
	return nil
}

// targets proves that count rows from a word offset on may be written.
func (v *verifier) targets(what string, offset, count int64) error {
	if count < 0 || count > 0 && (offset < v.words || offset&(v.words-1) != 0 || offset+count*v.words > v.rows*v.words) {
		return fmt.Errorf("%s: %d rows from offset %d on are not among rows 1 to %d of %d words", what, count, offset, v.rows-1, v.words)
	}
	return nil
}

// span proves that rows may be written, and returns their words: from, to.
func (v *verifier) span(what string, first, count int) (words [2]int, err error) {
	from, n := int64(first), int64(count)
	if from < 0 || from > v.rows || n > v.rows {
		return words, fmt.Errorf("%s: no %d rows from row %d on", what, n, from)
	}
	return [2]int{int(from * v.words), int((from + n) * v.words)}, v.targets(what, from*v.words, n)
}

// remaining verifies the remaining rows of the image, and sets the rows of fluents and random bits.
func (v *verifier) remaining(e *Executable, image *Image) error {
	var err error
	if e.fluents, err = v.span("fluents", image.Fluents.First, image.Fluents.Count); err != nil {
		return err
	}
	if e.chooses = image.Random.Program; len(image.Random.Rows) > 0 && (e.chooses < 0 || e.chooses >= len(e.programs)) {
		return fmt.Errorf("random bits: no program %d of %d", e.chooses, len(e.programs))
	}
	for _, r := range image.Read {
		if offset := scale(r, int32(v.words)); !v.isRow(offset) {
			return fmt.Errorf("row %d is read: %w", r, v.badRow(offset))
		}
	}
	for _, r := range slices.Concat(image.Written, image.Random.Rows) {
		if offset := scale(r, int32(v.words)); !v.isTarget(offset) {
			return fmt.Errorf("row %d is written: %w", r, v.badRow(offset))
		}
	}
	e.bits = spans(image.Random.Rows, int(v.words))
	return nil
}

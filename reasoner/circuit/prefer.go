package circuit

import (
	"math/bits"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
)

// Random moves that prefer some to others, without giving up lock step: in every lane
// several moves are drawn, and the one of the highest rank is made. Ranks are kept as one
// row per binary digit:
//
//  1. Draw moves as ever (kernel/choose.go). A drawn move is a bit in its row.
//  2. Digit i of the rank is the union of the rows of the moves whose rank has it, one
//     operation for each.
//  3. Draw again, and copy what was drawn before where its rank is higher.
//
// Of moves with parts the ranks of both parts are added up. What moves are made is noted
// by one more operation for each.
//
// Cost: a second choice, and about 7 operations a move and draw.

var _ machine.Selective = (*Batch)(nil)

const (
	// rankDigits is the number of binary digits of a rank.
	rankDigits = 3
	// sumDigits is that of the sum of two.
	sumDigits = rankDigits + 1
)

// rankRows is the number of rows for ranks: each block of moves has its own.
func (m *Machine) rankRows() int {
	blocks := 0
	for _, p := range m.parts {
		if blocks++; p != nil {
			blocks++
		}
	}
	return blocks * rankDigits
}

// preferences are what a batch knows of moves that are preferred.
type preferences struct {
	*Batch
	engine *kernel.Engine
	blocks []block // by role, those of parts one after the other
	draws  int
	ranks  kernel.Proved
	lanes  []uint64 // whose moves are noted
	before []uint64 // ranks of what was drawn before, by block
	better []uint64 // where that is better
	sums   [2][sumDigits]uint64
}

// block is of rows that lie one after the other, of which a lane has one at most: the
// moves of a role, or the first or second parts of them.
type block struct {
	role         machine.Role
	first, count int32    // rows
	drawn        []uint64 // what was drawn before
	made         []uint64 // what was made since it was last counted
}

func newPreferences(b *Batch) *preferences {
	h := &preferences{Batch: b, engine: b.memory.Engine(), draws: 1, better: make([]uint64, b.words)}
	add := func(role int, first int32, count int) {
		n := count * b.words
		h.blocks = append(h.blocks, block{machine.Role(role), first, int32(count), make([]uint64, n), make([]uint64, n)})
	}
	for r, first := range b.m.does {
		if p := b.m.parts[r]; p != nil {
			add(r, p.first, p.parts[0])
			add(r, p.second, p.parts[1])
		} else {
			add(r, first, len(b.m.legal[r]))
		}
	}
	h.before = make([]uint64, b.m.rankRows()*b.words)
	return h
}

func (b *Batch) preferences() *preferences {
	if b.preferred == nil {
		b.preferred = newPreferences(b)
	}
	return b.preferred
}

// Features implements machine.Selective.
func (b *Batch) Features() []machine.Role {
	var roles []machine.Role
	for _, k := range b.preferences().blocks {
		for range k.count {
			roles = append(roles, k.role)
		}
	}
	return roles
}

// Prefer implements machine.Selective.
func (b *Batch) Prefer(ranks []uint8, draws int) {
	h := b.preferences()
	var code []int32
	for i, k := range h.blocks {
		for digit := range rankDigits {
			var rows []int32
			for j, rank := range ranks[:k.count] {
				if rank>>digit&1 != 0 {
					rows = append(rows, k.first+int32(j))
				}
			}
			if len(rows) == 0 {
				rows = []int32{0}
			}
			code = append(code, int32(kernel.Or), int32(len(rows)), 0, 1, b.m.rank+int32(i*rankDigits+digit))
			code = append(code, rows...)
		}
		ranks = ranks[k.count:]
	}
	p, err := h.engine.Prove(code)
	if err != nil {
		panic(err) // the rows are those of the machine
	}
	h.ranks, h.draws = p, draws
}

// Note implements machine.Selective.
func (b *Batch) Note(lanes []uint64) { b.preferences().lanes = lanes }

// Count implements machine.Selective.
func (b *Batch) Count(counts []int32, lanes [][]uint64) {
	for _, k := range b.preferences().blocks {
		mask := lanes[k.role]
		for i := range int(k.count) {
			n := 0
			for w, word := range k.made[i*b.words : (i+1)*b.words] {
				n += bits.OnesCount64(word & mask[w])
			}
			counts[i] = int32(n)
		}
		counts = counts[k.count:]
	}
}

// Forget implements machine.Selective.
func (b *Batch) Forget() {
	for _, k := range b.preferences().blocks {
		clear(k.made)
	}
}

// choose goes on where moves have been drawn once.
func (h *preferences) choose(rng *machine.Rand) {
	for draw := 1; draw < h.draws; draw++ {
		h.memory.Interpret(h.ranks)
		ranks := h.row(h.m.rank, len(h.before)/h.words)
		copy(h.before, ranks)
		for _, k := range h.blocks {
			copy(k.drawn, h.row(k.first, int(k.count)))
		}
		h.memory.ChooseRandom(rng)
		h.memory.Interpret(h.ranks)
		for i := 0; i < len(h.blocks); {
			n := 1
			if h.m.parts[h.blocks[i].role] != nil {
				n = 2
			}
			h.compare(h.before[i*rankDigits*h.words:], ranks[i*rankDigits*h.words:], n == 2)
			for _, k := range h.blocks[i : i+n] {
				if k.count > 1 {
					h.engine.Blend(h.row(k.first, int(k.count)), k.drawn, h.better)
				}
			}
			i += n
		}
	}
	if h.lanes != nil {
		for _, k := range h.blocks {
			h.engine.Collect(k.made, h.row(k.first, int(k.count)), h.lanes)
		}
	}
}

// compare finds the lanes in which one rank, or the sum of two, is higher than the other.
func (h *preferences) compare(left, right []uint64, parts bool) {
	for w := range h.words {
		for side, rows := range [2][]uint64{left, right} {
			sum := &h.sums[side]
			*sum = [sumDigits]uint64{}
			for d := range rankDigits {
				sum[d] = rows[d*h.words+w]
			}
			if parts {
				carry := uint64(0)
				for d := range rankDigits {
					x, y := sum[d], rows[(rankDigits+d)*h.words+w]
					sum[d], carry = x^y^carry, x&y|carry&(x|y)
				}
				sum[rankDigits] = carry
			}
		}
		higher := uint64(0)
		for d, x := range h.sums[0] {
			y := h.sums[1][d]
			higher = x&^y | higher&^(x^y)
		}
		h.better[w] = higher
	}
}

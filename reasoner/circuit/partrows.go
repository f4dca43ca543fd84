package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/choice"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// partRows are the rows of a role's split moves.
type partRows struct {
	first, second int32      // row of the first input of each side; its rows are consecutive
	count         [2]int     // number of first and second parts
	pair          [][2]int32 // by move: its parts
	moves         [][]int32  // by first part: moves that can be legal, ascending
	head          []output   // by first part
	tail          []output   // by move
	ordered       bool       // the concatenation of moves is ascending
	random        struct {   // rows of the choice's random bits; none if another role's choice is shared
		first int32
		count int
	}
}

func newPartRows(p *choice.Parts, l *layout) *partRows {
	rows := &partRows{
		first: l.row[p.First[0].Node()], second: l.row[p.Second[0].Node()],
		count: [2]int{len(p.First), len(p.Second)}, pair: p.Pair,
	}
	if rows.random.count = len(p.Random); rows.random.count > 0 {
		rows.random.first = l.row[p.Random[0].Node()]
	}
	for _, lit := range p.Head {
		rows.head = append(rows.head, l.output(lit))
	}
	for _, lit := range p.Tail {
		rows.tail = append(rows.tail, l.output(lit))
	}
	var all []int32
	for _, moves := range p.FirstMoves {
		moves = slices.DeleteFunc(slices.Clone(moves), func(m int32) bool { return p.Tail[m] == logic.False })
		rows.moves = append(rows.moves, moves)
		all = append(all, moves...)
	}
	rows.ordered = slices.IsSorted(all)
	return rows
}

// mostTransposed is the largest table of split moves that is transposed. In larger tables few heads are true.
const mostTransposed = 4096

// appendParts appends the legal moves of a lane, ascending.
func (b *Batch) appendParts(dst []machine.Move, lane int, rows *partRows) []machine.Move {
	begin := len(dst)
	for part, moves := range rows.moves {
		if !b.bit(rows.head[part], lane) {
			continue
		}
		for _, m := range moves {
			if b.bit(rows.tail[m], lane) {
				dst = append(dst, machine.Move(m))
			}
		}
	}
	if !rows.ordered {
		slices.Sort(dst[begin:])
	}
	return dst
}

// size returns the number of moves in the table.
func (t *transposedMoves) size() int {
	if t.parts != nil {
		return len(t.parts.pair)
	}
	return len(t.rows)
}

// moveWord returns the bits of the lanes of a word whose sets contain move m.
func (b *Batch) moveWord(t *transposedMoves, m, word int) uint64 {
	p := t.parts
	if p == nil {
		return b.rows[int(t.rows[m])*b.words+word]
	}
	head, tail := p.head[p.pair[m][0]], p.tail[m]
	return (b.rows[int(head.row)*b.words+word] ^ head.complement) & (b.rows[int(tail.row)*b.words+word] ^ tail.complement)
}

// setParts sets or clears the parts of a move in a lane.
func (b *Batch) setParts(p *partRows, m machine.Move, lane int, made bool) {
	word, bit := lane>>6, uint64(1)<<(uint(lane)&63)
	for side, first := range [2]int32{p.first, p.second} {
		at := int(first+p.pair[m][side])*b.words + word
		if made {
			b.rows[at] |= bit
		} else {
			b.rows[at] &^= bit
		}
	}
}

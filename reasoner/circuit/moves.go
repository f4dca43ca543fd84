package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/internal/choice"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// moveTable is the moves of a role as rows, in one of two forms: whole moves, each with an input and a legal signal, or
// split moves (parts.go).
type moveTable interface {
	// size returns the number of moves.
	size() int
	// transposes reports whether sets of moves are worth transposing if many lanes are read.
	transposes() bool
	// legalRows returns the rows of the legal signals.
	legalRows() []int32
	// inputs returns the rows of the inputs: ranges of a first row and a number of rows.
	inputs() [][2]int32
	// appendLegal appends the legal moves of a lane, ascending.
	appendLegal(b *batch, dst []machine.Move, lane int) []machine.Move
	// readLegal writes the bits of a word of the legal signals of successive moves, from the given move on.
	readLegal(b *batch, dst []uint64, from, word int)
	// replace clears the inputs of move last in a lane, unless it is NoMove, and sets the inputs of move m.
	replace(b *batch, lane int, last, m machine.Move)
}

// wholeTable holds moves with rows of their own.
type wholeTable struct {
	does  int32   // row of the input of the first move; the rows of the others follow
	legal []int32 // by move
}

func (t *wholeTable) size() int          { return len(t.legal) }
func (t *wholeTable) transposes() bool   { return true }
func (t *wholeTable) legalRows() []int32 { return t.legal }
func (t *wholeTable) inputs() [][2]int32 { return [][2]int32{{t.does, int32(len(t.legal))}} }

func (t *wholeTable) appendLegal(b *batch, dst []machine.Move, lane int) []machine.Move {
	rows, words, shift := b.rows[lane>>6:], b.words, uint(lane)&63
	for m, row := range t.legal {
		if rows[int(row)*words]>>shift&1 != 0 {
			dst = append(dst, machine.Move(m))
		}
	}
	return dst
}

func (t *wholeTable) readLegal(b *batch, dst []uint64, from, word int) {
	for i, row := range t.legal[from : from+len(dst)] {
		dst[i] = b.rows[int(row)*b.words+word]
	}
}

func (t *wholeTable) replace(b *batch, lane int, last, m machine.Move) {
	rows, bit := b.rows[int(t.does)*b.words+lane>>6:], uint64(1)<<(uint(lane)&63)
	if last >= 0 {
		rows[int(last)*b.words] &^= bit
	}
	rows[int(m)*b.words] |= bit
}

// splitTable holds moves with two inputs each, their parts. A move is legal if the head of its first part and its tail are
// true.
type splitTable struct {
	first, second int32      // row of the first input of each side; its rows are consecutive
	count         [2]int     // number of first and second parts
	pair          [][2]int32 // by move: its parts
	moves         [][]int32  // by first part: moves that can be legal, ascending
	head          []output   // by first part
	tail          []output   // by move
	ordered       bool       // the concatenation of moves is ascending
	random        []int32    // rows of the choice's random bits; none if another role's choice is shared
}

func newSplitTable(p *choice.Parts, l *layout) *splitTable {
	t := &splitTable{
		first: l.row[p.First[0].Node()], second: l.row[p.Second[0].Node()],
		count: [2]int{len(p.First), len(p.Second)}, pair: p.Pair,
	}
	for _, lit := range p.Random {
		t.random = append(t.random, l.row[lit.Node()])
	}
	for _, lit := range p.Head {
		t.head = append(t.head, l.output(lit))
	}
	for _, lit := range p.Tail {
		t.tail = append(t.tail, l.output(lit))
	}
	var all []int32
	for _, moves := range p.FirstMoves {
		moves = slices.DeleteFunc(slices.Clone(moves), func(m int32) bool { return p.Tail[m] == logic.False })
		t.moves = append(t.moves, moves)
		all = append(all, moves...)
	}
	t.ordered = slices.IsSorted(all)
	return t
}

// mostTransposed is the largest table of split moves that is transposed. In larger tables few heads are true.
const mostTransposed = 4096

func (t *splitTable) size() int        { return len(t.pair) }
func (t *splitTable) transposes() bool { return len(t.pair) <= mostTransposed }

func (t *splitTable) legalRows() (rows []int32) {
	for _, o := range slices.Concat(t.head, t.tail) {
		rows = append(rows, o.row)
	}
	return rows
}

func (t *splitTable) inputs() [][2]int32 {
	return [][2]int32{{t.first, int32(t.count[0])}, {t.second, int32(t.count[1])}}
}

func (t *splitTable) appendLegal(b *batch, dst []machine.Move, lane int) []machine.Move {
	begin := len(dst)
	for part, moves := range t.moves {
		if !b.bit(t.head[part], lane) {
			continue
		}
		for _, m := range moves {
			if b.bit(t.tail[m], lane) {
				dst = append(dst, machine.Move(m))
			}
		}
	}
	if !t.ordered {
		slices.Sort(dst[begin:])
	}
	return dst
}

func (t *splitTable) readLegal(b *batch, dst []uint64, from, word int) {
	for i := range dst {
		head, tail := t.head[t.pair[from+i][0]], t.tail[from+i]
		dst[i] = (b.rows[int(head.row)*b.words+word] ^ head.complement) & (b.rows[int(tail.row)*b.words+word] ^ tail.complement)
	}
}

func (t *splitTable) replace(b *batch, lane int, last, m machine.Move) {
	rows, bit := b.rows[lane>>6:], uint64(1)<<(uint(lane)&63)
	for side, first := range [2]int32{t.first, t.second} {
		if last >= 0 {
			rows[int(first+t.pair[last][side])*b.words] &^= bit
		}
		rows[int(first+t.pair[m][side])*b.words] |= bit
	}
}

package simultaneous

import (
	"cmp"
	"math"
	"slices"

	"stackmate/reasoner/machine"
)

// The order in which SMAB visits the cells of a matrix, in two parts as in
// section 4.3 of Saffidine, Finnsson and Buro (2012): the moves of each player
// are ordered, and the cells are ordered by the ranks of their moves.
//
// The paper's closing question is whether what is learned of a move before all
// its pairings are enumerated can order the moves. Here it does: before every
// cell the moves are sorted anew by
//
//  1. what is known of their cells: the sum of p + o over the remaining moves of
//     the other player, to which terminal children, the table and the cells
//     searched so far contribute;
//  2. where that is equal, their share in the solutions of other positions;
//  3. where that is equal, the order of the legal moves.
//
// A move that turns out bad so costs one cell, not a row. How moves are numbered
// matters where nothing is known, in the first descent above all. The order
// changes what is searched, never a value.
//
// Cost: two passes over the matrix and two sorts of its lines for each cell
// searched; measured in docs/lab/simultaneous.md, it does not show beside the linear programs.

// line is a row or a column of a matrix in the order of moves.
type line struct {
	index   int32
	promise float64 // Σ p+o of a row, -Σ p+o of a column; -∞ if removed
	share   float64 // see record
}

// record is what the solutions so far say of one move: the mean of its
// probability times the number of legal moves, so that 1 is average.
type record struct{ sum, count float64 }

func (r record) share() float64 {
	if r.count == 0 {
		return 1
	}
	return r.sum / r.count
}

// history holds the records of the moves of the row and the column player.
type history struct{ row, column records }

// records are those of the moves of a player, as far as something was learned.
type records []record

func (r records) share(m machine.Move) float64 {
	if int(m) < len(r) {
		return r[m].share()
	}
	return record{}.share()
}

// learn adds one solution: the probabilities of legal moves.
func (r *records) learn(moves []machine.Move, probabilities []float64) {
	for i, m := range moves {
		if missing := int(m) + 1 - len(*r); missing > 0 {
			*r = append(*r, make(records, missing)...)
		}
		(*r)[m].sum += probabilities[i] * float64(len(moves))
		(*r)[m].count++
	}
}

// appendLines appends the lines of n moves in their given order.
func appendLines(dst []line, n int) []line {
	for i := range n {
		dst = append(dst, line{index: int32(i)})
	}
	return dst
}

// sortMoves orders the moves of both players by what is known now.
func (s *solver) sortMoves(f *frame) {
	b, e := &f.pruning, &f.expansion
	for k := range b.rowOrder {
		l := &b.rowOrder[k]
		l.promise, l.share = f.rowPromise(int(l.index)), s.history.row.share(e.Moves[s.row][l.index])
	}
	for k := range b.columnOrder {
		l := &b.columnOrder[k]
		l.promise, l.share = f.columnPromise(int(l.index)), s.history.column.share(e.Moves[s.column][l.index])
	}
	slices.SortFunc(b.rowOrder, byPromise)
	slices.SortFunc(b.columnOrder, byPromise)
}

func byPromise(a, b line) int {
	return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(b.share, a.share), cmp.Compare(a.index, b.index))
}

func (f *frame) rowPromise(i int) float64 {
	if !f.pruning.rows[i] {
		return math.Inf(-1)
	}
	return f.total(i*f.n, 1, f.pruning.columns)
}

func (f *frame) columnPromise(j int) float64 {
	if !f.pruning.columns[j] {
		return math.Inf(-1)
	}
	return -f.total(j, f.n, f.pruning.rows)
}

// total is the sum of the bounds of a line of cells, where the crossing line
// remains.
func (f *frame) total(first, step int, remaining []bool) float64 {
	sum := 0.0
	for k, remains := range remaining {
		if at := first + k*step; remains {
			sum += f.p[at] + f.o[at]
		}
	}
	return sum
}

// next is the first cell in the order that is not settled.
func (f *frame) next(order Order) (i, j int, ok bool) {
	if order == OrderLex {
		return f.nextLex()
	}
	rows, columns := f.pruning.rowOrder, f.pruning.columnOrder
	for rank := range min(f.m, f.n) {
		i, j = int(rows[rank].index), int(columns[rank].index)
		for _, c := range columns[rank:] {
			if !f.settled(i, int(c.index)) {
				return i, int(c.index), true
			}
		}
		for _, r := range rows[rank+1:] {
			if !f.settled(int(r.index), j) {
				return int(r.index), j, true
			}
		}
	}
	return 0, 0, false
}

func (f *frame) nextLex() (i, j int, ok bool) {
	for _, r := range f.pruning.rowOrder {
		for _, c := range f.pruning.columnOrder {
			if i, j = int(r.index), int(c.index); !f.settled(i, j) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

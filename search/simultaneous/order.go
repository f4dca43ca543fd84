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
	promise float64 // Σ lower + upper of its cells, as its side sees them; -∞ if removed
	share   float64 // see record
}

// record is what the solutions so far say of one move: the mean of its
// probability times the number of legal moves, so that 1 is average.
type record struct{ sum, count float64 }

// records are those of the moves of a player, as far as something was learned.
type records []record

func (r records) share(m machine.Move) float64 {
	if int(m) >= len(r) || r[m].count == 0 {
		return 1
	}
	return r[m].sum / r[m].count
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

// sortMoves orders the moves of both players by what is known now.
func (s *solver) sortMoves(f *frame) {
	for _, who := range bothSides {
		order, moves := f.pruning.sides[who].order, f.expansion.Moves[s.role(who)]
		for k := range order {
			l := &order[k]
			l.promise, l.share = f.promise(who, int(l.index)), s.learned[who].share(moves[l.index])
		}
		slices.SortFunc(order, func(a, b line) int {
			return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(b.share, a.share), cmp.Compare(a.index, b.index))
		})
	}
}

// promise is that of action a of a side.
func (f *frame) promise(who side, a int) float64 {
	if !f.pruning.sides[who].remain[a] {
		return math.Inf(-1)
	}
	sum := 0.0
	for b, meets := range f.pruning.sides[1-who].remain {
		if meets {
			v := f.cell(who, a, b)
			sum += v.Lower + v.Upper
		}
	}
	return sum
}

// next is the first cell in the order that is not settled.
func (f *frame) next(order Order) (i, j int, ok bool) {
	rows, columns := f.pruning.sides[rowSide].order, f.pruning.sides[columnSide].order
	open := func(r, c line) bool {
		i, j = int(r.index), int(c.index)
		return !f.settled(i*f.n + j)
	}
	for rank, row := range rows {
		if order == OrderLex {
			rank = 0
		}
		if rank >= f.n {
			break
		}
		for _, column := range columns[rank:] {
			if open(row, column) {
				return i, j, true
			}
		}
		for k := rank + 1; order == OrderL && k < f.m; k++ {
			if open(rows[k], columns[rank]) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

package simultaneous

import (
	"cmp"
	"math"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The cell orders of the paper, OrderL and OrderLex: the moves of each player are
// ordered, and the cells by the ranks of their moves (section 4.3).
//
// The paper's closing question is whether the cells searched so far can order the
// moves. MovesDynamic does so: before every cell the moves are sorted by
//
//  1. the bounds of their cells: the sum of p + o over the remaining moves of the other
//     player, to which terminal children, the table and the cells searched contribute;
//  2. their mean probability in the solutions of other positions;
//  3. the order of the legal moves.
//
// The order changes which cells are searched, never a value.
//
// Invariant: let G be the matrix game with an artificial row that is worth α everywhere,
// and an artificial column that is worth β. An action is removed only if a mixture of
// remaining actions of G dominates it, so the value of G stays the value of the position,
// clamped to [α, β]. A strategy of the remaining actions guarantees its value in the
// remaining matrix against removed actions too, or α or β (see remainingValue).
//
// Cost: two linear programs for each cell searched and one or two at the end; two passes
// over the matrix and two sorts for each cell.

// listed is the state of OrderL and OrderLex in a frame.
type listed struct {
	sides                [2]actions
	mixture, bound, gain []float64 // buffers of the linear programs
}

// actions are the actions of a side.
type actions struct {
	remain []bool // by action: not removed
	left   int    // number of remaining actions
	order  []line
}

// line is a row or a column of a matrix in the order of moves.
type line struct {
	index   int32
	promise float64 // Σ lower + upper of its cells, as its side sees them; -∞ if removed
	share   float64 // see record
}

// variant changes details of SMAB, for the ablation table.
type variant struct {
	// noExit visits all cells that are not dominated, as the algorithm is printed.
	noExit bool
	// blind does not know terminal children before it visits them, as the lines of the algorithm have it.
	blind bool
}

func (b *listed) reset(m, n int) {
	b.sides[rowSide].reset(m)
	b.sides[columnSide].reset(n)
	b.mixture = scratch.Resize(b.mixture, (m+1)*(n+1))
	b.bound, b.gain = scratch.Resize(b.bound, m+n), scratch.Resize(b.gain, m+n)
}

func (a *actions) reset(n int) {
	a.remain, a.left, a.order = scratch.Resize(a.remain, n), n, a.order[:0]
	for i := range a.remain {
		a.remain[i] = true
		a.order = append(a.order, line{index: int32(i)})
	}
}

func (a *actions) remove(i int) {
	if a.remain[i] {
		a.remain[i] = false
		a.left--
	}
}

// isDecided reports whether no action of some side remains.
func (b *listed) isDecided() bool {
	return b.sides[rowSide].left == 0 || b.sides[columnSide].left == 0
}

// begin implements cellOrder.
func (b *listed) begin(s *solver, f *frame, depth int) {
	b.reset(f.m, f.n)
	if s.config.variant.blind {
		for at := range f.p {
			f.p[at], f.o[at] = 0, machine.MaxGoal
		}
	}
	s.recallAll(f)
}

// next implements cellOrder: the first cell in the order that is open, with its bounds by
// Figures 4 and 5. It removes actions that these bounds show to be dominated.
func (b *listed) next(s *solver, f *frame, depth int, alpha, beta float64) (at int, window, v search.Interval) {
	for !b.isDecided() && !s.stopped {
		if s.config.Moves == MovesDynamic {
			s.sortMoves(f)
		}
		if at = f.nextOpen(s.config.Order); at == noCell {
			break
		}
		if v, decided := s.decided(f, alpha, beta); decided {
			b.learn(s, f)
			return noCell, window, v
		}
		if window, open := b.window(s, f, at, alpha, beta); open {
			if c := f.first(at/f.n, at%f.n); s.config.variant.blind && f.k == 1 && f.expansion.Terminal[c] {
				f.p[at] = s.payoff(f.expansion.ChildGoals(c))
				f.o[at] = f.p[at]
			}
			return at, window, v
		}
	}
	v = s.remainingValue(f, alpha, beta)
	b.learn(s, f)
	return noCell, window, v
}

// window returns the bounds of Figures 4 and 5 for a cell, and removes its row or its
// column if they show it to be dominated.
func (b *listed) window(s *solver, f *frame, at int, alpha, beta float64) (window search.Interval, open bool) {
	window = anyValue()
	if !f.filled(s.config.Skip) {
		return window, true
	}
	i, j, bounds := at/f.n, at%f.n, search.Interval{Lower: alpha, Upper: beta}
	if window.Lower = s.dominanceBound(f, rowSide, i, j, bounds); window.Lower >= f.o[at] {
		b.sides[rowSide].remove(i)
		return window, false
	}
	if window.Upper = -s.dominanceBound(f, columnSide, j, i, bounds); window.Upper <= f.p[at] {
		b.sides[columnSide].remove(j)
		return window, false
	}
	return window, true
}

// reply implements cellOrder.
func (b *listed) reply(f *frame, at int, window, v search.Interval) {
	switch {
	case v.Upper <= window.Lower:
		b.sides[rowSide].remove(at / f.n)
	case v.Lower >= window.Upper:
		b.sides[columnSide].remove(at % f.n)
	default:
		f.exhaust(at)
	}
}

// decided reports whether the matrix of the remaining actions decides the position, and
// returns its value then. The security levels in pure strategies show without a linear
// program that it does not: value(P) ≤ minimax(P), value(O) ≥ maximin(O).
func (s *solver) decided(f *frame, alpha, beta float64) (search.Interval, bool) {
	if s.config.variant.noExit {
		return search.Interval{}, false
	}
	most, least := -f.security(columnSide), f.security(rowSide)
	if most < min(beta, least) && least > alpha {
		return search.Interval{}, false
	}
	v := s.remainingValue(f, alpha, beta)
	return v, isClosed(v, alpha, beta)
}

// security returns the security level of a side in pure strategies, in the optimistic
// matrix of the remaining actions as the side sees it.
func (f *frame) security(who side) float64 {
	own, replies := &f.listed.sides[who], &f.listed.sides[1-who]
	most := math.Inf(-1)
	for a, remains := range own.remain {
		if !remains {
			continue
		}
		least := math.Inf(1)
		for b, meets := range replies.remain {
			if meets {
				least = min(least, f.cell(who, a, b).Upper)
			}
		}
		most = max(most, least)
	}
	return most
}

// filled reports whether at least count rows and count columns have no open cell: the
// early bound skipping of the paper (section 5.1).
func (f *frame) filled(count int) bool {
	for _, who := range bothSides {
		full := 0
		own, replies := f.size(who)
		for a := range own {
			settled := 0
			for settled < replies && f.settled(f.at(who, a, settled)) {
				settled++
			}
			if settled == replies {
				full++
			}
		}
		if full < count {
			return false
		}
	}
	return true
}

// settled reports whether a cell is known, or an action of it removed.
func (f *frame) settled(at int) bool { return f.p[at] == f.o[at] || !f.remains(at) }

// remains reports whether both actions of a cell remain.
func (f *frame) remains(at int) bool {
	return f.listed.sides[rowSide].remain[at/f.n] && f.listed.sides[columnSide].remain[at%f.n]
}

// remainingValue returns the value of the position by the matrix of the remaining actions.
func (s *solver) remainingValue(f *frame, alpha, beta float64) search.Interval {
	rows, columns := f.listed.sides[rowSide].left, f.listed.sides[columnSide].left
	switch {
	case rows == 0:
		return search.Interval{Lower: 0, Upper: alpha}
	case columns == 0:
		return search.Interval{Lower: beta, Upper: machine.MaxGoal}
	}
	v := s.solveRemaining(f, rows, columns)
	if columns < f.n && beta < machine.MaxGoal {
		v.Lower = min(v.Lower, beta)
	}
	if rows < f.m && alpha > 0 {
		v.Upper = max(v.Upper, alpha)
	}
	return v
}

// solveRemaining solves the m×n matrix of the remaining actions from its pessimistic
// and, if cells are open, from its optimistic bounds, and writes the strategies to
// the frame.
func (s *solver) solveRemaining(f *frame, m, n int) search.Interval {
	b := &f.listed
	remaining := func(bounds []float64) []float64 {
		a := b.mixture[:0]
		for at, v := range bounds {
			if f.remains(at) {
				a = append(a, v)
			}
		}
		return a
	}
	x, y := b.bound[:m], b.gain[:n]
	v := search.Exact(s.nash(remaining(f.p), m, n, x, y, 0))
	scatter(f.x, x, b.sides[rowSide].remain)
	for at := range f.p {
		if !f.settled(at) {
			v.Upper = max(v.Lower, s.nash(remaining(f.o), m, n, nil, y, machine.MaxGoal))
			break
		}
	}
	scatter(f.y, y, b.sides[columnSide].remain)
	return v
}

// scatter writes the probabilities of the remaining actions into a strategy over
// all actions.
func scatter(dst, src []float64, remaining []bool) {
	k := 0
	for i, in := range remaining {
		dst[i] = 0
		if in {
			dst[i] = src[k]
			k++
		}
	}
}

// record is the sum, over solutions, of the probability of one move times the number of
// legal moves, and the number of these solutions. So the mean of a move is 1 on average.
type record struct{ sum, count float64 }

// records holds the record of each move of a player.
type records []record

func (r records) share(m machine.Move) float64 {
	if int(m) >= len(r) || r[m].count == 0 {
		return 1
	}
	return r[m].sum / r[m].count
}

// learn adds the strategies of the frame to the records of both players' moves.
func (b *listed) learn(s *solver, f *frame) {
	if s.stopped || b.isDecided() {
		return
	}
	for _, who := range bothSides {
		s.learned[who].learn(f.expansion.Moves[s.role(who)], f.strategy(who))
	}
}

// learn adds one solution: the probabilities of the legal moves.
func (r *records) learn(moves []machine.Move, probabilities []float64) {
	for i, m := range moves {
		if missing := int(m) + 1 - len(*r); missing > 0 {
			*r = append(*r, make(records, missing)...)
		}
		(*r)[m].sum += probabilities[i] * float64(len(moves))
		(*r)[m].count++
	}
}

// sortMoves sorts the moves of both players, see MovesDynamic.
func (s *solver) sortMoves(f *frame) {
	for _, who := range bothSides {
		order, moves := f.listed.sides[who].order, f.expansion.Moves[s.role(who)]
		for k := range order {
			l := &order[k]
			l.promise, l.share = f.promise(who, int(l.index)), s.learned[who].share(moves[l.index])
		}
		slices.SortFunc(order, func(a, b line) int {
			return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(b.share, a.share), cmp.Compare(a.index, b.index))
		})
	}
}

// promise returns the sum of the bounds of the cells of action a of a side.
func (f *frame) promise(who side, a int) float64 {
	if !f.listed.sides[who].remain[a] {
		return math.Inf(-1)
	}
	sum := 0.0
	for b, meets := range f.listed.sides[1-who].remain {
		if meets {
			v := f.cell(who, a, b)
			sum += v.Lower + v.Upper
		}
	}
	return sum
}

// nextOpen returns the first cell in the order that can be searched, or noCell.
func (f *frame) nextOpen(order Order) int {
	rows, columns := f.listed.sides[rowSide].order, f.listed.sides[columnSide].order
	for rank, row := range rows {
		if order == OrderLex {
			rank = 0
		}
		if rank >= f.n {
			break
		}
		for _, column := range columns[rank:] {
			if at := f.cellOf(row, column); f.isOpen(at) {
				return at
			}
		}
		for k := rank + 1; order == OrderL && k < f.m; k++ {
			if at := f.cellOf(rows[k], columns[rank]); f.isOpen(at) {
				return at
			}
		}
	}
	return noCell
}

func (f *frame) cellOf(row, column line) int { return int(row.index)*f.n + int(column.index) }

// isOpen reports whether the search of a cell can change anything.
func (f *frame) isOpen(at int) bool { return !f.settled(at) && !f.isExhausted(at) }

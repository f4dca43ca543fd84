package simultaneous

import (
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Simultaneous Move Alpha-Beta (SMAB): Saffidine, Finnsson and Buro, "Alpha-Beta
// Pruning for Games with Simultaneous Moves" (2012). Line numbers refer to the
// paper's Algorithm 1, figure numbers to the paper.
//
// SMAB searches a position q in a window (α, β), depth first. Each cell (i, j) of the
// matrix of q, the position after both moves, has a pessimistic bound p(i, j) and an
// optimistic bound o(i, j); P and O are the matrices of these bounds. One node takes nine
// steps, which the functions value, open, smab and cell below number:
//
//	step                 Algorithm 1                           file
//	1 table              not in the paper                      memory.go, symmetry.go
//	2 horizon            not in the paper                      deepen.go
//	3 forced moves       lines 2 and 3: a terminal position    this file
//	4 expand             lines 5 to 10: P and O by the rules   solver.go (fill)
//	5 order              line 11: the next cell (a, b)         best.go, listed.go (next)
//	6 window and search  lines 12 to 20: α(a, b) and β(a, b)   best.go, dominance.go; chance.go
//	7 combine            lines 21 to 28: dominated, or known   best.go, listed.go (reply)
//	8 cut                line 32: the equilibria of P and O    best.go, listed.go (next)
//	9 store              not in the paper                      memory.go
//
// The other methods (induction.go, serialized.go, sequenceform.go) take the place of steps
// 5 to 8. Several threads divide the cells of a position: crew.go.
//
// The order of the cells decides how much is pruned (section 4.3, Figure 6). Each order
// has the form of Figures 4 and 5 that fits it:
//
//   - OrderL and OrderLex (listed.go) are known in advance. α(a, b) is the maximum of
//     Figure 4: the greatest value of the cell at which a mixture of other rows dominates
//     row a. A reply of at most α(a, b) removes row a for good. Two linear programs a cell.
//   - OrderBest (best.go) visits the cell where the optimistic strategies of both players
//     meet most. Duality makes the maximum of Figure 4 a minimum over strategies y of the
//     column player: of o(a, b) − ((Oy)(a) − v⁻)/y(b), v⁻ being the most that a row brings
//     in Py, or α if that is more. OrderBest takes the y of the equilibrium of P, which it
//     has to solve anyway. So its window is at least as narrow, and costs no linear
//     program. A reply of at most that bound leaves row a no better response to y than
//     the rows of P's equilibrium: the row stays, and y changes.
//
// All orders stop as soon as value(P) and value(O) decide the window: line 32 returns
// both, an interval that contains the value. That is not in the paper, whose algorithm
// visits all cells that are not dominated.
//
// Theorem (2.–4. of the paper): the interval contains the value of q, and it is a single
// number, up to Config.Epsilon, or lies at or below α, or at or above β. Exceptions: the
// search is stopped, or cut at the horizon of a game whose positions repeat (deepen.go);
// then the interval contains the value, and may be wider.

// cellOrder is an order of the cells of a matrix with the pruning that fits it.
type cellOrder interface {
	// begin fills in the bounds that are known of the cells of f.
	begin(s *solver, f *frame, depth int)
	// next returns the next cell and the window in which its value counts. It returns no
	// cell, and the value of the position, if the known cells decide it, if no cell is
	// left to search, or if the search is stopped.
	next(s *solver, f *frame, depth int, alpha, beta float64) (at int, window search.Interval, value search.Interval)
	// reply takes the bounds v of a cell that was searched in a window.
	reply(f *frame, at int, window, v search.Interval)
}

// noCell is the number of no cell.
const noCell = -1

// order returns the cell order of the configuration, for a frame.
func (s *solver) order(f *frame) cellOrder {
	if s.config.Order == OrderBest {
		return &f.best
	}
	return &f.listed
}

// method computes the value of the position in a frame, as far as it counts
// in the window: the returned interval contains the value, and it is a single
// number, or lies at or above beta, or at or below alpha, unless the search was
// stopped, or cut at a horizon.
type method func(s *solver, f *frame, depth int, alpha, beta float64) search.Interval

// value searches position q with the method of the search.
func (s *solver) value(depth int, q machine.State, alpha, beta float64) search.Interval {
	// 1 table: bounds of an earlier search of the position.
	known := search.GoalRange
	if s.memory != nil {
		if v, ok := s.memory.lookup(q); ok {
			if known = v; s.isCloseEnough(known, alpha, beta) {
				s.counters.TableHits++
				return known
			}
		}
	}
	// 2 horizon: a position that repeats, or the depth of the iteration.
	if s.stops(depth) || s.horizon == nil && s.repeats(depth, q) || s.horizon != nil && s.cuts(depth, q) {
		return known
	}
	if s.horizon != nil && s.horizon.wide {
		alpha, beta = anyValue().Lower, anyValue().Upper
	}
	before := s.counters.Nodes
	if s.serialized != nil {
		if known = s.serialize(depth, q, known, alpha, beta); isClosed(known, alpha, beta) {
			return known
		}
	}
	window := search.Interval{Lower: max(alpha, known.Lower), Upper: min(beta, known.Upper)}
	if s.horizon != nil && s.config.Order != OrderBest {
		window = anyValue() // an artificial action has no strategy that could be recorded
	}
	if s.crew != nil {
		s.path = append(s.path, question{q, alpha, beta})
	}
	// 3 forced moves and 4 expand.
	f, v, open := s.open(depth, q)
	if open { // 5 to 8
		s.counters.Nodes++
		v = s.method(s, f, depth, window.Lower, window.Upper)
		if s.horizon != nil && (v.Lower > known.Lower || v.Upper < known.Upper) {
			v = s.improve(f, v)
		}
		v = meet(v, known)
	}
	if s.crew != nil {
		if s.outrun > 0 {
			v = s.caughtUp(v)
		}
		s.path = s.path[:len(s.path)-1]
	}
	// 9 store.
	if s.memory != nil {
		s.memory.store(q, v, s.counters.Nodes-before)
	}
	if s.horizon != nil {
		s.noteSearch(depth, q, v != known, s.isCloseEnough(v, alpha, beta))
	}
	return v
}

// open expands position q into the frame of its depth, passing through
// positions where nobody has a choice. It returns false, and the value, if that
// leads to a terminal position, and false and the range of the game if the
// search stopped. A frame that holds q already is not expanded again: the
// serialized searches of a position precede the search proper.
func (s *solver) open(depth int, q machine.State) (*frame, search.Interval, bool) {
	if depth == len(s.frames) {
		s.frames = append(s.frames, &frame{})
	}
	f := s.frames[depth]
	e := &f.expansion
	if len(f.position) > 0 && f.position.Equal(q) {
		s.fill(f)
		return f, search.GoalRange, true
	}
	f.position, f.through = f.position[:0], f.through[:0]
	key := q
	for step := range search.MaxPlies {
		if s.poll(); s.unwinds() {
			return nil, search.GoalRange, false
		}
		if err := s.expander.Expand(e, q); err != nil {
			s.giveUp(err, q)
			return nil, search.GoalRange, false
		}
		if e.Children > 1 {
			f.layOut(s.row, s.column, s.chance)
			s.rounded, s.actions = s.rounded || f.k > 1, max(s.actions, f.m+f.n)
			f.position = append(f.position[:0], key...)
			s.fill(f)
			return f, search.GoalRange, true
		}
		if e.Terminal[0] {
			return nil, search.Exact(s.payoff(e.ChildGoals(0))), false
		}
		f.through = append(f.through[:0], e.Child(0)...)
		if f.circle.Repeats(step, f.through) {
			break
		}
		q = f.through
	}
	if depth > 0 && s.deepens() {
		s.foundRepetition()
	} else {
		s.stop(errTooDeep)
	}
	return nil, search.GoalRange, false
}

// smab implements the method SMAB.
func (s *solver) smab(f *frame, depth int, alpha, beta float64) search.Interval {
	order := s.order(f)
	order.begin(s, f, depth) // 4 expand: bounds of the children from the table
	for {
		// 5 order, 6 window, and 8 cut: no cell is left that matters.
		at, window, v := order.next(s, f, depth, alpha, beta)
		if at == noCell {
			return v
		}
		// 6 search: a window that is empty asks on which side of it the value lies (line 20).
		v = s.cell(f, depth, at/f.n, at%f.n, window.Lower, max(window.Upper, window.Lower+s.config.Epsilon+nullWindow))
		// 7 combine.
		order.reply(f, at, window, v)
	}
}

// cell searches cell (i, j) of a frame and tightens its bounds.
func (s *solver) cell(f *frame, depth, i, j int, alpha, beta float64) search.Interval {
	at := i*f.n + j
	v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
	if s.isCloseEnough(v, alpha, beta) {
		return v
	}
	if s.crew != nil {
		h := s.hash(f, at)
		s.crew.busy.Enter(h)
		defer s.crew.busy.Leave(h)
	}
	v = meet(s.children(f, i, j, alpha, beta, func(q machine.State, a, b float64) search.Interval {
		return s.value(depth+1, q, a, b)
	}), v)
	f.p[at], f.o[at] = v.Lower, v.Upper
	if depth == 0 && s.limits.Progress != nil && time.Since(s.reported) >= reportEvery {
		s.report(f)
		s.reported = time.Now()
	}
	return v
}

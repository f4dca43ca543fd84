package simultaneous

import (
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// The cell order OrderBest: best-first search of the matrix. The next cell is the one where
// the optimistic strategies of both players meet most.
//
// Let v⁻ be the value of the pessimistic matrix P, with the equilibrium strategy
// y of the column player, and v⁺ the value of the optimistic matrix O, with the
// equilibrium strategy x of the row player. The value of the position is in
// [v⁻, v⁺]. If every cell in which x and y meet were known, then
//
//	v⁺ ≤ min over columns of xO ≤ xOy = xPy ≤ max over rows of Py ≤ v⁻
//
// and the position would be solved. So as long as it is not, there is an open
// cell in the supports of both x and y, and no other cell needs to be known. The cell with
// the greatest share x·y·(o-p) of the gap is searched next.
//
// The window of the search follows from the same strategies. The regret of row i, the gain
// of playing it against y, is at most (Oy)(i) - v⁻. It falls to 0 if cell (i, j) is worth
// at most o - regret(i)/y(j): Figure 4 of the paper at this y (smab.go); and so for the
// column. The window of the position replaces v⁻ or v⁺ where it is narrower.
//
// With a tolerance ε, bounds no further apart than ε count as equal, at every
// level alike: if all cells where x and y meet are known up to ε, then
// v⁺ ≤ xOy ≤ xPy + ε ≤ v⁻ + ε.
//
// Most rows and columns never matter. So cells are looked up a line at a time, when a
// strategy first plays it: these actions are the candidates. P is the matrix of the
// candidate rows against all columns, O the matrix of all rows against the candidate
// columns; their values still are a lower and an upper bound. Before a cell is searched,
// the best response to each strategy among the other actions becomes a candidate if it is
// better than the candidates. So x and y are optimal among all actions, and the cells
// searched are the same as if all cells had been looked up. The search of a
// position begins with the supports of the last position of the same ply.
//
// Invariant: P ≤ values ≤ O; every step narrows a cell, adds a candidate, or exhausts a
// cell. Cost: one or two matrix games for each step, of candidates × replies.

// smallMatrix is the number of cells up to which all actions are candidates from the
// beginning: to look up so few takes less time than matrix games take to choose.
const smallMatrix = 36

// best is the state of OrderBest in a frame.
type best struct {
	sides  [2]candidates
	missed int // the cell whose last search narrowed nothing, or noCell
}

// candidates are the actions of a side whose cells were looked up.
type candidates struct {
	list        []int     // candidates, in the order of their addition
	place       []int     // by action: its index in the list, or -1
	pessimistic []float64 // candidate × reply: pessimistic bounds of the cells, as the side sees them
	stale       bool      // pessimistic has changed since it was solved
	value       float64   // value of pessimistic, as the side sees it
	strategy    []float64 // by candidate: the equilibrium strategy of pessimistic
	optimistic  []float64 // by action: the equilibrium strategy of the other side's pessimistic
	regret      []float64 // by candidate: gain at most over the value against the other side's optimistic strategy

	lastSupport []machine.Move // candidates of positive probability in the last position of the frame
}

// reset forgets the candidates.
func (b *best) reset(f *frame) {
	b.missed = noCell
	for _, who := range bothSides {
		c := &b.sides[who]
		own, _ := f.size(who)
		c.list, c.pessimistic, c.stale = c.list[:0], c.pessimistic[:0], false
		c.place, c.optimistic = scratch.Resize(c.place, own), scratch.Resize(c.optimistic, own)
		for a := range c.place {
			c.place[a] = -1
		}
	}
}

// isStale reports whether a matrix has to be solved.
func (b *best) isStale() bool { return b.sides[rowSide].stale || b.sides[columnSide].stale }

// interval returns the values of both pessimistic matrices as bounds of the position.
func (b *best) interval() search.Interval {
	lower := b.sides[rowSide].value
	return search.Interval{Lower: lower, Upper: max(lower, 0-b.sides[columnSide].value)}
}

// begin implements cellOrder. The first candidates are all actions of a small matrix, else the
// support of the last position of the frame.
func (b *best) begin(s *solver, f *frame, depth int) {
	b.reset(f)
	for _, who := range bothSides {
		c := &b.sides[who]
		c.value = who.fromRow(search.GoalRange).Lower
		playFirst(f.strategy(who))
		for a, m := range f.expansion.Moves[s.role(who)] {
			if f.m*f.n <= smallMatrix || slices.Contains(c.lastSupport, m) {
				c.add(a)
			}
		}
		if who == columnSide && len(c.list) == 0 {
			c.add(0)
		}
		s.lookUp(f, depth, who, 0)
	}
}

// next implements cellOrder.
func (b *best) next(s *solver, f *frame, depth int, alpha, beta float64) (at int, window, v search.Interval) {
	if b.missed != noCell && !s.unwinds() {
		// The reply missed the window by rounding, or at the horizon: ask for the value.
		return b.missed, anyValue(), v
	}
	for {
		if s.balance(f, depth, alpha, beta) {
			break
		}
		if !b.isStale() {
			s.addBestResponse(f, depth, rowSide)
			s.addBestResponse(f, depth, columnSide)
		}
		if s.unwinds() {
			break
		}
		if b.isStale() {
			continue
		}
		v = b.interval()
		f.measureRegret(rowSide, max(v.Lower, alpha))
		f.measureRegret(columnSide, 0-min(v.Upper, beta))
		at = s.widest(f)
		if at == noCell && len(f.exhausted) > 0 {
			if s.addAll(f, depth); b.isStale() {
				continue
			}
			at = s.widestOf(f, false, true)
		}
		if at != noCell {
			return at, s.cellWindow(f, at), v
		}
		if s.horizon == nil {
			// Only rounding keeps the bounds further apart than the tolerance.
			v.Upper = min(v.Upper, v.Lower+s.config.Epsilon)
		}
		b.keepSupport(s, f)
		return noCell, window, v
	}
	b.keepSupport(s, f)
	return noCell, window, b.interval()
}

// balance solves the matrices that have changed, and makes the supports of the optimistic
// strategies candidates. It reports whether the values are close enough.
func (s *solver) balance(f *frame, depth int, alpha, beta float64) bool {
	for _, who := range [2]side{columnSide, rowSide} {
		if !f.best.sides[who].stale {
			continue
		}
		s.solvePessimistic(f, who)
		if s.isCloseEnough(f.best.interval(), alpha, beta) {
			return true
		}
		s.addSupport(f, depth, 1-who)
	}
	return false
}

// reply implements cellOrder. A cell that two searches did not narrow is exhausted.
func (b *best) reply(f *frame, at int, _, _ search.Interval) {
	b.sides[rowSide].update(at/f.n, at%f.n, f.n, f.p[at])
	b.sides[columnSide].update(at%f.n, at/f.n, f.m, 0-f.o[at])
	switch {
	case b.isStale():
		b.missed = noCell
	case b.missed == at:
		b.missed = noCell
		f.exhaust(at)
	default:
		b.missed = at
	}
}

// update changes the pessimistic bound of the cell of candidate a and reply b.
func (c *candidates) update(a, b, replies int, pessimistic float64) {
	if v := &c.pessimistic[c.place[a]*replies+b]; *v != pessimistic {
		*v, c.stale = pessimistic, true
	}
}

// keepSupport keeps the supports of both strategies for the next position of the frame.
func (b *best) keepSupport(s *solver, f *frame) {
	if f.m*f.n <= smallMatrix {
		return
	}
	for _, who := range bothSides {
		c := &b.sides[who]
		c.lastSupport = c.lastSupport[:0]
		for _, a := range c.list {
			if f.strategy(who)[a] > 0 {
				c.lastSupport = append(c.lastSupport, f.expansion.Moves[s.role(who)][a])
			}
		}
	}
}

// addSupport makes the support of a side's optimistic strategy candidates.
func (s *solver) addSupport(f *frame, depth int, who side) {
	c := &f.best.sides[who]
	before := len(c.list)
	for a, x := range c.optimistic {
		if x > 0 && c.place[a] < 0 {
			c.add(a)
		}
	}
	s.lookUp(f, depth, who, before)
}

// addAll makes all actions candidates.
func (s *solver) addAll(f *frame, depth int) {
	for _, who := range bothSides {
		c := &f.best.sides[who]
		before := len(c.list)
		for a, place := range c.place {
			if place < 0 {
				c.add(a)
			}
		}
		s.lookUp(f, depth, who, before)
	}
}

func (c *candidates) add(a int) {
	c.place[a], c.stale = len(c.list), true
	c.list = append(c.list, a)
}

// lookUp looks up the cells of the candidates from index first on.
func (s *solver) lookUp(f *frame, depth int, who side, first int) {
	c, other := &f.best.sides[who], &f.best.sides[1-who]
	s.cells = s.cells[:0]
	for _, a := range c.list[first:] {
		for b, place := range other.place {
			if place < 0 {
				s.cells = append(s.cells, f.cellAt(who, a, b))
			}
		}
	}
	s.recall(f, s.cells)
	if s.serialized != nil {
		for _, c := range s.cells {
			s.boundCell(f, depth, c.at)
		}
	}
	for _, a := range c.list[first:] {
		if who == rowSide {
			c.pessimistic = append(c.pessimistic, f.p[a*f.n:][:f.n]...)
			continue
		}
		for at := a; at < len(f.o); at += f.n {
			c.pessimistic = append(c.pessimistic, 0-f.o[at])
		}
	}
}

// solvePessimistic computes the value and the strategy of a side in its pessimistic matrix,
// and the optimistic strategy of the other side.
func (s *solver) solvePessimistic(f *frame, who side) {
	c, x := &f.best.sides[who], f.strategy(who)
	_, replies := f.size(who)
	c.stale, c.strategy = false, scratch.Resize(c.strategy, len(c.list))
	optimistic := f.best.sides[1-who].optimistic
	c.value = s.nash(c.pessimistic, len(c.list), replies, c.strategy, optimistic, who.fromRow(search.GoalRange).Lower)
	clear(x)
	for k, a := range c.list {
		x[a] = c.strategy[k]
	}
}

// addBestResponse makes a side's best response to the other side's optimistic strategy a
// candidate, if it is better than all candidates.
func (s *solver) addBestResponse(f *frame, depth int, who side) {
	c, other := &f.best.sides[who], &f.best.sides[1-who]
	most, response := c.value+margin, -1
	for a, place := range c.place {
		if place >= 0 {
			continue
		}
		sum := 0.0
		for _, b := range other.list {
			sum += other.optimistic[b] * f.cell(who, a, b).Lower
		}
		if sum > most {
			most, response = sum, a
		}
	}
	if response >= 0 {
		c.add(response)
		s.lookUp(f, depth, who, c.place[response])
	}
}

// measureRegret computes the regret of a side's candidates for a value.
func (f *frame) measureRegret(who side, value float64) {
	c, other := &f.best.sides[who], &f.best.sides[1-who]
	c.regret = scratch.Resize(c.regret, len(c.list))
	for k := range c.regret {
		c.regret[k] = 0 - value
	}
	for l, b := range other.list {
		if y := other.optimistic[b]; y > 0 {
			row := other.pessimistic[l*len(c.place):] // minus the side's optimistic bounds
			for k, a := range c.list {
				c.regret[k] -= y * row[a]
			}
		}
	}
}

// widest returns the open cell with the greatest share of the gap between the bounds, or
// noCell if the strategies meet only in cells that are known up to epsilon or exhausted. In
// a crew it is a cell that no other worker is in, if there is any.
func (s *solver) widest(f *frame) int {
	if s.crew != nil {
		if at := s.widestOf(f, true, false); at != noCell {
			return at
		}
	}
	return s.widestOf(f, false, false)
}

// widestOf does so with conditions. Apart leaves out the cells that another worker is in.
// Either takes the cells that one of the strategies plays: where x and y meet in exhausted
// cells alone, these cells may still change the values. A cell that neither x nor y plays
// changes neither value(P), since y still holds, nor value(O), since x does.
func (s *solver) widestOf(f *frame, apart, either bool) int {
	rows, columns := &f.best.sides[rowSide], &f.best.sides[columnSide]
	least := margin + s.config.Epsilon // regret that counts
	most, at := 0.0, noCell
	for k, i := range rows.list {
		x := rows.optimistic[i]
		if x == 0 && !either {
			continue
		}
		for l, j := range columns.list {
			c, y := i*f.n+j, columns.optimistic[j]
			width := f.o[c] - f.p[c]
			counts := y > 0 && rows.regret[k] > least || x > 0 && columns.regret[l] > least
			if width <= s.config.Epsilon || !counts || f.isExhausted(c) {
				continue
			}
			share := x * y * width
			if either {
				share = (x + y) * width
			}
			if share > most && !(apart && s.isElsewhere(f, c)) {
				most, at = share, c
			}
		}
	}
	return at
}

// cellWindow returns the window in which the value of a cell counts.
func (s *solver) cellWindow(f *frame, at int) search.Interval {
	rows, columns := &f.best.sides[rowSide], &f.best.sides[columnSide]
	i, j := at/f.n, at%f.n
	w := anyValue()
	x, y, least := rows.optimistic[i], columns.optimistic[j], margin+s.config.Epsilon
	if regret := rows.regret[rows.place[i]]; y > 0 && regret > least {
		w.Lower = exact.Snap(f.o[at] - regret/y)
	}
	if regret := columns.regret[columns.place[j]]; x > 0 && regret > least {
		w.Upper = exact.Snap(f.p[at] + regret/x)
	}
	return w
}

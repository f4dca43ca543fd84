package simultaneous

import (
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Best-first search of the matrix: the cells are not visited in an order given
// in advance, but where the optimistic strategies of both players meet.
//
// Let v⁻ be the value of the pessimistic matrix P, with the equilibrium strategy
// y of the column player, and v⁺ the value of the optimistic matrix O, with the
// equilibrium strategy x of the row player. The value of the position is in
// [v⁻, v⁺]. If every cell in which x and y meet were known, then
//
//	v⁺ ≤ min over columns of xO ≤ xOy = xPy ≤ max over rows of Py ≤ v⁻
//
// and the position would be solved. So as long as it is not, there is an unknown
// cell that both x and y play, and nothing outside of those cells needs to be
// known. The one with the greatest share x·y·(o-p) of the gap is searched next.
//
// The window of the search follows from the same strategies: row i is worth at
// most Oy, and if that falls to v⁻ the row can raise the value no more. Cell
// (i, j) achieves that alone if it is worth no more than o - (Oy-v⁻)/y; and so
// for the column. The window of the position replaces v⁻ or v⁺ where it is
// narrower.
//
// With a tolerance ε, bounds no further apart than ε count as met, at every
// level alike: if all cells where x and y meet are known up to ε, then
// v⁺ ≤ xOy ≤ xPy + ε ≤ v⁻ + ε.
//
// Most rows and columns never matter. So cells are looked up a line at a time, when a
// strategy first plays it: those actions are the candidates. P is the matrix of the
// candidate rows against all columns, O that of all rows against the candidate columns,
// which is still a lower and an upper bound of the value. Before a cell is searched, the
// best response to each strategy among the other actions becomes a candidate if it is
// better than these, so that x and y are optimal among all actions: what is
// searched is what would be if all cells had been looked up at first. The search of a
// position begins with the actions that were played in the last one of the same ply.
//
// Invariant: P ≤ values ≤ O; every step narrows a cell or adds a candidate. Cost: one or
// two matrix games for each step, of candidates × replies.
//
// Double oracle with serialized alpha-beta (Bošanský, Lisý, Lanctot, Čermák and
// Winands, 2016, section 4.3) is the same with bounds by serialized alpha-beta
// (serialized.go) of the cells that are looked up.

// margin is what a row or column must gain, in goal points, to count as better: eight
// steps of the grid (frame.go), above the usual error of the matrix engine and about
// its error at worst.
const margin = 1.0 / (1 << 27)

// smallMatrix is the number of cells up to which all actions are candidates from the
// beginning: so few are looked up in less time than matrix games take to choose.
const smallMatrix = 36

// cellChoice is what best-first search keeps of a frame, to choose the next cell.
type cellChoice [2]candidates

// candidates are those actions of a side whose cells were looked up.
type candidates struct {
	list  []int     // in the order in which they came
	place []int     // by action: that in the list, or -1
	sure  []float64 // candidate × reply: the pessimistic bounds of the cells, as the side sees them
	stale bool      // this matrix has changed since it was solved
	level float64   // its value: what the side is sure of
	mix   []float64 // by candidate: the strategy that achieves it
	hope  []float64 // by action: the strategy in the matrix of the other side
	gap   []float64 // by candidate: what it could gain over the level against the hope of the other side

	played []machine.Move // in the last position of the frame
}

// reset forgets the candidates.
func (b *cellChoice) reset(f *frame) {
	for _, who := range bothSides {
		c := &b[who]
		own, _ := f.size(who)
		c.list, c.sure, c.stale = c.list[:0], c.sure[:0], false
		c.place, c.hope = scratch.Resize(c.place, own), scratch.Resize(c.hope, own)
		for a := range c.place {
			c.place[a] = -1
		}
	}
}

// isStale tells whether a matrix has to be solved.
func (b *cellChoice) isStale() bool { return b[rowSide].stale || b[columnSide].stale }

// interval is what the levels prove.
func (b *cellChoice) interval() search.Interval {
	lower := b[rowSide].level
	return search.Interval{Lower: lower, Upper: max(lower, 0-b[columnSide].level)}
}

// bestFirst is the methods BestFirst and DoubleOracle.
func (s *solver) bestFirst(f *frame, depth int, alpha, beta float64) search.Interval {
	f.choice.reset(f)
	s.guess(f, depth)
	v := s.close(f, depth, alpha, beta)
	for _, who := range bothSides {
		if c := &f.choice[who]; f.m*f.n > smallMatrix {
			c.played = c.played[:0]
			for _, a := range c.list {
				if f.strategy(who)[a] > 0 {
					c.played = append(c.played, f.expansion.Moves[s.role(who)][a])
				}
			}
		}
	}
	return v
}

// close searches cells until the levels are close enough.
func (s *solver) close(f *frame, depth int, alpha, beta float64) search.Interval {
	b := &f.choice
	for {
		for _, who := range [2]side{columnSide, rowSide} {
			if !b[who].stale {
				continue
			}
			s.secure(f, who)
			if s.isCloseEnough(b.interval(), alpha, beta) {
				return b.interval()
			}
			s.addHopes(f, depth, 1-who)
		}
		if !b.isStale() {
			s.respond(f, depth, rowSide)
			s.respond(f, depth, columnSide)
		}
		v := b.interval()
		switch {
		case s.unwinds():
			return v
		case b.isStale():
			continue
		}
		f.measure(rowSide, max(v.Lower, alpha))
		f.measure(columnSide, 0-min(v.Upper, beta))
		at := s.widest(f)
		if at < 0 {
			// Only rounding keeps the bounds further apart than the tolerance.
			v.Upper = min(v.Upper, v.Lower+s.config.Epsilon)
			return v
		}
		low, high := s.cellWindow(f, at)
		if s.narrow(f, depth, at, low, high); !b.isStale() {
			// The reply missed the window by rounding: ask for the value.
			s.narrow(f, depth, at, s.config.Low-1, s.config.High+1)
		}
	}
}

// guess finds the first candidates: in an anytime search those of the last iteration, else
// all actions of a small matrix, and those that were played in the last position of the
// frame. At first all bounds of an anytime search are alike and tell nothing, so that it
// searches the likeliest cell at once.
func (s *solver) guess(f *frame, depth int) {
	anticipated := s.horizon != nil && s.anticipate(f)
	for _, who := range bothSides {
		c := &f.choice[who]
		c.level = who.sees(s.unknown()).Lower
		playFirst(f.strategy(who))
		for a, m := range f.expansion.Moves[s.role(who)] {
			hoped := anticipated && c.hope[a] > 0 || !anticipated && slices.Contains(c.played, m)
			if hoped || f.m*f.n <= smallMatrix {
				c.add(a)
			}
		}
		if who == columnSide && len(c.list) == 0 {
			c.add(0) // to begin with
		}
		s.lookUp(f, depth, who, 0)
	}
	if anticipated {
		if at := s.likeliest(f); at >= 0 {
			s.narrow(f, depth, at, s.config.Low-1, s.config.High+1)
		}
	}
}

// addHopes makes the actions that a side hopes for candidates.
func (s *solver) addHopes(f *frame, depth int, who side) {
	c := &f.choice[who]
	before := len(c.list)
	for a, x := range c.hope {
		if x > 0 && c.place[a] < 0 {
			c.add(a)
		}
	}
	s.lookUp(f, depth, who, before)
}

func (c *candidates) add(a int) {
	c.place[a], c.stale = len(c.list), true
	c.list = append(c.list, a)
}

// lookUp looks up the cells of the candidates from number first on.
func (s *solver) lookUp(f *frame, depth int, who side, first int) {
	c, other := &f.choice[who], &f.choice[1-who]
	s.cells = s.cells[:0]
	for _, a := range c.list[first:] {
		for b, place := range other.place {
			if place < 0 {
				s.cells = append(s.cells, f.cellAt(who, a, b))
			}
		}
	}
	s.recall(f, depth, s.cells)
	if s.serialized != nil {
		for _, c := range s.cells {
			s.boundCell(f, depth, c.at)
		}
	}
	for _, a := range c.list[first:] {
		if who == rowSide {
			c.sure = append(c.sure, f.p[a*f.n:][:f.n]...)
			continue
		}
		for at := a; at < len(f.o); at += f.n {
			c.sure = append(c.sure, 0-f.o[at])
		}
	}
}

// secure computes what a side is sure of, and what the other one hopes for.
func (s *solver) secure(f *frame, who side) {
	c, x := &f.choice[who], f.strategy(who)
	_, replies := f.size(who)
	c.stale, c.mix = false, scratch.Resize(c.mix, len(c.list))
	c.level = s.nash(c.sure, len(c.list), replies, c.mix, f.choice[1-who].hope, who.sees(s.unknown()).Lower)
	clear(x)
	for k, a := range c.list {
		x[a] = c.mix[k]
	}
}

// respond makes that action of a side a candidate which is the best response to the hope
// of the other one, if it is better than all candidates.
func (s *solver) respond(f *frame, depth int, who side) {
	c, other := &f.choice[who], &f.choice[1-who]
	best, response := c.level+margin, -1
	for a, place := range c.place {
		if place >= 0 {
			continue
		}
		sum := 0.0
		for _, b := range other.list {
			sum += other.hope[b] * f.cell(who, a, b).Lower
		}
		if sum > best {
			best, response = sum, a
		}
	}
	if response >= 0 {
		c.add(response)
		s.lookUp(f, depth, who, c.place[response])
	}
}

// narrow searches a cell of two candidates.
func (s *solver) narrow(f *frame, depth, at int, low, high float64) {
	i, j := at/f.n, at%f.n
	if s.crew != nil {
		h := s.hash(f, at)
		s.crew.busy.Enter(h)
		defer s.crew.busy.Leave(h)
	}
	s.cell(f, depth, i, j, low, high)
	f.choice[rowSide].update(i, j, f.n, f.p[at])
	f.choice[columnSide].update(j, i, f.m, 0-f.o[at])
}

// update changes the cell of candidate a and one of so many replies.
func (c *candidates) update(a, b, replies int, sure float64) {
	if v := &c.sure[c.place[a]*replies+b]; *v != sure {
		*v, c.stale = sure, true
	}
}

// measure computes what each candidate of a side could gain over a level against what the
// other one hopes for.
func (f *frame) measure(who side, level float64) {
	c, other := &f.choice[who], &f.choice[1-who]
	c.gap = scratch.Resize(c.gap, len(c.list))
	for k := range c.gap {
		c.gap[k] = 0 - level
	}
	for l, b := range other.list {
		if hope := other.hope[b]; hope > 0 {
			sure := other.sure[l*len(c.place):]
			for k, a := range c.list {
				c.gap[k] -= hope * sure[a] // what the other one is not sure of, the side could have
			}
		}
	}
}

// widest is the unknown cell with the greatest share of the gap between the
// bounds, or -1 if they meet only in cells that are known up to epsilon. In a crew it is
// one that nobody else is in, if there is any.
func (s *solver) widest(f *frame) int {
	rows, columns := &f.choice[rowSide], &f.choice[columnSide]
	share := func(k, l int, width float64) float64 {
		if max(rows.gap[k], columns.gap[l]) <= margin+s.config.Epsilon {
			return 0
		}
		return width
	}
	if s.crew != nil {
		if at := s.mostOf(f, share, true); at >= 0 {
			return at
		}
	}
	return s.mostOf(f, share, false)
}

// likeliest is the unknown cell that the hopes of both sides play most often, or -1.
func (s *solver) likeliest(f *frame) int {
	return s.mostOf(f, func(int, int, float64) float64 { return 1 }, false)
}

// mostOf is the unknown cell with the greatest product of both hopes and a weight, which
// follows from the candidates and the width of the cell; -1 if there is none. Apart means
// that another worker must not be in it.
func (s *solver) mostOf(f *frame, weight func(k, l int, width float64) float64, apart bool) int {
	rows, columns := &f.choice[rowSide], &f.choice[columnSide]
	best, at := 0.0, -1
	for k, i := range rows.list {
		x := rows.hope[i]
		if x == 0 {
			continue
		}
		for l, j := range columns.list {
			c := i*f.n + j
			width := f.o[c] - f.p[c]
			if width <= s.config.Epsilon {
				continue
			}
			if share := x * columns.hope[j] * weight(k, l, width); share > best && !(apart && s.isElsewhere(f, c)) {
				best, at = share, c
			}
		}
	}
	return at
}

// cellWindow is the window in which the value of a cell decides something.
func (s *solver) cellWindow(f *frame, at int) (low, high float64) {
	rows, columns := &f.choice[rowSide], &f.choice[columnSide]
	i, j := at/f.n, at%f.n
	low, high = s.config.Low-1, s.config.High+1
	if gap := rows.gap[rows.place[i]]; gap > margin+s.config.Epsilon {
		low = snap(f.o[at] - gap/columns.hope[j])
	}
	if gap := columns.gap[columns.place[j]]; gap > margin+s.config.Epsilon {
		high = snap(f.p[at] + gap/rows.hope[i])
	}
	return low, max(high, low+s.config.Epsilon+window)
}

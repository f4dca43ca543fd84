package simultaneous

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Double oracle: a position is solved by a restricted game of a few rows and
// columns, all of whose cells are searched. Each player's best response to the
// other's equilibrium strategy is looked for among all actions, and joins. When
// neither best response is new, the equilibrium of the restricted game is one of
// the whole matrix. (To stop when the bounds of the position meet, as printed in
// the article, gives wrong values: the bounds are of the position, the strategies
// of the restricted game.)
//
// Cells get bounds by serialized alpha-beta when they are looked at first. The
// best response is looked for best-first: of the action that is best by its
// optimistic bounds, the cell that keeps them widest is searched, until an action
// is best by its values. Cells are searched for their values; windows, that a
// cell must reach to make its action better, cost 40 % more nodes because the
// same positions come back with other windows.
//
// Reference: Bošanský, Lisý, Lanctot, Čermák and Winands, "Algorithms for
// computing strategies in two-player simultaneous move games" (2016), section
// 4.3.

// margin is what a best response must gain, in goal points, to count as better.
// It is above the error of the matrix engine, which is typically 1e-12.
const margin = 1.0 / (1 << 27)

// restriction is what the double oracle keeps of a frame.
type restriction struct {
	rows, columns []int  // the restricted game
	bounded       []bool // by cell: whether it has its serialized bounds
	matrix        []float64
	x, y          []float64
}

// reset starts with the row and the column that look best from terminal
// children.
func (r *restriction) reset(f *frame) {
	r.bounded = resize(r.bounded, f.m*f.n)
	clear(r.bounded)
	r.matrix = resize(r.matrix, f.m*f.n)
	r.x, r.y = resize(r.x, f.m), resize(r.y, f.n)
	bestRow, bestColumn := 0, 0
	high, low := 0.0, 0.0
	for i := range f.m {
		sum := 0.0
		for j := range f.n {
			sum += f.p[i*f.n+j] + f.o[i*f.n+j]
		}
		if i == 0 || sum > high {
			high, bestRow = sum, i
		}
	}
	for j := range f.n {
		sum := 0.0
		for i := range f.m {
			sum += f.p[i*f.n+j] + f.o[i*f.n+j]
		}
		if j == 0 || sum < low {
			low, bestColumn = sum, j
		}
	}
	r.rows = append(r.rows[:0], bestRow)
	r.columns = append(r.columns[:0], bestColumn)
}

// oracle is the method DoubleOracle.
func (s *solver) oracle(f *frame, depth int, alpha, beta float64) search.Interval {
	r := &f.choice
	r.reset(f)
	v := search.Interval{Lower: s.config.Low, Upper: s.config.High}
	for {
		u := s.solveRestricted(f, depth)
		if s.stopped {
			return v
		}
		row, column := -1, -1
		if u < beta {
			row, v.Upper = s.bestRow(f, depth, max(u, alpha))
		}
		// The lower bound so far is that of an earlier row strategy, so it is no
		// reason to leave the present one untested.
		if u > alpha && !s.stopped && v.Upper > max(alpha, s.config.Low) {
			column, v.Lower = s.bestColumn(f, depth, min(u, beta))
		}
		if s.stopped || decided(v, alpha, beta) {
			return v
		}
		if !r.include(row, column) {
			return search.Exact(u)
		}
	}
}

// include adds a row and a column, where they are not -1, to the restricted
// game and tells whether one of them is new.
func (r *restriction) include(row, column int) bool {
	grown := false
	if row >= 0 && !slices.Contains(r.rows, row) {
		r.rows = append(r.rows, row)
		grown = true
	}
	if column >= 0 && !slices.Contains(r.columns, column) {
		r.columns = append(r.columns, column)
		grown = true
	}
	return grown
}

// solveRestricted searches the cells of the restricted game and solves it. The
// strategies over all actions are left in the frame.
func (s *solver) solveRestricted(f *frame, depth int) float64 {
	r := &f.choice
	m, n := len(r.rows), len(r.columns)
	for a, i := range r.rows {
		for b, j := range r.columns {
			v := s.boundedCell(f, depth, i, j, s.config.Low-1, s.config.High+1)
			r.matrix[a*n+b] = v.Lower
		}
	}
	u := s.nash(r.matrix, m, n, r.x, r.y)
	clear(f.x)
	clear(f.y)
	for a, i := range r.rows {
		f.x[i] = r.x[a]
	}
	for b, j := range r.columns {
		f.y[j] = r.y[b]
	}
	return u
}

// bestRow looks for the best response to the column strategy that is worth more
// than a threshold. It returns the row and its worth, or -1 and the threshold,
// which then bounds what any row is worth.
func (s *solver) bestRow(f *frame, depth int, threshold float64) (int, float64) {
	for i := range f.m {
		for j, y := range f.y {
			if y > 0 && f.rowUpper(i) > threshold+margin {
				s.bound(f, depth, i, j)
			}
		}
	}
	for !s.stopped {
		best, worth := -1, threshold+margin
		for i := range f.m {
			if v := f.rowUpper(i); v > worth {
				best, worth = i, v
			}
		}
		if best < 0 {
			return -1, threshold
		}
		column, widest := -1, 0.0
		for j, y := range f.y {
			at := best*f.n + j
			if gap := y * (f.o[at] - f.p[at]); gap > widest {
				column, widest = j, gap
			}
		}
		if column < 0 {
			return best, worth
		}
		s.cell(f, depth, best, column, s.config.Low-1, s.config.High+1)
	}
	return -1, s.config.High
}

// rowUpper is what row i is worth at most against the column strategy.
func (f *frame) rowUpper(i int) float64 {
	sum := 0.0
	for j, o := range f.o[i*f.n : (i+1)*f.n] {
		sum += f.y[j] * o
	}
	return sum
}

// bestColumn is bestRow for the column player: it looks for a column that is
// worth less than the threshold.
func (s *solver) bestColumn(f *frame, depth int, threshold float64) (int, float64) {
	for j := range f.n {
		for i, x := range f.x {
			if x > 0 && f.columnLower(j) < threshold-margin {
				s.bound(f, depth, i, j)
			}
		}
	}
	for !s.stopped {
		best, worth := -1, threshold-margin
		for j := range f.n {
			if v := f.columnLower(j); v < worth {
				best, worth = j, v
			}
		}
		if best < 0 {
			return -1, threshold
		}
		row, widest := -1, 0.0
		for i, x := range f.x {
			at := i*f.n + best
			if gap := x * (f.o[at] - f.p[at]); gap > widest {
				row, widest = i, gap
			}
		}
		if row < 0 {
			return best, worth
		}
		s.cell(f, depth, row, best, s.config.Low-1, s.config.High+1)
	}
	return -1, s.config.Low
}

// columnLower is what column j is worth at least against the row strategy.
func (f *frame) columnLower(j int) float64 {
	sum := 0.0
	for i, x := range f.x {
		sum += x * f.p[i*f.n+j]
	}
	return sum
}

// boundedCell is cell, after the serialized bounds.
func (s *solver) boundedCell(f *frame, depth, i, j int, alpha, beta float64) search.Interval {
	s.bound(f, depth, i, j)
	return s.cell(f, depth, i, j, alpha, beta)
}

// bound tightens the bounds of cell (i, j) by serialized alpha-beta, once.
func (s *solver) bound(f *frame, depth, i, j int) {
	at := i*f.n + j
	if f.choice.bounded[at] || f.p[at] == f.o[at] {
		return
	}
	f.choice.bounded[at] = true
	v := s.children(f, i, j, s.config.Low-1, s.config.High+1, func(q machine.State, a, b float64) search.Interval {
		known := search.Interval{Lower: s.config.Low, Upper: s.config.High}
		return s.serialize(depth+1, q, known, a, b)
	})
	v = meet(v, search.Interval{Lower: f.p[at], Upper: f.o[at]})
	f.p[at], f.o[at] = v.Lower, v.Upper
}

// induceBounded is the method BoundedInduction.
func (s *solver) induceBounded(f *frame, depth int, alpha, beta float64) search.Interval {
	f.choice.reset(f)
	for i := range f.m {
		for j := range f.n {
			s.bound(f, depth, i, j)
		}
	}
	if v := s.solveMatrix(f); decided(v, alpha, beta) {
		return v
	}
	for i := range f.m {
		for j := range f.n {
			s.cell(f, depth, i, j, s.config.Low-1, s.config.High+1)
		}
	}
	return s.solveMatrix(f)
}

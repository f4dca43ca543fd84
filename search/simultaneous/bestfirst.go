package simultaneous

import (
	"stackmate/internal/scratch"
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
// Invariant: P ≤ values ≤ O; every step narrows a cell. Cost: one or two matrix
// games for each cell searched, of the full size of the matrix.
//
// Double oracle with serialized alpha-beta (Bošanský, Lisý, Lanctot, Čermák and
// Winands, 2016, section 4.3) is the same with bounds of all cells beforehand
// (serialized.go). The published algorithm grows a restricted game of the values of
// some cells, and looks for best responses in the bounds of the others. The
// equilibrium of O holds the row player's best response to the best that is still
// possible for the column player, that of P the column player's; what they play is
// the restricted game, into which dominated actions never come.

// margin is what a row or column must gain, in goal points, to count as better: eight
// steps of the grid (frame.go), above the usual error of the matrix engine and about
// its error at worst.
const margin = 1.0 / (1 << 27)

// cellChoice is what best-first search keeps of a frame, to choose the next cell.
type cellChoice struct {
	x, y     []float64 // the optimistic strategies: x is optimal in O, y in P
	rowGap   []float64 // what a row could gain over v⁻ against y
	colGap   []float64 // what a column could gain over v⁺ against x
	interval search.Interval
}

// reset sizes the buffers to an m×n matrix.
func (b *cellChoice) reset(m, n int) {
	b.x, b.y = scratch.Resize(b.x, m), scratch.Resize(b.y, n)
	b.rowGap, b.colGap = scratch.Resize(b.rowGap, m), scratch.Resize(b.colGap, n)
}

// bestFirst is the methods BestFirst and DoubleOracle.
func (s *solver) bestFirst(f *frame, depth int, alpha, beta float64) search.Interval {
	b := &f.choice
	b.reset(f.m, f.n)
	b.interval = s.unknown()
	s.recall(f, depth)
	if s.serialized != nil {
		s.boundCells(f, depth)
	}
	if at := s.likeliestCell(f); at >= 0 {
		s.cell(f, depth, at/f.n, at%f.n, s.config.Low-1, s.config.High+1)
	}
	newP, newO := true, true
	for {
		if newP {
			b.interval.Lower = s.nash(f.p, f.m, f.n, f.x, b.y, s.config.Low)
			b.interval.Upper = max(b.interval.Lower, b.interval.Upper)
		}
		if newO && b.interval.Lower < beta {
			b.interval.Upper = max(b.interval.Lower, s.nash(f.o, f.m, f.n, b.x, f.y, s.config.High))
		}
		if s.stopped || s.isCloseEnough(b.interval, alpha, beta) {
			return b.interval
		}
		f.measure(max(b.interval.Lower, alpha), min(b.interval.Upper, beta))
		at := f.widest(s.config.Epsilon)
		if at < 0 {
			// Only rounding keeps the bounds further apart than the tolerance.
			b.interval.Upper = min(b.interval.Upper, b.interval.Lower+s.config.Epsilon)
			return b.interval
		}
		newP, newO = s.narrow(f, depth, at)
	}
}

// narrow searches a cell in the window of cellWindow, and reports which of the matrices P
// and O that changes.
func (s *solver) narrow(f *frame, depth, at int) (newP, newO bool) {
	p, o := f.p[at], f.o[at]
	low, high := s.cellWindow(f, at)
	s.cell(f, depth, at/f.n, at%f.n, low, high)
	if f.p[at] == p && f.o[at] == o {
		// The reply missed the window by rounding: ask for the value.
		s.cell(f, depth, at/f.n, at%f.n, s.config.Low-1, s.config.High+1)
	}
	return f.p[at] != p, f.o[at] != o
}

// measure computes what each row could gain over lower and each column over
// upper against the optimistic strategies.
func (f *frame) measure(lower, upper float64) {
	b := &f.choice
	for i := range f.m {
		sum := -lower
		for j, y := range b.y {
			sum += y * f.o[i*f.n+j]
		}
		b.rowGap[i] = sum
	}
	for j := range f.n {
		sum := upper
		for i, x := range b.x {
			sum -= x * f.p[i*f.n+j]
		}
		b.colGap[j] = sum
	}
}

// widest is the unknown cell with the greatest share of the gap between the
// bounds, or -1 if they meet only in cells that are known up to epsilon.
func (f *frame) widest(epsilon float64) int {
	b := &f.choice
	best, at := 0.0, -1
	for i, x := range b.x {
		if x == 0 {
			continue
		}
		for j, y := range b.y {
			c := i*f.n + j
			width := f.o[c] - f.p[c]
			if gap := x * y * width; width > epsilon && gap > best && max(b.rowGap[i], b.colGap[j]) > margin+epsilon {
				best, at = gap, c
			}
		}
	}
	return at
}

// cellWindow is the window in which the value of a cell decides something.
func (s *solver) cellWindow(f *frame, at int) (low, high float64) {
	b := &f.choice
	i, j := at/f.n, at%f.n
	low, high = s.config.Low-1, s.config.High+1
	if b.rowGap[i] > margin+s.config.Epsilon {
		low = snap(f.o[at] - b.rowGap[i]/b.y[j])
	}
	if b.colGap[j] > margin+s.config.Epsilon {
		high = snap(f.p[at] + b.colGap[j]/b.x[i])
	}
	return low, max(high, low+s.config.Epsilon+window)
}

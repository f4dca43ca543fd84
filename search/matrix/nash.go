package matrix

import (
	"context"
	"fmt"
	"math"
	"slices"

	"stackmate/internal/scratch"
)

// A matrix game is solved in steps of rising cost; each step is final if it applies:
//
//	scan     one pass: range, maximin row, minimax column; equal: a saddle point
//	2×2      closed form
//	simplex  max Σy subject to Ay ≤ 1, y ≥ 0 on the matrix shifted and scaled to
//	         [1, 2]; the reduced costs of the last tableau are the row strategy
//	certify  the guarantees of both strategies against the given matrix
//
// A matrix of positive entries has a bounded program, and the slack basis is a feasible start, so there is one phase
// only. The scale is a power of two: integer matrices stay exact. A gap in the certificate shows rounding errors of
// small pivots: then the tableau of the last basis is recomputed, and the simplex method continues. After several such
// tries it restarts with a ratio test that allows more choice of pivots (Harris). The last resort, for matrices of
// extreme condition, is rational arithmetic.
//
// Invariant of the simplex method: the values of the basic variables are ≥ 0 up to slack and rounding. Cost: about
// min(m, n) pivots of m·n multiply-adds each.
//
// Reference: G. B. Dantzig, "A proof of the equivalence of the programming
// problem and the game problem" (1951); R. G. Bland, "New finite pivoting rules
// for the simplex method" (1977); P. M. J. Harris, "Pivot selection methods of the
// Devex LP code" (1973).

const (
	// priceTolerance is the reduced cost, on the [1, 2] scale, that counts as negative. A strategy loses at most twice
	// this share of the range by it.
	priceTolerance = 1e-12
	// pivotTolerance is the smallest pivot. Among the values 1e-7…1e-14 it leaves the fewest games of the test
	// families to rational arithmetic.
	pivotTolerance = 1e-9
	// tieTolerance is the difference of two ratios, absolute or relative, that counts as a tie.
	tieTolerance = 1e-13
	// pivotsPerLine bounds the pivots per row and column of a program. About 1 per line is usual; the remainder is for
	// Bland's rule.
	pivotsPerLine = 50
	// tries is the number of tries with one slack. Each try after the first starts from the basis of the previous try.
	tries = 4
	// certifiedGap is the maximal gap between the guarantees of the two strategies, as a share of the range, that the
	// engine accepts.
	certifiedGap = 1e-10
)

// slacks are the amounts by which values of basic variables may fall below 0, which allows a greater pivot. Slack 0
// solves all except the most degenerate large games.
var slacks = [...]float64{0, 1e-11, 1e-10}

// Native is the engine in pure Go. It keeps its buffers between calls and belongs to one goroutine. The zero value is
// ready for use.
type Native struct {
	t       tableau
	columns []int64   // scratch of the scan
	gains   []float64 // scratch of the certificate
	x, y    []float64 // mixture and multipliers that the caller does not request
	units   []float64 // scale of each bound of a program
	unit    float64   // a reduced cost of 1 in units of its objective
}

var _ Engine = (*Native)(nil)

// Within implements Engine. The context is checked before each pivot of a large tableau; a small tableau is solved too
// fast for a check.
func (g *Native) Within(ctx context.Context) { g.t.ctx = ctx }

// NewNative returns a native engine.
func NewNative() *Native { return &Native{} }

// Name returns "native".
func (g *Native) Name() string { return "native" }

// Nash solves the m×n matrix game a, see Engine. The guarantees of the two strategies differ by at most 1e-10 of the
// range of a, and are equal at a saddle point.
func (g *Native) Nash(a []float64, m, n int, x, y []float64) (float64, error) {
	if err := checkGame(a, m, n, x, y); err != nil {
		return 0, err
	}
	x, y = prefix(x, m), prefix(y, n)
	g.columns = scratch.Resize(g.columns, n)
	s, err := scan(a, m, n, g.columns)
	if err != nil {
		return 0, err
	}
	if s.maximin == s.minimax {
		setPure(x, s.row)
		setPure(y, s.col)
		return s.maximin, nil
	}
	if m == 2 && n == 2 {
		return mixed2x2(a, s, x, y), nil
	}
	if x == nil {
		g.x = scratch.Resize(g.x, m)
		x = g.x
	}
	if y == nil {
		g.y = scratch.Resize(g.y, n)
		y = g.y
	}
	g.gains = scratch.Resize(g.gains, n)
	if value, ok := g.simplex(a, m, n, s, x, y); ok {
		return value, nil
	}
	return nashByRationals(g.t.context(), a, m, n, x, y)
}

// prefix returns the first n elements of p; p may be nil.
func prefix(p []float64, n int) []float64 {
	if p == nil {
		return nil
	}
	return p[:n]
}

func checkGame(a []float64, m, n int, x, y []float64) error {
	switch {
	case m < 1 || n < 1:
		return fmt.Errorf("matrix game: expected at least one row and one column, found %d×%d", m, n)
	case len(a) < m*n:
		return fmt.Errorf("matrix game: expected %d×%d = %d elements, found %d", m, n, m*n, len(a))
	case x != nil && len(x) < m:
		return fmt.Errorf("matrix game: expected room for %d row probabilities, found %d", m, len(x))
	case y != nil && len(y) < n:
		return fmt.Errorf("matrix game: expected room for %d column probabilities, found %d", n, len(y))
	}
	return nil
}

// setPure writes the pure strategy k into p; p may be nil.
func setPure(p []float64, k int) {
	if p != nil {
		clear(p)
		p[k] = 1
	}
}

// mixed2x2 solves a 2×2 game without saddle point. There the differences along a diagonal have the same sign, so that
// no cancellation occurs.
func mixed2x2(a []float64, s extremes, x, y []float64) float64 {
	scale := powerScale(s.high - s.low) // keeps the sums from overflow
	d0, d1 := (a[0]-a[1])*scale, (a[3]-a[2])*scale
	e0, e1 := (a[0]-a[2])*scale, (a[3]-a[1])*scale
	p := d1 / (d0 + d1)
	if x != nil {
		x[0], x[1] = p, d0/(d0+d1)
	}
	if y != nil {
		y[0], y[1] = e1/(e0+e1), e0/(e0+e1)
	}
	return a[2] + p*(a[0]-a[2])
}

// simplex runs the primal simplex method on the scaled matrix, and reports whether the certificate of the strategies
// is good enough. A try fails by rounding errors only; the next try continues from the same basis.
func (g *Native) simplex(a []float64, m, n int, s extremes, x, y []float64) (value float64, ok bool) {
	for _, slack := range slacks {
		g.load(a, m, n, s)
		for range tries {
			if g.t.primalSimplex(slack) == optimal {
				g.strategies(x, y)
				lower, upper := guarantees(a, m, n, x, y, g.gains, s.low)
				if upper-lower <= certifiedGap*(s.high-s.low) {
					return s.low + (lower/2 + upper/2), true // the sum could overflow
				}
			}
			if g.t.isInterrupted() {
				return 0, false
			}
			g.t.reinvert(func() { g.load(a, m, n, s) })
			g.t.dualSimplex() // the basis may turn out to be infeasible
		}
	}
	return 0, false
}

// primalSimplex improves the objective while the values stay ≥ -slack.
func (t *tableau) primalSimplex(slack float64) outcome {
	stalled := 0
	for range pivotsPerLine * (t.rows + t.cols) {
		bland := stalled > t.rows+t.cols
		column := t.entering(bland)
		if column < 0 {
			return optimal
		}
		if t.isInterrupted() {
			return unfinished
		}
		row := t.leaving(column, slack, bland)
		if row < 0 {
			return unfinished // only after rounding errors: the program is bounded
		}
		before := t.value(t.rows)
		t.pivot(row, column)
		if t.value(t.rows) > before {
			stalled = 0
		} else {
			stalled++
		}
	}
	return unfinished
}

// load writes the program max Σy, By ≤ 1 for B = 1+scale·(a-low) into the tableau, after its first pivot. All initial
// prices are equal, so this pivot is free: the minimax column, and its greatest element.
func (g *Native) load(a []float64, m, n int, s extremes) {
	t := &g.t
	t.reset(m, n)
	scale, low, c := powerScale(s.high-s.low), s.low, s.col
	r := 0
	for i := range m {
		if a[i*n+c] > a[r*n+c] {
			r = i
		}
	}
	inverse := 1 / (1 + (a[r*n+c]-low)*scale)
	p := t.row(r)[:n+1]
	for j, v := range a[r*n:][:n] {
		p[j] = (1 + (v-low)*scale) * inverse
	}
	p[c], p[n] = inverse, inverse
	for i := range m {
		if i == r {
			continue
		}
		source := a[i*n:][:n]
		f := 1 + (source[c]-low)*scale
		q := t.row(i)[:n+1]
		for j, v := range source {
			q[j] = 1 + (v-low)*scale - f*p[j]
		}
		q[c], q[n] = -f*inverse, 1-f*inverse
	}
	objective := t.row(m)[:n+1]
	for j, v := range p {
		objective[j] = v - 1
	}
	objective[c], objective[n] = inverse, inverse
	t.basic[r], t.nonbasic[c] = t.nonbasic[c], t.basic[r]
}

// entering returns the column of the most negative reduced cost (Dantzig's rule), or by Bland's rule the negative
// column of least label; -1 at the optimum. The most negative number is the greatest unsigned integer, so the scan
// needs no branch.
func (t *tableau) entering(bland bool) int {
	costs := t.row(t.rows)[:t.cols]
	if bland {
		column := -1
		for j, z := range costs {
			if z < -priceTolerance && (column < 0 || t.nonbasic[j] < t.nonbasic[column]) {
				column = j
			}
		}
		return column
	}
	var greatest uint64
	for _, z := range costs {
		greatest = max(greatest, math.Float64bits(z))
	}
	least := math.Float64frombits(greatest)
	if !(least < -priceTolerance) {
		return -1
	}
	return slices.Index(costs, least)
}

// leaving returns the row whose basic variable reaches zero first as the variable of column c grows. Ties are broken
// by the greatest pivot, for accuracy, or by Bland's rule by the least label. It returns -1 if there is no such row.
// All rows tie that keep every other value ≥ -slack (Harris's rule). The least ratio is found without a branch, as an
// integer.
func (t *tableau) leaving(c int, slack float64, bland bool) int {
	value, end := t.cols-c, t.rows*t.stride
	first := int64(math.MaxInt64)
	for k := c; k < end; k += t.stride {
		d := t.cells[k]
		ratio := int64(math.Float64bits((t.cells[k+value] + slack) / d))
		if d < pivotTolerance {
			ratio = math.MaxInt64
		}
		first = min(first, ratio)
	}
	if first == math.MaxInt64 {
		return -1
	}
	least := tie(first)
	row, pivot := -1, pivotTolerance
	for i, k := 0, c; k < end; i, k = i+1, k+t.stride {
		d := t.cells[k]
		// In this order the branch is predictable: a negative d satisfies it too.
		if t.cells[k+value] > least*d || d < pivotTolerance {
			continue
		}
		if bland && (row < 0 || t.basic[i] < t.basic[row]) || !bland && d >= pivot {
			row, pivot = i, d
		}
	}
	return row
}

// tie returns the greatest ratio that ties with the least ratio, which is given as an integer.
func tie(first int64) float64 {
	least := math.Float64frombits(uint64(first))
	return least + tieTolerance*(1+math.Abs(least))
}

// strategies reads both strategies from the optimal tableau: the values of basic variables and the reduced costs of
// nonbasic variables. All other probabilities are 0.
func (g *Native) strategies(x, y []float64) {
	t := &g.t
	n := len(t.nonbasic)
	for i, v := range t.basic {
		if int(v) < n {
			y[v] = max(t.value(i), 0)
		} else {
			x[int(v)-n] = 0
		}
	}
	objective := t.row(t.rows)[:n]
	for j, v := range t.nonbasic {
		if int(v) >= n {
			x[int(v)-n] = max(objective[j], 0)
		} else {
			y[v] = 0
		}
	}
	normalise(x)
	normalise(y)
}

func normalise(p []float64) {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	scale := 1 / sum
	for i := range p {
		p[i] *= scale
	}
}

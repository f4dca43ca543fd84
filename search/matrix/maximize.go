package matrix

import (
	"math"

	"stackmate/internal/scratch"
)

// The linear programs of pruning choose a mixture x of k pure strategies that yields at least f in each of n columns,
// and maximises e:
//
//	max xᵗe  subject to  xᵗP ≥ f, x ≥ 0, Σx = 1
//
// Elimination of one x by Σx = 1 leaves k-1 free variables at zero and n+1 basic variables: the slack of each column
// and the eliminated x. If the eliminated strategy has the greatest e, no reduced cost is negative. So the dual
// simplex method starts without a first phase. It ends when no slack is negative, and proves infeasibility by a row
// without a repairing column.
//
// Invariant: reduced costs are ≥ 0 up to rounding. Cost: a few pivots of k·n multiply-adds; no pivot if the strategy
// of greatest e satisfies all columns.
//
// Reference: C. E. Lemke, "The dual method of solving the linear programming
// problem" (1954); Saffidine, Finnsson and Buro (2012), Fig. 1–5.

const (
	// relaxation is subtracted from the bounds f, as a share of the range of P and f. Duplicate actions dominate each
	// other exactly, and rounding must not decide there.
	relaxation = 1e-12
	// violation is the negative value, on the scale of a row, from which a row is repaired.
	violation = 1e-13
	// finest is the least coefficient by which a row is scaled; the relaxation makes smaller coefficients irrelevant.
	finest = relaxation / 16
	// repairTolerance is the smallest pivot. It is smaller than pivotTolerance, as infeasible programs have no
	// certificate.
	repairTolerance = 1e-10
	// doubt is the negative value of an irreparable row that proves infeasibility. A smaller violation may be a
	// rounding error; then rational numbers decide.
	doubt = 1e-8
)

// Maximize solves max xᵗe subject to xᵗP ≥ f, x ≥ 0, Σx = 1, see Engine. A column that misses its bound by less than
// 1e-12 of the range of P and f counts as satisfied.
func (g *Native) Maximize(p []float64, k, n int, e, f []float64) (value float64, feasible bool, err error) {
	q, err := newProgram(p, k, n, e, f)
	if err != nil || k == 0 || !g.loadProgram(&q) {
		return 0, false, err
	}
	for range tries {
		switch g.t.dualSimplex() {
		case optimal:
			if value, ok := g.verify(&q); ok {
				return value, true, nil
			}
		case infeasible:
			return 0, false, nil
		}
		if g.t.isInterrupted() {
			return 0, false, g.t.ctx.Err()
		}
		g.t.reinvert(func() { g.loadProgram(&q) })
		g.t.primalSimplex(0) // reduced costs may have become negative
	}
	return maximizeByRationals(g.t.context(), &q)
}

// loadProgram writes the program into the tableau. It returns false if no row reaches the bound of some column, the
// most frequent reason of infeasibility.
func (g *Native) loadProgram(q *program) bool {
	t := &g.t
	t.reset(q.n+1, q.k-1)
	g.units = scratch.Resize(g.units, q.n)
	relaxed, floor := relaxation*(q.top-q.low), finest*(q.top-q.low)
	for j := range q.n {
		own := q.p[q.base*q.n+j]
		slack := own - q.f[j] + relaxed
		row, best, worst := t.row(j), 0.0, 0.0
		c := 0
		for i := range q.k {
			if i == q.base {
				continue
			}
			d := own - q.p[i*q.n+j]
			row[c] = d
			best, worst = min(best, d), max(worst, d)
			c++
		}
		row[c] = slack
		if slack < best {
			return false
		}
		// Rows of unit size: a column of small differences has the same weight.
		scale := powerScale(max(worst, -best, floor))
		g.units[j] = scale
		for c := range row {
			row[c] *= scale
		}
	}
	sum := t.row(q.n)
	for c := range q.k {
		sum[c] = 1
	}
	costs := t.row(q.n + 1)[:q.k]
	costs[q.k-1] = 0
	scale := powerScale(q.spread)
	g.unit = 1 / scale
	c := 0
	for i, v := range q.e {
		if i != q.base {
			costs[c] = (q.e[q.base] - v) * scale
			c++
		}
	}
	return true
}

// verify checks the optimum against the given program and returns its value. For multipliers λ ≥ 0 of the columns, the
// value of every mixture that satisfies f is at most
//
//	max over i of e_i + Σ_j λ_j (P_ij - f_j)
//
// and the x of the tableau, which satisfies f up to the relaxation, must reach this bound. So the value excludes the
// effect of the relaxation.
func (g *Native) verify(q *program) (value float64, ok bool) {
	g.x, g.y = scratch.Resize(g.x, q.k), scratch.Resize(g.y, q.n)
	g.readProgram(q)
	if !q.satisfied(g.x) {
		return 0, false
	}
	bound := math.Inf(-1)
	for i, e := range q.e {
		for j, multiplier := range g.y {
			if multiplier > 0 {
				e += multiplier * (q.p[i*q.n+j] - q.f[j])
			}
		}
		bound = max(bound, e)
	}
	return bound, bound-q.objective(g.x) <= certifiedGap*q.spread
}

// readProgram reads the mixture and the multipliers from the tableau.
func (g *Native) readProgram(q *program) {
	t := &g.t
	clear(g.x)
	for i, v := range t.basic {
		if int(v) < t.cols || int(v) == t.cols+q.n {
			g.x[q.strategy(int(v))] = max(t.value(i), 0)
		}
	}
	normalise(g.x)
	clear(g.y)
	costs := t.row(t.rows)
	for c, v := range t.nonbasic {
		if j := int(v) - t.cols; j >= 0 && j < q.n {
			g.y[j] = max(costs[c], 0) * g.units[j] * g.unit
		}
	}
}

// strategy returns the row of P of a label in the tableau. Labels 0…k-2 stand for all rows except the base, labels
// from k-1 on for the slacks, and the last label for the base.
func (q *program) strategy(label int) int {
	switch {
	case label >= q.k-1:
		return q.base
	case label >= q.base:
		return label + 1
	}
	return label
}

// outcome is the result of a simplex method.
type outcome int

const (
	optimal outcome = iota
	infeasible
	unfinished
)

// dualSimplex repairs negative values while the reduced costs stay ≥ 0.
func (t *tableau) dualSimplex() outcome {
	stalled := 0
	for range pivotsPerLine * (t.rows + t.cols) {
		bland := stalled > t.rows+t.cols
		r := t.violated(bland)
		if r < 0 {
			return optimal
		}
		if t.isInterrupted() {
			return unfinished
		}
		c := t.repairing(r, bland)
		if c < 0 && t.value(r) < -doubt {
			return infeasible
		}
		if c < 0 {
			return unfinished
		}
		before := t.value(t.rows)
		t.pivot(r, c)
		if t.value(t.rows) < before {
			stalled = 0
		} else {
			stalled++
		}
	}
	return unfinished
}

// violated returns the row of the most negative value, or by Bland's rule the negative row of least label; -1 if no
// value is negative. Like entering it compares integers.
func (t *tableau) violated(bland bool) int {
	row := -1
	var greatest uint64
	for i, k := 0, t.cols; i < t.rows; i, k = i+1, k+t.stride {
		v := t.cells[k]
		greatest = max(greatest, math.Float64bits(v))
		if bland && v < -violation && (row < 0 || t.basic[i] < t.basic[row]) {
			row = i
		}
	}
	least := math.Float64frombits(greatest)
	if bland || !(least < -violation) {
		return row
	}
	row = 0
	for t.value(row) != least {
		row++
	}
	return row
}

// repairing returns the column whose reduced cost reaches zero first during the repair of row r. Ties are broken by
// the greatest pivot, or by Bland's rule by the least label. It returns -1 if no column repairs the row. Like leaving
// it finds the least ratio as an integer.
func (t *tableau) repairing(r int, bland bool) int {
	row := t.row(r)[:t.cols]
	costs := t.row(t.rows)[:len(row)]
	first := int64(math.MaxInt64)
	for c, v := range row {
		ratio := int64(math.Float64bits(costs[c] / -v))
		if v > -repairTolerance {
			ratio = math.MaxInt64
		}
		first = min(first, ratio)
	}
	if first == math.MaxInt64 {
		return -1
	}
	least := tie(first)
	column, pivot := -1, repairTolerance
	for c, v := range row {
		if d := -v; costs[c] > least*d || d < repairTolerance {
			continue
		}
		if bland && (column < 0 || t.nonbasic[c] < t.nonbasic[column]) || !bland && -v >= pivot {
			column, pivot = c, -v
		}
	}
	return column
}

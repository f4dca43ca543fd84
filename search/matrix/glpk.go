//go:build glpk

package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/lukpank/go-glpk/glpk"
)

// glpkEngine is a second opinion: it shares only the input checks and the certificate with the native engine. GLPK
// satisfies bounds and prices columns to 1e-7. (Its rational solver rounds the input to 1e-9, so it does not help.) So
// equilibria are good to glpkGap only; for most matrices the last basis is optimal and the gap is rounding.
//
// Every call creates and deletes its programs on one locked thread, as libglpk requires, so that any number of
// goroutines may use engines.
type glpkEngine struct{ ctx context.Context }

var _ Engine = (*glpkEngine)(nil)

func newGLPK() (Engine, error) { return &glpkEngine{ctx: context.Background()}, nil }

// Within implements Engine: GLPK cannot be interrupted, but no call begins after ctx is done.
func (g *glpkEngine) Within(ctx context.Context) { g.ctx = ctx }

// Name implements Engine.
func (g *glpkEngine) Name() string { return "glpk" }

// glpkGap is the maximal gap between the guarantees of two strategies, as a share of the range, that this engine
// accepts.
const glpkGap = 1e-6

// glpkTolerance is the violation of a bound that GLPK tolerates by default, for bounds of up to 1.
const glpkTolerance = 1e-7

// solve runs the primal simplex method, and the dual method if it fails or cycles. Both are silent.
func solve(p *glpk.Prob) error {
	parameters := glpk.NewSmcp()
	parameters.SetMsgLev(glpk.MSG_OFF)
	if p.Simplex(parameters) == nil {
		return nil
	}
	parameters.SetMeth(glpk.DUALP)
	return p.Simplex(parameters)
}

// Nash solves the game by one linear program for each requested strategy; the binding gives no dual
// solution.
func (g *glpkEngine) Nash(a []float64, m, n int, x, y []float64) (float64, error) {
	if err := cmp.Or(g.ctx.Err(), checkGame(a, m, n, x, y)); err != nil {
		return 0, err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range a[:m*n] {
		low, high = min(low, v), max(high, v)
	}
	if r := high - low; r-r != 0 {
		return 0, rangeError(a, m, n)
	}
	if y == nil {
		y = make([]float64, n)
	}
	scale := powerScale(high - low)
	value, err := guarantee(m, n, y, func(i, j int) float64 { return 1 + (a[i*n+j]-low)*scale })
	if err != nil {
		return 0, err
	}
	if x == nil {
		return low + (value-1)/scale, nil
	}
	_, err = guarantee(n, m, x, func(j, i int) float64 { return 2 - (a[i*n+j]-low)*scale })
	if err != nil {
		return 0, err
	}
	lower, upper := guarantees(a, m, n, x, y, make([]float64, n), low)
	if upper-lower > glpkGap*(high-low) {
		return 0, fmt.Errorf("matrix game: GLPK's strategies leave a gap of %v, expected at most %v", upper-lower, glpkGap*(high-low))
	}
	return low + (lower+upper)/2, nil
}

// guarantee writes the strategy y (n) of the column player that minimises the greatest row of the positive m×n matrix,
// and returns this value: the reciprocal of max Σq subject to Aq ≤ 1, q ≥ 0.
func guarantee(m, n int, y []float64, at func(i, j int) float64) (float64, error) {
	var l Linear
	for range n {
		l.Variable(NonNegative, 1)
	}
	for i := range m {
		l.Row(Bounds{math.Inf(-1), 1})
		for j := range n {
			l.Add(i, j, at(i, j))
		}
	}
	value, q, err := maximizeLinear(&l)
	if err != nil {
		return 0, fmt.Errorf("matrix game: %w", err)
	}
	mixture(y[:n], q)
	return 1 / value, nil
}

// mixture writes a point found by GLPK as a strategy.
func mixture(dst, point []float64) {
	for i := range dst {
		dst[i] = max(point[i], 0)
	}
	normalise(dst)
}

// Maximize solves the program of Fig. 4, see Engine.
func (g *glpkEngine) Maximize(p []float64, k, n int, e, f []float64) (float64, bool, error) {
	q, err := newProgram(p, k, n, e, f)
	if err = cmp.Or(g.ctx.Err(), err); err != nil || k == 0 {
		return 0, false, err
	}
	l := q.linear()
	x := make([]float64, k)
	// GLPK's tolerance may decide a bound. Then this bound is raised beyond the tolerance. If the raised bound is
	// infeasible, nothing is pruned, which is safe.
	for range n + 1 {
		_, point, err := maximizeLinear(l)
		if errors.Is(err, ErrInfeasible) {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		if mixture(x, point); q.satisfied(x) {
			return q.objective(x), true, nil
		}
		for j := range n {
			if q.violates(x, j) {
				l.Rows[j].Lower = q.bound(j) + 4*glpkTolerance
			}
		}
	}
	return 0, false, nil
}

// bound returns f_j on the scale on which the elements of P lie in [0, 1].
func (q *program) bound(j int) float64 { return (q.f[j] - q.low) * powerScale(q.top-q.low) }

// linear returns the program with coefficients on the scale of [0, 1].
func (q *program) linear() *Linear {
	var l Linear
	for i := range q.k {
		l.Variable(NonNegative, (q.e[i]-q.e[q.base])*powerScale(q.spread))
	}
	scale := powerScale(q.top - q.low)
	for j := range q.n {
		l.Row(Bounds{q.bound(j), math.Inf(1)})
		for i := range q.k {
			l.Add(j, i, (q.p[i*q.n+j]-q.low)*scale)
		}
	}
	sum := l.Row(Equal(1))
	for i := range q.k {
		l.Add(sum, i, 1)
	}
	return &l
}

// maximizeLinear solves a sparse program.
func maximizeLinear(l *Linear) (float64, []float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := glpk.New()
	defer p.Delete()
	p.SetObjDir(glpk.MAX)
	p.AddRows(len(l.Rows))
	p.AddCols(len(l.Variables))
	for i, b := range l.Rows {
		p.SetRowBnds(i+1, boundsType(b), b.Lower, b.Upper)
	}
	for j, b := range l.Variables {
		p.SetColBnds(j+1, boundsType(b), b.Lower, b.Upper)
		p.SetObjCoef(j+1, l.Objective[j])
	}
	rows, columns, values := []int32{0}, []int32{0}, []float64{0} // GLPK ignores element 0
	for _, e := range l.Entries {
		rows, columns, values = append(rows, int32(e.Row+1)), append(columns, int32(e.Variable+1)), append(values, e.Coefficient)
	}
	p.LoadMatrix(rows, columns, values)
	if err := solve(p); err != nil {
		return 0, nil, fmt.Errorf("linear program: GLPK: %w", err)
	}
	switch p.Status() {
	case glpk.NOFEAS:
		return 0, nil, ErrInfeasible
	case glpk.UNBND:
		return 0, nil, ErrUnbounded
	case glpk.OPT:
	default:
		return 0, nil, fmt.Errorf("linear program: GLPK ended with status %d, expected an optimum", p.Status())
	}
	x := make([]float64, len(l.Variables))
	for j := range x {
		x[j] = p.ColPrim(j + 1)
	}
	return p.ObjVal(), x, nil
}

func boundsType(b Bounds) glpk.BndsType {
	below, above := !math.IsInf(b.Lower, -1), !math.IsInf(b.Upper, 1)
	switch {
	case below && b.Lower == b.Upper:
		return glpk.FX
	case below && above:
		return glpk.DB
	case below:
		return glpk.LO
	case above:
		return glpk.UP
	}
	return glpk.FR
}

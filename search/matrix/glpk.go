//go:build glpk

package matrix

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/lukpank/go-glpk/glpk"

	"stackmate/internal/scratch"
)

// glpkEngine is the second opinion: it shares no code with the native engine but
// the checks of its input and the certificate. GLPK satisfies bounds and prices
// columns to 1e-7 (its rational solver rounds the input to 1e-9, and is no way
// out), so equilibria are good to glpkGap only; for most matrices the last basis
// is the optimal one and the gap is rounding.
//
// Every call makes and deletes its program on one locked thread, as libglpk
// demands, so that engines may be used by any number of goroutines.
type glpkEngine struct {
	rows, columns []int32
	values        []float64
	x, scratch    []float64
	ctx           context.Context
}

var _ Engine = (*glpkEngine)(nil)

func newGLPK() (Engine, error) { return &glpkEngine{ctx: context.Background()}, nil }

// Within implements Engine: GLPK cannot be interrupted, but no call begins when ctx
// is done.
func (g *glpkEngine) Within(ctx context.Context) { g.ctx = ctx }

// Name is "glpk".
func (g *glpkEngine) Name() string { return "glpk" }

// glpkGap is the largest gap between the guarantees of two strategies, as a part
// of the range, that this engine hands out.
const glpkGap = 1e-6

// glpkTolerance is the violation of a bound that GLPK tolerates, for bounds of up
// to 1; its default is used.
const glpkTolerance = 1e-7

// solve runs the primal method, and the dual one where that fails or cycles.
// Neither prints.
func solve(p *glpk.Prob) error {
	parameters := glpk.NewSmcp()
	parameters.SetMsgLev(glpk.MSG_OFF)
	if p.Simplex(parameters) == nil {
		return nil
	}
	parameters.SetMeth(glpk.DUALP)
	return p.Simplex(parameters)
}

// Nash solves the game by one linear program for each strategy that is wanted;
// the interface of go-glpk gives no dual solution.
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
	value, err := g.guarantee(m, n, y, func(i, j int) float64 { return 1 + (a[i*n+j]-low)*scale })
	if err != nil {
		return 0, err
	}
	if x == nil {
		return low + (value-1)/scale, nil
	}
	_, err = g.guarantee(n, m, x, func(j, i int) float64 { return 2 - (a[i*n+j]-low)*scale })
	if err != nil {
		return 0, err
	}
	g.scratch = scratch.Resize(g.scratch, n)
	lower, upper := guarantees(a, m, n, x, y, g.scratch, low)
	if upper-lower > glpkGap*(high-low) {
		return 0, fmt.Errorf("matrix game: GLPK's strategies leave a gap of %v, expected at most %v", upper-lower, glpkGap*(high-low))
	}
	return low + (lower+upper)/2, nil
}

// guarantee finds the strategy y (n) of the column player that minimises the
// greatest row of the positive m×n matrix, and that value: the reciprocal of
// max Σq subject to Aq ≤ 1, q ≥ 0.
func (g *glpkEngine) guarantee(m, n int, y []float64, at func(i, j int) float64) (float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := glpk.New()
	defer p.Delete()
	p.SetObjDir(glpk.MAX)
	p.AddRows(m)
	p.AddCols(n)
	g.begin()
	for i := range m {
		p.SetRowBnds(i+1, glpk.UP, 0, 1)
		for j := range n {
			g.add(i, j, at(i, j))
		}
	}
	for j := range n {
		p.SetColBnds(j+1, glpk.LO, 0, 0)
		p.SetObjCoef(j+1, 1)
	}
	p.LoadMatrix(g.rows, g.columns, g.values)
	if err := solve(p); err != nil {
		return 0, fmt.Errorf("matrix game: GLPK: %w", err)
	}
	if p.Status() != glpk.OPT {
		return 0, fmt.Errorf("matrix game: GLPK ended with status %d, expected an optimum", p.Status())
	}
	for j := range n {
		y[j] = max(p.ColPrim(j+1), 0)
	}
	normalise(y[:n])
	return 1 / p.ObjVal(), nil
}

// begin empties the sparse matrix; GLPK ignores element 0.
func (g *glpkEngine) begin() {
	g.rows, g.columns, g.values = append(g.rows[:0], 0), append(g.columns[:0], 0), append(g.values[:0], 0)
}

func (g *glpkEngine) add(i, j int, v float64) {
	g.rows, g.columns, g.values = append(g.rows, int32(i+1)), append(g.columns, int32(j+1)), append(g.values, v)
}

// Maximize solves the program of Fig. 4, see Engine.
func (g *glpkEngine) Maximize(p []float64, k, n int, e, f []float64) (float64, bool, error) {
	if err := cmp.Or(g.ctx.Err(), checkProgram(p, k, n, k, n, e, f)); err != nil {
		return 0, false, err
	}
	return g.optimise(program{p: p, k: k, n: n, nextRow: n, nextCol: 1, sign: 1, e: e, f: f})
}

// Minimize solves the program of Fig. 5, see Engine.
func (g *glpkEngine) Minimize(o []float64, m, n int, e, f []float64) (float64, bool, error) {
	if err := cmp.Or(g.ctx.Err(), checkProgram(o, m, n, n, m, e, f)); err != nil {
		return 0, false, err
	}
	value, feasible, err := g.optimise(program{p: o, k: n, n: m, nextRow: 1, nextCol: n, sign: -1, e: e, f: f})
	return -value, feasible, err
}

func (g *glpkEngine) optimise(q program) (float64, bool, error) {
	if q.k == 0 {
		return 0, false, nil
	}
	if err := q.measure(); err != nil {
		return 0, false, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := glpk.New()
	defer p.Delete()
	g.loadProgram(p, &q)
	// GLPK's tolerance may decide a bound. Then that bound is raised beyond the
	// tolerance; if it is out of reach so, nothing is pruned, which is safe.
	for range q.n + 1 {
		if err := solve(p); err != nil {
			return 0, false, fmt.Errorf("linear program: GLPK: %w", err)
		}
		switch p.Status() {
		case glpk.NOFEAS:
			return 0, false, nil
		case glpk.OPT:
		default:
			return 0, false, fmt.Errorf("linear program: GLPK ended with status %d, expected an optimum", p.Status())
		}
		g.x = scratch.Resize(g.x, q.k)
		for i := range g.x {
			g.x[i] = max(p.ColPrim(i+1), 0)
		}
		normalise(g.x)
		if q.satisfied(g.x) {
			return q.objective(g.x), true, nil
		}
		for j := range q.n {
			if q.violates(g.x, j) {
				p.SetRowBnds(j+1, glpk.LO, q.bound(j)+4*glpkTolerance, 0)
			}
		}
	}
	return 0, false, nil
}

// bound is f_j on the scale on which the elements of P lie in [0, 1].
func (q *program) bound(j int) float64 { return (q.sign*q.f[j] - q.origin()) * powerScale(q.top-q.low) }

// origin is what is 0 on that scale.
func (q *program) origin() float64 {
	if q.sign < 0 {
		return -q.top
	}
	return q.low
}

// loadProgram writes the program with the coefficients on the scale of [0, 1].
func (g *glpkEngine) loadProgram(p *glpk.Prob, q *program) {
	scale := powerScale(q.top - q.low)
	origin := q.origin()
	p.SetObjDir(glpk.MAX)
	p.AddRows(q.n + 1)
	p.AddCols(q.k)
	g.begin()
	for j := range q.n {
		p.SetRowBnds(j+1, glpk.LO, q.bound(j), 0)
		for i := range q.k {
			g.add(j, i, (q.at(i, j)-origin)*scale)
		}
	}
	p.SetRowBnds(q.n+1, glpk.FX, 1, 1)
	for i := range q.k {
		p.SetColBnds(i+1, glpk.LO, 0, 0)
		if q.e != nil {
			p.SetObjCoef(i+1, q.sign*(q.e[i]-q.e[q.base])*powerScale(q.spread))
		}
		g.add(q.n, i, 1)
	}
	p.LoadMatrix(g.rows, g.columns, g.values)
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
	var g glpkEngine
	g.begin()
	for _, e := range l.Entries {
		g.add(e.Row, e.Variable, e.Coefficient)
	}
	p.LoadMatrix(g.rows, g.columns, g.values)
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

package matrix

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
)

// NashExact solves the m×n matrix game a in rational numbers. It returns the value and an optimal strategy of each
// player; they are meaningless if ctx ends earlier. It is the oracle of the tests and the last resort of the native
// engine: slow, and plainly right. With a shifted to b ≥ 1, the row player has max -Σx subject to xᵗb ≥ 1, which the
// dual simplex method begins without a first phase. It does not change a, which has at least one element.
func NashExact(ctx context.Context, a []*big.Rat, m, n int) (value *big.Rat, x, y []*big.Rat) {
	low := a[0]
	for _, v := range a[1 : m*n] {
		if v.Cmp(low) < 0 {
			low = v
		}
	}
	shift := new(big.Rat).Sub(big.NewRat(1, 1), low)
	t := newRationalTableau(ctx, n, m)
	for j := range n {
		for i := range m {
			t.cells[j][i].Add(a[i*n+j], shift)
			t.cells[j][i].Neg(t.cells[j][i])
		}
		t.cells[j][m].SetInt64(-1)
	}
	for i := range m {
		t.cells[n][i].SetInt64(1)
	}
	x, y = zeros(m), zeros(n)
	if !t.dualSimplex() {
		return new(big.Rat), x, y
	}
	value = new(big.Rat).Inv(t.cells[n][m])
	value.Neg(value)
	for j, v := range t.basic {
		if v < m {
			x[v].Mul(t.cells[j][m], value)
		}
	}
	for i, v := range t.nonbasic {
		if v >= m {
			y[v-m].Mul(t.cells[n][i], value)
		}
	}
	return value.Sub(value, shift), x, y
}

// MaximizeExact solves the program of Engine.Maximize in rational numbers, with all tolerances zero. The answer is
// meaningless if ctx ends earlier.
func MaximizeExact(ctx context.Context, p []*big.Rat, k, n int, e, f []*big.Rat) (value *big.Rat, feasible bool) {
	return maximizeRelaxed(ctx, p, k, n, e, f, new(big.Rat))
}

// maximizeRelaxed does the same as MaximizeExact with all bounds lowered by `by`. It corrects the value by the multipliers of
// the bounds.
func maximizeRelaxed(ctx context.Context, p []*big.Rat, k, n int, e, f []*big.Rat, by *big.Rat) (value *big.Rat, feasible bool) {
	if k == 0 {
		return new(big.Rat), false
	}
	base := 0
	for i := range e {
		if e[i].Cmp(e[base]) > 0 {
			base = i
		}
	}
	t := newRationalTableau(ctx, n+1, k-1)
	c := 0
	for i := range k {
		if i == base {
			continue
		}
		for j := range n {
			t.cells[j][c].Sub(p[base*n+j], p[i*n+j])
		}
		t.cells[n][c].SetInt64(1)
		t.cells[n+1][c].Sub(e[base], e[i])
		c++
	}
	for j := range n {
		t.cells[j][c].Sub(p[base*n+j], f[j])
		t.cells[j][c].Add(t.cells[j][c], by)
	}
	t.cells[n][c].SetInt64(1)
	t.cells[n+1][c].Set(e[base])
	if !t.dualSimplex() {
		return new(big.Rat), false
	}
	value = t.cells[n+1][c]
	for i, v := range t.nonbasic {
		if j := v - t.cols; j >= 0 && j < n {
			value.Sub(value, new(big.Rat).Mul(t.cells[n+1][i], by))
		}
	}
	return value, true
}

// rationalTableau is a condensed tableau over the rational numbers, see tableau.
type rationalTableau struct {
	ctx             context.Context
	rows, cols      int
	cells           [][]*big.Rat // (rows+1)×(cols+1)
	basic, nonbasic []int
}

func newRationalTableau(ctx context.Context, rows, cols int) *rationalTableau {
	t := &rationalTableau{ctx: ctx, rows: rows, cols: cols}
	for range rows + 1 {
		t.cells = append(t.cells, zeros(cols+1))
	}
	for j := range cols {
		t.nonbasic = append(t.nonbasic, j)
	}
	for i := range rows {
		t.basic = append(t.basic, cols+i)
	}
	return t
}

// dualSimplex makes the values non-negative by Bland's rule, which cannot cycle. The reduced costs must be
// non-negative. It returns false if the program is infeasible.
func (t *rationalTableau) dualSimplex() bool {
	for t.ctx.Err() == nil {
		r := -1
		for i, cells := range t.cells[:t.rows] {
			if cells[t.cols].Sign() < 0 && (r < 0 || t.basic[i] < t.basic[r]) {
				r = i
			}
		}
		if r < 0 {
			return true
		}
		c, least := -1, new(big.Rat)
		for j, v := range t.cells[r][:t.cols] {
			if v.Sign() < 0 {
				ratio := new(big.Rat).Quo(t.cells[t.rows][j], v)
				ratio.Neg(ratio)
				if c < 0 || precedes(ratio, least, t.nonbasic[j], t.nonbasic[c]) {
					c, least = j, ratio
				}
			}
		}
		if c < 0 {
			return false
		}
		t.pivot(r, c)
	}
	return false
}

// precedes reports whether a ratio comes first in Bland's order: by ratio, then by label.
func precedes(ratio, least *big.Rat, label, leastLabel int) bool {
	order := ratio.Cmp(least)
	return order < 0 || order == 0 && label < leastLabel
}

func (t *rationalTableau) pivot(r, c int) {
	inverse := new(big.Rat).Inv(t.cells[r][c])
	t.cells[r][c].SetInt64(1)
	for _, v := range t.cells[r] {
		v.Mul(v, inverse)
	}
	product := new(big.Rat)
	for i, cells := range t.cells {
		f := cells[c]
		if i == r || f.Sign() == 0 {
			continue
		}
		cells[c] = new(big.Rat)
		for j, v := range cells {
			v.Sub(v, product.Mul(f, t.cells[r][j]))
		}
	}
	t.basic[r], t.nonbasic[c] = t.nonbasic[c], t.basic[r]
}

func zeros(n int) []*big.Rat {
	z := make([]*big.Rat, n)
	for i := range z {
		z[i] = new(big.Rat)
	}
	return z
}

// rationals converts finite numbers without rounding.
func rationals(a []float64) []*big.Rat {
	r := make([]*big.Rat, len(a))
	for i, v := range a {
		r[i] = new(big.Rat).SetFloat64(v)
	}
	return r
}

// rationalCells is the size of the largest matrix that is solved in rational numbers as last resort; it takes seconds.
const rationalCells = 1024

func checkRationalCells(what string, rows, cols int) error {
	if rows*cols > rationalCells {
		return fmt.Errorf("%s: rounding defeats the simplex method; expected better scaled elements or at most %d of them, found %d×%d", what, rationalCells, rows, cols)
	}
	return nil
}

// nashByRationals does the same as Native.Nash for matrices on which rounding errors defeat the simplex method.
func nashByRationals(ctx context.Context, a []float64, m, n int, x, y []float64) (float64, error) {
	if err := cmp.Or(ctx.Err(), checkRationalCells("matrix game", m, n)); err != nil {
		return 0, err
	}
	v, p, q := NashExact(ctx, rationals(a[:m*n]), m, n)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for i := range p {
		x[i], _ = p[i].Float64()
	}
	for j := range q {
		y[j], _ = q[j].Float64()
	}
	value, _ := v.Float64()
	return value, nil
}

// maximizeByRationals does the same as Native.Maximize for programs on which rounding errors defeat the simplex method. It
// relaxes the bounds only if the program is infeasible otherwise, as a relaxation may improve the objective by far more. The
// value excludes the effect of the relaxation.
func maximizeByRationals(ctx context.Context, q *program) (float64, bool, error) {
	if err := cmp.Or(ctx.Err(), checkRationalCells("linear program", q.k, q.n)); err != nil {
		return 0, false, err
	}
	p, e, f := rationals(q.p), rationals(q.e), rationals(q.f)
	exact, feasible := MaximizeExact(ctx, p, q.k, q.n, e, f)
	if !feasible {
		exact, feasible = maximizeRelaxed(ctx, p, q.k, q.n, e, f, new(big.Rat).SetFloat64(relaxation*(q.top-q.low)))
	}
	value, _ := exact.Float64()
	return value, feasible, ctx.Err()
}

package matrix

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/internal/must"

	"pgregory.net/rapid"
)

// The ways out of cycling and of rounding are rarely taken; here they are taken
// always.

func TestBlandsRuleAloneSolvesGames(t *testing.T) {
	g := NewNative()
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range families() {
		if f.name == "magnitudes" || f.name == "almost-duplicates" {
			continue // these need rationals now and then
		}
		for range 200 {
			m, n := 1+r.IntN(8), 1+r.IntN(8)
			a, x, y := make([]float64, m*n), make([]float64, m), make([]float64, n)
			f.fill(r, a, m, n)
			s := must.Get(scan(a, m, n, make([]int64, n)))(t)
			g.load(a, m, n, s)
			for pivots := 0; ; pivots++ {
				c := g.t.entering(true)
				if c < 0 {
					break
				}
				if pivots > pivotsPerLine*(m+n) {
					t.Fatalf("%s %d×%d %v: no end after %d pivots", f.name, m, n, a, pivots)
				}
				g.t.pivot(g.t.leaving(c, 0, true), c)
			}
			g.strategies(x, y)
			lower, upper := certify(a, m, n, x, y)
			checkEquilibrium(t, 1e-9, a, m, n, (lower+upper)/2, x, y)
		}
	}
}

func TestBlandsRuleAloneDecidesPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, k, n, e, f := drawProgram(t)
		q, err := newProgram(p, k, n, e, f)
		g := NewNative()
		if k == 0 || err != nil || !g.loadProgram(&q) {
			return
		}
		ended := infeasible
		for pivots := 0; ; pivots++ {
			r := g.t.violated(true)
			if r < 0 {
				ended = optimal
				break
			}
			c := g.t.repairing(r, true)
			if c < 0 {
				break
			}
			if pivots > pivotsPerLine*(k+n+1) {
				t.Fatalf("no end after %d pivots", pivots)
			}
			g.t.pivot(r, c)
		}
		if ended == infeasible && g.t.value(g.t.violated(true)) < -doubt {
			checkAgainstRationals(t, g, p, k, n, e, f, 0, false)
		} else if value, ok := g.verify(&q); ended == optimal && ok {
			checkAgainstRationals(t, g, p, k, n, e, f, value, true)
		}
	})
}

func TestRationalsReplaceTheNativeEngine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, k, n, e, f := drawProgram(t)
		if k == 0 {
			return
		}
		value, feasible := maximizeInRationals(t, p, k, n, e, f)
		checkAgainstRationals(t, NewNative(), p, k, n, e, f, value, feasible)
		native, ok := must.Get2(NewNative().Maximize(p, k, n, e, f))(t)
		tolerance := 1e-6 * (1 + spread(append([]float64{0}, e...)))
		if feasible && (!ok || native < value-tolerance) {
			t.Fatalf("native %v, %v, exactly %v", native, ok, value)
		}
	})
}

func TestRationalsRelaxWhatIsInfeasibleOnly(t *testing.T) {
	// A third action that helps the first, at a cost within the relaxation, in a column
	// that no other one touches: were the bounds relaxed, the value would be 1e-4.
	p, e := []float64{-1.0 / 3, 0, 50, -1.0 / 256, 0, 0}, []float64{50, 0, 0}
	if value, feasible := maximizeInRationals(t, p, 3, 2, e, []float64{0, 0}); value != 0 || !feasible {
		t.Errorf("a feasible program: value %v, feasible %v, expected 0, true", value, feasible)
	}
	// A column that misses its bound by rounding, for every choice: the bounds must be relaxed, and the value is free of the relaxation.
	missed := math.Nextafter(0.3, 1)
	p, e = []float64{-1.0 / 3, 0, 0.3, 50, -1.0 / 256, 0.3, 0, 0, 0.3}, []float64{50, 0, 0}
	if value, feasible := maximizeInRationals(t, p, 3, 3, e, []float64{0, 0, missed}); value != 0 || !feasible {
		t.Errorf("a program missed by rounding that gains by it: value %v, feasible %v, expected 0, true", value, feasible)
	}
	// The bound is the yield of the first action, up to rounding.
	if value, feasible := maximizeInRationals(t, []float64{0.3, 0}, 2, 1, []float64{7, 0}, []float64{missed}); value != 7 || !feasible {
		t.Errorf("a program missed by rounding: value %v, feasible %v, expected 7, true", value, feasible)
	}
}

func maximizeInRationals(t rapid.TB, p []float64, k, n int, e, f []float64) (value float64, feasible bool) {
	t.Helper()
	q := must.Get(newProgram(p, k, n, e, f))(t)
	value, feasible = must.Get2(maximizeByRationals(context.Background(), &q))(t)
	return value, feasible
}

// Colonel Blotto games: each player divides troops among three fields and wins the fields with more own troops. Thousands of equilibria make
// them highly degenerate; noise gives them small pivots, and cells that count as won, like unknown cells of a search, make them lopsided.
func TestLargeDegenerateGames(t *testing.T) {
	g := NewNative()
	r := rand.New(rand.NewPCG(8, 9))
	for _, troops := range []int{4, 7, 10, 14} {
		blotto, m := colonelBlotto(troops)
		for _, noise := range []float64{0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6} {
			for _, unknown := range []float64{0, 0.5, 0.95} {
				a, x, y := slices.Clone(blotto), make([]float64, m), make([]float64, m)
				for k := range a {
					a[k] += noise * float64(r.IntN(3)-1)
					if r.Float64() < unknown {
						a[k] = 100
					}
				}
				value, err := g.Nash(a, m, m, x, y)
				if err != nil {
					t.Fatalf("%d troops, noise %g, %g unknown: %v", troops, noise, unknown, err)
				}
				checkEquilibrium(t, 2*certifiedGap, a, m, m, value, x, y)
			}
		}
	}
}

// colonelBlotto returns the m×m game of as many troops: fields won less fields lost.
func colonelBlotto(troops int) (a []float64, m int) {
	var all [][3]int
	for i := range troops + 1 {
		for j := range troops + 1 - i {
			all = append(all, [3]int{i, j, troops - i - j})
		}
	}
	for _, mine := range all {
		for _, other := range all {
			won := 0.0
			for field, count := range mine {
				if count > other[field] {
					won++
				} else if count < other[field] {
					won--
				}
			}
			a = append(a, won)
		}
	}
	return a, len(all)
}

func TestTheTableauOfABasisCanBeComputedAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 8).Draw(t, "columns")
		cells := rapid.SliceOfN(rapid.IntRange(-9, 9), (rows+1)*(cols+1), (rows+1)*(cols+1)).Draw(t, "cells")
		var g tableau
		load := func() {
			g.reset(rows, cols)
			for i := range rows + 1 {
				for j := range cols + 1 {
					g.row(i)[j] = float64(cells[i*(cols+1)+j])
				}
			}
		}
		load()
		for range rapid.IntRange(0, 12).Draw(t, "pivots") {
			r, c := rapid.IntRange(0, rows-1).Draw(t, "row"), rapid.IntRange(0, cols-1).Draw(t, "column")
			if math.Abs(g.row(r)[c]) > 1e-3 {
				g.pivot(r, c)
			}
		}
		old := g
		old.cells, old.basic, old.nonbasic = slices.Clone(g.cells), slices.Clone(g.basic), slices.Clone(g.nonbasic)
		g.reinvert(load)
		for i := range rows + 1 {
			for j := range cols + 1 {
				before := old.row(i)[j]
				if after := g.cell(&old, i, j); math.Abs(after-before) > 1e-6*(1+math.Abs(before)) {
					t.Fatalf("row %d, column %d: %v before, %v after", i, j, before, after)
				}
			}
		}
	})
}

// cell returns the cell that row i and column j of another tableau of the same basis
// have here, where rows and columns may have another order.
func (t *tableau) cell(other *tableau, i, j int) float64 {
	if i < t.rows {
		i = slices.Index(t.basic, other.basic[i])
	}
	if j < t.cols {
		j = slices.Index(t.nonbasic, other.nonbasic[j])
	}
	return t.row(i)[j]
}

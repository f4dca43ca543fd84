package matrix

import (
	"math/rand/v2"
	"testing"

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
			s, err := scan(a, m, n, make([]int64, n))
			if err != nil {
				t.Fatal(err)
			}
			g.load(a, m, n, s)
			for pivots := 0; ; pivots++ {
				c := g.t.entering(true)
				if c < 0 {
					break
				}
				if pivots > pivotsPerLine*(m+n) {
					t.Fatalf("%s %d×%d %v: no end after %d pivots", f.name, m, n, a, pivots)
				}
				g.t.pivot(g.t.leaving(c, true), c)
			}
			g.strategies(x, y)
			lower, upper := Certify(a, m, n, x, y)
			checkEquilibrium(t, 1e-9, a, m, n, (lower+upper)/2, x, y)
		}
	}
}

func TestBlandsRuleAloneDecidesPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, k, n, e, f := drawProgram(t)
		q := program{p: p, k: k, n: n, nextRow: n, nextCol: 1, sign: 1, e: e, f: f}
		g := NewNative()
		if k == 0 || q.measure() != nil || !g.loadProgram(&q) {
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
		for _, q := range []program{
			{p: p, k: k, n: n, nextRow: n, nextCol: 1, sign: 1, e: e, f: f},
			{p: p, k: k, n: n, nextRow: n, nextCol: 1, sign: -1, e: e, f: f},
		} {
			value, feasible, err := maximizeByRationals(&q)
			if err != nil {
				t.Fatal(err)
			}
			native, ok, err := NewNative().optimise(q)
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-6 * (1 + spread(append([]float64{0}, e...)))
			if feasible && (!ok || native < value-tolerance) {
				t.Fatalf("sign %v: native %v, %v, exactly %v", q.sign, native, ok, value)
			}
		}
	})
}

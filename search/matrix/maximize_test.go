package matrix

import (
	"context"
	"math"
	"testing"

	"stackmate/internal/must"

	"pgregory.net/rapid"
)

// drawProgram draws a program with many ties, like the bounds in a search: unknown cells at the ends of the scale, duplicates, constants.
func drawProgram(t *rapid.T) (p []float64, k, n int, e, f []float64) {
	k, n = rapid.IntRange(0, 6).Draw(t, "k"), rapid.IntRange(0, 6).Draw(t, "n")
	element := rapid.OneOf(
		rapid.SampledFrom([]float64{0, 50, 100}),
		rapid.Map(rapid.IntRange(-3, 3), func(k int) float64 { return float64(k) / 3 }),
		rapid.Float64Range(-1, 1),
	)
	p = rapid.SliceOfN(element, k*n, k*n).Draw(t, "p")
	e = rapid.SliceOfN(element, k, k).Draw(t, "e")
	f = rapid.SliceOfN(element, n, n).Draw(t, "f")
	return p, k, n, e, f
}

// checkAgainstRationals compares an answer with the exact one. The native engine
// may find more, by easing the bounds within a tolerance, but not less; GLPK may
// do either.
func checkAgainstRationals(t *rapid.T, g Engine, p []float64, k, n int, e, f []float64, value float64, feasible bool) {
	t.Helper()
	tolerance := maximalGap(g)
	easing, slack := tolerance*spread(append(append([]float64{0}, p...), f...)), tolerance*spread(append([]float64{0}, e...))
	solve := func(moved float64) (float64, bool) {
		bounds := make([]float64, n)
		for j, v := range f {
			bounds[j] = v + moved
		}
		v, ok := MaximizeExact(context.Background(), rationals(p), k, n, rationals(e), rationals(bounds))
		w, _ := v.Float64()
		return w, ok
	}
	if most, ok := solve(-easing); feasible && !ok {
		t.Fatalf("infeasible by more than the tolerance, found value %v", value)
	} else if feasible && value > most+slack {
		t.Fatalf("value %v, even with the tolerance at most %v", value, most)
	}
	hardening := 0.0
	if g.Name() == "glpk" {
		hardening = easing
	}
	if least, ok := solve(hardening); ok && !feasible {
		t.Fatalf("found infeasible, expected value %v", least)
	} else if ok && value < least-slack {
		t.Fatalf("value %v, expected %v", value, least)
	}
}

func TestMaximizeAgreesWithRationals(t *testing.T) {
	withEngines(t, func(t *testing.T, g Engine) {
		rapid.Check(t, func(t *rapid.T) {
			p, k, n, e, f := drawProgram(t)
			value, feasible := must.Get2(g.Maximize(p, k, n, e, f))(t)
			checkAgainstRationals(t, g, p, k, n, e, f, value, feasible)
		})
	})
}

func TestKnownPrograms(t *testing.T) {
	for _, c := range []struct {
		name     string
		k, n     int
		p, e, f  []float64
		value    float64
		feasible bool
	}{
		{"no action", 0, 2, nil, []float64{}, []float64{0, 0}, 0, false},
		{"no constraint", 3, 0, nil, []float64{1, 5, 2}, nil, 5, true},
		{"single column, Fig. 2", 2, 1, []float64{3, 4}, []float64{0, 0}, []float64{4}, 0, true},
		{"single column out of reach", 2, 1, []float64{3, 4}, []float64{0, 0}, []float64{5}, 0, false},
		{"dominated by a duplicate", 2, 2, []float64{1, 0, 0, 1}, []float64{0, 0}, []float64{0, 1}, 0, true},
		{"dominated by a mixture only", 2, 2, []float64{4, 0, 0, 4}, []float64{0, 0}, []float64{2, 2}, 0, true},
		{"not dominated by any mixture", 2, 2, []float64{4, 0, 0, 4}, []float64{0, 0}, []float64{2.1, 2}, 0, false},
		{"one feasible point beyond a small pivot", 3, 1, []float64{-1, -5e-4, 0}, []float64{0, 50, 0.5}, []float64{0}, 0.5, true},
		{"a mixture pays for the objective", 2, 1, []float64{0, 4}, []float64{10, 2}, []float64{1}, 8, true},
	} {
		withEngines(t, func(t *testing.T, g Engine) {
			value, feasible := must.Get2(g.Maximize(c.p, c.k, c.n, c.e, c.f))(t)
			if feasible != c.feasible || math.Abs(value-c.value) > 1e-12 {
				t.Errorf("%s: value %v, feasible %v, expected %v, %v", c.name, value, feasible, c.value, c.feasible)
			}
		})
	}
}

func TestProgramsNameBadInput(t *testing.T) {
	g := NewNative()
	nan, huge := math.NaN(), 1.7e308
	for name, err := range map[string]error{
		"short matrix":    second(g.Maximize([]float64{1}, 2, 1, []float64{0, 0}, []float64{0})),
		"short objective": second(g.Maximize([]float64{1, 2}, 2, 1, []float64{1}, []float64{0})),
		"short bounds":    second(g.Maximize([]float64{1, 2}, 1, 2, []float64{0}, []float64{0})),
		"negative size":   second(g.Maximize(nil, -1, 1, nil, []float64{0})),
		"NaN in matrix":   second(g.Maximize([]float64{nan}, 1, 1, []float64{0}, []float64{0})),
		"NaN in bounds":   second(g.Maximize([]float64{1}, 1, 1, []float64{0}, []float64{nan})),
		"NaN objective":   second(g.Maximize([]float64{1}, 1, 1, []float64{nan}, []float64{0})),
		"last element":    second(g.Maximize([]float64{1, 2, 3, math.Inf(1)}, 2, 2, []float64{0, 0}, []float64{0, 0})),
		"range of matrix": second(g.Maximize([]float64{-huge, huge}, 2, 1, []float64{0, 0}, []float64{0})),
		"range of goals":  second(g.Maximize([]float64{1, 2}, 2, 1, []float64{-huge, huge}, []float64{0})),
	} {
		if err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

func second(_ float64, _ bool, err error) error { return err }

func TestMaximizeDoesNotAllocateAfterWarmUp(t *testing.T) {
	g := NewNative()
	games := uniform(64, 8, 6)
	e, f := uniform(1, 8, 1)[0], make([]float64, 6)
	for j := range f {
		f[j] = 0.4
	}
	k := 0
	if n := testing.AllocsPerRun(200, func() {
		if _, _, err := g.Maximize(games[k%64], 8, 6, e, f); err != nil {
			t.Fatal(err)
		}
		k++
	}); n != 0 {
		t.Errorf("%v allocations per call", n)
	}
}

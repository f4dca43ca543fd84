package matrix

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"stackmate/internal/must"

	"pgregory.net/rapid"
)

// withEngines runs a test on every engine that is part of the program.
func withEngines(t *testing.T, test func(t *testing.T, g Engine)) {
	for _, name := range []string{"native", "glpk"} {
		g, err := NewEngine(name)
		if err != nil {
			continue // TestUnavailableEnginesSayHowToGetThem checks the error
		}
		t.Run(name, func(t *testing.T) {
			if g.Name() != name {
				t.Errorf("name %q, expected %q", g.Name(), name)
			}
			test(t, g)
		})
	}
}

func TestUnavailableEnginesSayHowToGetThem(t *testing.T) {
	if _, err := NewEngine("cplex"); err == nil || !strings.Contains(err.Error(), `found "cplex"`) {
		t.Errorf("error %v, expected one that names the engine", err)
	}
	if _, err := NewEngine("glpk"); err != nil && !strings.Contains(err.Error(), "-tags glpk") {
		t.Errorf("error %v, expected one that names the build tag", err)
	}
}

func TestEnginesSolveManyGamesAtOnce(t *testing.T) {
	withEngines(t, func(t *testing.T, g Engine) {
		for _, a := range uniform(4, 5, 4) {
			t.Run("goroutine", func(t *testing.T) {
				t.Parallel()
				g := must.Get(NewEngine(g.Name()))(t)
				x, y := make([]float64, 5), make([]float64, 4)
				for range 200 {
					value := must.Get(g.Nash(a, 5, 4, x, y))(t)
					checkEquilibrium(t, maximalGap(g), a, 5, 4, value, x, y)
				}
			})
		}
	})
}

func TestLinearProgramOfAMatrixGameHasItsValue(t *testing.T) {
	if _, err := NewEngine("glpk"); err != nil {
		t.Skip(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 6).Draw(t, "n")
		a := rapid.SliceOfN(rapid.Float64Range(-1, 1), m*n, m*n).Draw(t, "a")
		// max v subject to Σ a_ij x_i - v ≥ 0 for every j, Σx = 1.
		l := Linear{Objective: make([]float64, m+1)}
		l.Objective[m] = 1
		for range m {
			l.Variables = append(l.Variables, NonNegative)
		}
		l.Variables = append(l.Variables, Free)
		for j := range n {
			l.Rows = append(l.Rows, NonNegative)
			for i := range m {
				l.Entries = append(l.Entries, Entry{j, i, a[i*n+j]})
			}
			l.Entries = append(l.Entries, Entry{j, m, -1})
		}
		l.Rows = append(l.Rows, Equal(1))
		for i := range m {
			l.Entries = append(l.Entries, Entry{n, i, 1})
		}
		value, x := must.Get2(l.Maximize())(t)
		want := must.Get(NewNative().Nash(a, m, n, nil, nil))(t)
		if math.Abs(value-want) > 1e-6 || math.Abs(x[m]-want) > 1e-6 {
			t.Fatalf("value %v at %v, expected %v", value, x, want)
		}
	})
}

func TestLinearProgramsWithoutAnOptimum(t *testing.T) {
	if _, err := NewEngine("glpk"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name string
		row  Bounds
		want error
	}{
		{"infeasible", Bounds{math.Inf(-1), -1}, ErrInfeasible},
		{"unbounded", NonNegative, ErrUnbounded},
	} {
		l := Linear{Objective: []float64{1}, Variables: []Bounds{NonNegative}, Rows: []Bounds{c.row}, Entries: []Entry{{0, 0, 1}}}
		if _, _, err := l.Maximize(); err != c.want {
			t.Errorf("%s: error %v, expected %v", c.name, err, c.want)
		}
	}
}

func TestLinearProgramsNameBadInput(t *testing.T) {
	valid := func() Linear {
		return Linear{Objective: []float64{1}, Variables: []Bounds{NonNegative}, Rows: []Bounds{Equal(1)}, Entries: []Entry{{0, 0, 1}}}
	}
	for _, c := range []struct {
		want  string
		spoil func(l *Linear)
	}{
		{"at least one variable", func(l *Linear) { l.Variables = nil }},
		{"found 2", func(l *Linear) { l.Objective = []float64{1, 2} }},
		{"NaN for variable 0", func(l *Linear) { l.Objective[0] = math.NaN() }},
		{"2 and 1 for row 0", func(l *Linear) { l.Rows[0] = Bounds{2, 1} }},
		{"NaN and 1 for variable 0", func(l *Linear) { l.Variables[0] = Bounds{math.NaN(), 1} }},
		{"row 1, variable 0", func(l *Linear) { l.Entries[0].Row = 1 }},
		{"found two", func(l *Linear) { l.Entries = append(l.Entries, l.Entries[0]) }},
		{"+Inf in row 0", func(l *Linear) { l.Entries[0].Coefficient = math.Inf(1) }},
	} {
		l := valid()
		c.spoil(&l)
		if _, _, err := l.Maximize(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected one with %q", err, c.want)
		}
	}
}

func TestALargeGameIsLeftWhenItsContextEnds(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, n*n)
	for i := range a {
		a[i] = rng.Float64()
	}
	ctx, cancel := context.WithCancel(t.Context())
	g := NewNative()
	g.Within(ctx)
	if _, err := g.Nash(a, n, n, nil, nil); err != nil {
		t.Fatalf("with a context that has not ended: %v", err)
	}
	cancel()
	if _, err := g.Nash(a, n, n, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a game of %d×%d: error %v", n, n, err)
	}
	if _, _, err := g.Maximize(a, n, n-1, a[:n], make([]float64, n-1)); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a program: %v", err)
	}
	if v, err := g.Nash([]float64{0, 3, 5, 6, 0, 2, 1, 4, 0}, 3, 3, nil, nil); err != nil || v <= 0 {
		t.Errorf("a small game, which takes no time: %v, error %v", v, err)
	}
}

func TestRationalsAreLeftWhenTheirContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := make([]float64, 3)
	if _, err := nashByRationals(ctx, []float64{0, 3, 5, 6, 0, 2, 1, 4, 0}, 3, 3, x, x); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

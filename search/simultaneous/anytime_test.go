package simultaneous

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
)

// foreseen runs a new anytime search and checks what holds of every result.
func foreseen(t rapid.TB, config Config, g *stacked, lim search.Limits) search.Result {
	t.Helper()
	a, err := NewAnytime(config)
	if err != nil {
		t.Fatal(err)
	}
	m := g.machine()
	r, err := a.Search(context.Background(), m, m.Initial(), lim)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := g.exact().Float64()
	v := r.Values[g.row]
	if !r.Proved || want < v.Lower-tolerance || want > v.Upper+tolerance {
		t.Fatalf("%v (proved: %v) does not contain %v", v, r.Proved, want)
	}
	g.checkMoves(t, r)
	for role, e := range r.Estimates {
		if e < r.Values[role].Lower || e > r.Values[role].Upper {
			t.Fatalf("role %d: the estimate %v is outside of %v", role, e, r.Values[role])
		}
	}
	return r
}

func drawForesight(t *rapid.T) Config {
	return Config{Method: rapid.SampledFrom([]Method{BestFirst, SMAB}).Draw(t, "method"), Epsilon: rapid.SampledFrom([]float64{0, 0, 0.5, 5, 40, 100}).Draw(t, "epsilon")}
}

func TestAnytimeIntervalContainsTheValueAtEveryDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := drawForesight(t)
		config.Depth = rapid.IntRange(1, 4).Draw(t, "depth")
		foreseen(t, config, g, search.Limits{})
	})
}

func TestAnytimeSearchToTheEndIsExactUpToEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := drawForesight(t)
		v := foreseen(t, config, g, search.Limits{}).Values[g.row]
		if v.Upper-v.Lower > config.Epsilon {
			t.Fatalf("%v is wider than %v", v, config.Epsilon)
		}
	})
}

func TestBestFirstSearchIsExactUpToEpsilonInEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := Config{Method: BestFirst, Table: rapid.Bool().Draw(t, "table")}
		config.Epsilon = rapid.SampledFrom([]float64{0, 0.5, 5, 40}).Draw(t, "epsilon")
		config, err := config.complete()
		if err != nil {
			t.Fatal(err)
		}
		m := g.machine()
		s, err := newSolver(context.Background(), config, m, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		s.ctx = context.Background()
		alpha := float64(rapid.IntRange(-1, 100).Draw(t, "alpha"))
		beta := alpha + rapid.Float64Range(0.001, 101).Draw(t, "width")
		got := s.value(0, m.Initial(), alpha, beta)
		if min(got.Upper, beta) > max(got.Lower, alpha)+config.Epsilon+tolerance {
			t.Fatalf("window (%v, %v): %v answers nothing up to %v", alpha, beta, got, config.Epsilon)
		}
		if want, _ := g.exact().Float64(); want < got.Lower-tolerance || want > got.Upper+tolerance {
			t.Fatalf("window (%v, %v): %v does not contain %v", alpha, beta, got, want)
		}
	})
}

func TestStoppedAnytimeSearchGivesBoundsThatHoldAndGoesOnLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := drawForesight(t)
		limits := search.Limits{MaxNodes: rapid.Int64Range(1, 30).Draw(t, "nodes")}
		foreseen(t, config, g, limits)

		a, err := NewAnytime(config)
		if err != nil {
			t.Fatal(err)
		}
		m := g.machine()
		want, _ := g.exact().Float64()
		last := search.Interval{Lower: 0, Upper: 100}
		for _, lim := range []search.Limits{limits, limits, {}} {
			r, err := a.Search(context.Background(), m, m.Initial(), lim)
			if err != nil {
				t.Fatal(err)
			}
			v := r.Values[g.row]
			if v.Lower < last.Lower || v.Upper > last.Upper {
				t.Fatalf("%v after %v", v, last)
			}
			last = v
		}
		if want < last.Lower-tolerance || want > last.Upper+tolerance || last.Upper-last.Lower > config.Epsilon {
			t.Fatalf("%v in the end, want %v up to %v", last, want, config.Epsilon)
		}
	})
}

func TestAnytimeStrategiesGuaranteeTheIntervalProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := drawForesight(t)
		a, err := NewAnytime(config)
		if err != nil {
			t.Fatal(err)
		}
		m := g.machine()
		strategies := played(func(q machine.State) (search.Result, error) {
			return a.Search(context.Background(), m, q, search.Limits{})
		})
		c, err := certify.Check(context.Background(), m, m.Initial(), strategies, certify.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		// Each ply of a strategy may lose the tolerance once.
		if c.Gap > 2*5*config.Epsilon+tolerance {
			t.Fatalf("exploitability %v with a tolerance of %v", c.Gap, config.Epsilon)
		}
	})
}

func TestAnytimeSearchIsReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		config := drawForesight(t)
		limits := search.Limits{MaxNodes: rapid.Int64Range(1, 60).Draw(t, "nodes")}
		first, second := foreseen(t, config, g, limits), foreseen(t, config, g, limits)
		if diff := cmp.Diff(first, second, cmpopts.IgnoreFields(search.Counters{}, "Elapsed", "LPTime")); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAnytimeSearchReusesItsTable(t *testing.T) {
	m := newGoofspiel(descending(5), true)
	var deepened int64 // nodes of all iterations in one search
	var scratch int64  // nodes of the iterations each on its own
	for depth := 1; depth <= 4; depth++ {
		a, err := NewAnytime(Config{Depth: depth})
		if err != nil {
			t.Fatal(err)
		}
		first := solveFurther(t, a, m)
		again := solveFurther(t, a, m)
		if again.Nodes >= first.Nodes && depth > 1 {
			t.Errorf("depth %d: %d nodes, and %d with what is known", depth, first.Nodes, again.Nodes)
		}
		deepened = first.Nodes
		scratch += first.Nodes
	}
	if deepened >= scratch {
		t.Errorf("%d nodes in one search, %d in one for each depth", deepened, scratch)
	}
}

func solveFurther(tb testing.TB, a *Searcher, m machine.Machine) search.Result {
	tb.Helper()
	r, err := a.Search(context.Background(), m, m.Initial(), search.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestAnytimeSearchLooksAsFarAsItsDepth(t *testing.T) {
	// The last prize decides: nothing is proved before it.
	m := newGoofspiel([]int{1, 2, 3}, true)
	a, err := NewAnytime(Config{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := solveFurther(t, a, m)
	if r.Nodes != 1 || r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) || math.Abs(r.Estimates[0]-50) > 1 || r.Solved() {
		t.Errorf("%+v", r)
	}
}

func TestAnytimeProgressReportsNestedIntervalsAndEstimates(t *testing.T) {
	m := newGoofspiel(descending(5), false)
	a, err := NewAnytime(Config{})
	if err != nil {
		t.Fatal(err)
	}
	last, calls := search.Interval{Lower: 0, Upper: 100}, 0
	limits := search.Limits{Progress: func(r search.Result) {
		calls++
		v := r.Values[0]
		if v.Lower < last.Lower || v.Upper > last.Upper || r.Estimates[0] < v.Lower || r.Estimates[0] > v.Upper || !r.Proved {
			t.Errorf("%+v after %v", r, last)
		}
		last = v
	}}
	r, err := a.Search(context.Background(), m, m.Initial(), limits)
	if err != nil || calls == 0 || !r.Solved() || len(r.Line) == 0 {
		t.Errorf("%+v after %d reports, error %v", r, calls, err)
	}
}

func TestAnytimeSearchOfGamesThatNeverEndStopsAtItsLimit(t *testing.T) {
	names := &machine.Names{Roles: []string{"left", "right"}, Moves: [][]string{{"a", "b"}, {"c", "d"}}}
	for _, choices := range []int{1, 2} {
		m := newToy(names, machine.State{0}, func() machine.Stepper { return &endless{choices: choices} })
		a, err := NewAnytime(Config{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 3_000})
		if err != nil || r.Solved() || r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) || r.Nodes > 3_000 {
			t.Errorf("%+v, error %v", r, err)
		}
	}
}

func TestCancelledAnytimeSearchReturnsWhatItKnows(t *testing.T) {
	m := newGoofspiel(descending(4), true)
	a, err := NewAnytime(Config{})
	if err != nil {
		t.Fatal(err)
	}
	solved := solveFurther(t, a, m)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var e machine.Expansion
	machine.NewExpander(m).Expand(&e, m.Initial())
	r, err := a.Search(ctx, m, m.Initial(), search.Limits{})
	if err != nil || r.Values[0] != solved.Values[0] || r.Nodes != 0 {
		t.Errorf("the root: %+v, error %v", r, err)
	}
	r, err = a.Search(ctx, m, e.Child(0), search.Limits{}) // fewer moves than the root has
	if err != nil || !r.Proved || r.Nodes != 0 {
		t.Errorf("a child: %+v, error %v", r, err)
	}
}

func TestAnytimeSearchAllocatesNothingOnceWarm(t *testing.T) {
	m := newGoofspiel(descending(4), true)
	a, err := NewAnytime(Config{Depth: 3})
	if err != nil {
		t.Fatal(err)
	}
	solveFurther(t, a, m)
	s := a.solver
	s.counters.Nodes = 0
	allocs := testing.AllocsPerRun(3, func() {
		for s.horizon.depth = 1; s.horizon.depth <= 3; s.horizon.depth++ {
			s.explore(0, m.Initial(), s.config.Low-1, s.config.High+1)
		}
	})
	if s.counters.Nodes <= 3 {
		t.Errorf("%d nodes: nothing was searched", s.counters.Nodes)
	}
	if allocs != 0 {
		t.Errorf("%v allocations per search", allocs)
	}
}

func TestAnytimeSearchSolvesWithATableThatForgets(t *testing.T) {
	m := newGoofspiel(descending(6), true) // more positions than the least table holds
	a, err := NewAnytime(Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Search(context.Background(), m, m.Initial(), search.Limits{MaxBytes: 1})
	if err != nil || !r.Solved() || math.Abs(r.Values[0].Lower-50) > tolerance {
		t.Errorf("%+v, error %v", r, err)
	}
	if a.solver.horizon.table.Stats().Evictions == 0 {
		t.Error("the table forgot nothing")
	}
}

func TestWrongToleranceOrDepthIsRefused(t *testing.T) {
	for _, config := range []Config{{Epsilon: -1}, {Epsilon: math.NaN()}, {Depth: -1}} {
		if _, err := NewAnytime(config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
}

func BenchmarkAnytime(b *testing.B) {
	for n := 5; n <= 7; n++ {
		for _, epsilon := range []float64{0, 1, 5, 20} {
			for _, deepening := range []bool{false, true} {
				b.Run(fmt.Sprintf("N=%d/eps=%v/deepening=%t", n, epsilon, deepening), func(b *testing.B) {
					m := newGoofspiel(descending(n), true)
					var nodes int64
					for range b.N {
						nodes = tolerantNodes(b, Config{Method: BestFirst, Table: true, Epsilon: epsilon}, deepening, m)
					}
					b.ReportMetric(float64(nodes), "nodes")
				})
			}
		}
	}
}

func tolerantNodes(b *testing.B, config Config, deepening bool, m machine.Machine) int64 {
	if deepening {
		a, err := NewAnytime(config)
		if err != nil {
			b.Fatal(err)
		}
		return solveFurther(b, a, m).Nodes
	}
	s, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	return solveWith(b, s, m).Nodes
}

// BenchmarkForesight shows what is proved and estimated as the horizon moves
// out: goofspiel 7 after 6 against 7.
func BenchmarkForesight(b *testing.B) {
	m := newGoofspiel(descending(7), false)
	var e machine.Expansion
	machine.NewExpander(m).Expand(&e, m.Initial())
	for depth := 1; depth <= 6; depth++ {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			var r search.Result
			for range b.N {
				a, err := NewAnytime(Config{Depth: depth})
				if err != nil {
					b.Fatal(err)
				}
				if r, err = a.Search(context.Background(), m, e.Child(7), search.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Nodes), "nodes")
			b.ReportMetric(r.Values[0].Lower, "lower")
			b.ReportMetric(r.Values[0].Upper, "upper")
			b.ReportMetric(r.Estimates[0], "estimate")
		})
	}
}

package player

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// tried returns visits and estimates of moves 1, 2 and 3.
func tried(visits [3]int64, estimates [3]float64) []search.Known {
	var list []search.Known
	for i := range visits {
		list = append(list, search.Known{
			Move: machine.Move(i + 1), Bounds: search.Interval{Lower: worstGoal, Upper: bestGoal}, Estimate: estimates[i], Visits: visits[i],
		})
	}
	return list
}

// bounded returns proved bounds of moves 1, 2 and 3.
func bounded(bounds ...search.Interval) []search.Known {
	var list []search.Known
	for i, b := range bounds {
		list = append(list, search.Known{Move: machine.Move(i + 1), Bounds: b})
	}
	return list
}

func moves(r search.Result, known []search.Known) *search.Result {
	r.Moves = [][]search.Known{known}
	return &r
}

func TestTheMoveOfARoot(t *testing.T) {
	open := search.Interval{Lower: 0, Upper: 100}
	m := newSubtraction(9)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	if v := newRoot(at).decide("by samples"); v.by != byFallback || v.strategy != nil {
		t.Errorf("%v by %s where nothing is known", v.strategy, v.by)
	}
	likes2 := pure(2, search.Exact(60), false)
	sampled := moves(likes2, tried([3]int64{5, 90, 20}, [3]float64{55, 60, 50}))
	for name, c := range map[string]struct {
		exact, sampled *search.Result
		other          *search.Interval // bounds of move 2 proved elsewhere
		want           machine.Move
		by             decider
		why            string
	}{
		"samples alone":             {sampled: sampled, want: 2, by: bySampling},
		"an exact search alone":     {exact: moves(pure(1, open, true), nil), want: 1, by: byExact},
		"a proved win":              {exact: moves(pure(1, search.Exact(100), true), nil), sampled: sampled, want: 1, by: byExact},
		"a proved value":            {exact: moves(pure(1, search.Exact(50), true), nil), sampled: sampled, want: 1, by: byExact},
		"another move as good":      {exact: moves(pure(1, search.Exact(50), true), nil), other: &search.Interval{Lower: 50, Upper: 50}, sampled: sampled, want: 2, by: bySampling, why: "proved best"},
		"another move not as good":  {exact: moves(pure(1, search.Exact(50), true), nil), other: &search.Interval{Lower: 40, Upper: 50}, sampled: sampled, want: 1, by: byExact},
		"all is lost":               {exact: moves(pure(1, search.Exact(0), true), nil), sampled: sampled, want: 2, by: bySampling, why: "a loss is proved"},
		"more proved than promised": {exact: moves(pure(1, search.Interval{Lower: 70, Upper: 100}, true), nil), sampled: sampled, want: 1, by: byExact},
		"a guess beside the proof": {
			exact:   moves(pure(1, search.Interval{Lower: 70, Upper: 100}, true), bounded(open, open, search.Interval{Lower: 70, Upper: 100})),
			sampled: sampled, want: 3, by: byExact,
		},
		"a guess beside the proof of the first move": {
			exact:   moves(pure(3, search.Interval{Lower: 70, Upper: 100}, true), bounded(search.Interval{Lower: 70, Upper: 100}, open, open)),
			sampled: sampled, want: 1, by: byExact,
		},
		"less proved than promised": {exact: moves(pure(1, search.Interval{Lower: 50, Upper: 100}, true), nil), sampled: sampled, want: 2, by: bySampling},
		"an estimate is no proof":   {exact: moves(pure(1, search.Exact(100), false), nil), sampled: sampled, want: 2, by: bySampling},
		"a mistake": {
			exact: moves(pure(1, open, true), bounded(open, search.Exact(0), open)), sampled: sampled,
			want: 3, by: bySampling, why: "(take 2) is a proved mistake",
		},
		"a mistake, the next has only lost": {
			exact:   moves(pure(1, open, true), bounded(open, search.Exact(0), open)),
			sampled: moves(likes2, tried([3]int64{5, 90, 20}, [3]float64{55, 60, 0})), want: 1, by: bySampling,
		},
		"a mistake, all others have only lost": {
			exact:   moves(pure(1, open, true), bounded(open, search.Exact(0), open)),
			sampled: moves(likes2, tried([3]int64{5, 90, 20}, [3]float64{})), want: 3, by: bySampling,
		},
		"a mistake that samples have proved": {
			exact: moves(pure(1, open, true), nil), sampled: moves(likes2, bounded(open, search.Interval{Lower: 0, Upper: 30}, search.Interval{Lower: 40, Upper: 100})),
			want: 3, by: bySampling,
		},
		"samples have proved the value": {
			exact: moves(pure(1, open, true), nil), sampled: moves(pure(2, search.Exact(50), true), nil), want: 2, by: bySampling, why: "has proved the value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoot(at)
			if c.exact != nil {
				r.note("prover", c.exact)
			}
			if c.sampled != nil {
				r.noteSamples("sampler", c.sampled)
			}
			if c.other != nil {
				r.bound(2, *c.other)
			}
			v := r.decide("by samples")
			if len(v.strategy) != 1 || v.strategy[0] != (search.Weighted{Move: c.want, Probability: 1}) || v.by != c.by || !strings.Contains(v.why, c.why) {
				t.Errorf("%v by %s: %s; want move %d by %s: %s", v.strategy, v.by, v.why, c.want, c.by, c.why)
			}
		})
	}
}

func TestAProvedWinIsMadeInFewestMoves(t *testing.T) {
	m := newSubtraction(3)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	long, short := pure(1, search.Exact(100), true), pure(3, search.Exact(100), true)
	long.Line, short.Line = [][]machine.Move{{1, 0}, {0, 1}, {1, 0}}, [][]machine.Move{{3, 0}}
	for name, c := range map[string]struct{ exact, sampled search.Result }{
		"exact is quicker":   {short, long},
		"samples are":        {long, short},
		"samples prove it":   {pure(1, search.Interval{Lower: 0, Upper: 100}, true), short},
		"no end of the line": {pure(1, search.Exact(100), true), short},
	} {
		r := newRoot(at)
		r.note("prover", &c.exact)
		r.noteSamples("sampler", &c.sampled)
		if v := r.decide(""); len(v.strategy) != 1 || v.strategy[0].Move != 3 {
			t.Errorf("%s: plays %v: %s", name, v.strategy, v.why)
		} else if !v.result.Proved || v.result.Values[0] != search.Exact(100) {
			t.Errorf("%s: a proved win is said to be worth %v (proved %v)", name, v.result.Values, v.result.Proved)
		}
		if k := r.known(3); k.Plies != 1 || len(k.Line) != 1 {
			t.Errorf("%s: of the winning move is known %+v", name, k)
		}
	}
	unproved := pure(3, search.Exact(100), false)
	unproved.Line = short.Line
	r := newRoot(at)
	r.note("prover", &unproved)
	if k := r.known(3); k.Plies != 0 || len(k.Line) != 1 {
		t.Errorf("of a line that is not proved is known %+v", k)
	}
}

func TestAMixedStrategyLosesItsMistakes(t *testing.T) {
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	r := newRoot(position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
	r.noteSamples("sampler", &search.Result{
		Values:     []search.Interval{search.Exact(50), search.Exact(50)},
		Strategies: [][]search.Weighted{{{Move: 0, Probability: 0.2}, {Move: 1, Probability: 0.8}}},
	})
	r.bound(0, search.Interval{Lower: 30, Upper: 100})
	r.bound(1, search.Interval{Lower: 0, Upper: 20})
	if v := r.decide(""); len(v.strategy) != 1 || v.strategy[0] != (search.Weighted{Move: 0, Probability: 1}) {
		t.Errorf("plays %v", v.strategy)
	}
}

func TestTheExactSearchMayBeNamed(t *testing.T) {
	for name, want := range map[string]exactChoice{
		"stackmate":                         {},
		"stackmate:exact=smab":              {method: "smab"},
		"stackmate:exact=biab,threads=1":    {method: "biab"},
		"stackmate:exact=bab:epsilon=2.5":   {method: "bab", epsilon: 2.5},
		"stackmate:threads=2,exact=none":    {},
		"mcts:exact=do,without=bounds+rave": {method: "do"},
	} {
		s, err := parse(name)
		if err != nil || s.exact != want || strings.Contains(name, "none") != slices.Contains(s.without, exactSearch) && s.kind.Name != "mcts" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for _, name := range []string{"stackmate:exact=", "stackmate:exact=mcts", "stackmate:exact=bab:epsilon=", "stackmate:exact=bab:epsilon=101", "stackmate:exact=bab:e=1", "stackmate:exact=none:epsilon=1"} {
		if _, err := parse(name); err == nil || !strings.Contains(err.Error(), "exact: expected") {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	p := onOneThread(0, 64<<20)
	p.setting.exact = exactChoice{method: "smab"}
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
	p.prepare(t.Context(), at)
	if !slices.Equal(p.methods, []string{"smab"}) {
		t.Errorf("exact searches %v", p.methods)
	}
	p.sampler = nil // it may prove the value before the exact search
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if r := p.search(ctx, at); !r.settles(r.exact) || r.exact.Values[0] != search.Exact(50) {
		t.Errorf("found %+v", r.exact)
	}
}

// asked is a machine that counts the questions for the sum of the goals.
type asked struct {
	machine.Machine
	sums *int
}

func (a asked) ProvedGoalSum(context.Context) (int32, bool) {
	*a.sums++
	return 100, true
}

func (a asked) ProvedLength(context.Context) (int, bool) { return 0, false }

func TestTheSumOfTheGoalsOfTwoPlayersIsProvedBeforeTheFirstMove(t *testing.T) {
	constant := toys.Cyclic(rand.New(rand.NewPCG(1, 1)), 6, true)
	alone := toys.Tree{Roles: []string{"a"}, Nodes: []toys.Node{{Moves: []int{2}, Kids: []int{1, 1}}, {Goals: []int32{50}}}}
	general := toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{50, 50}}, {Goals: []int32{80, 50}}}}
	for name, c := range map[string]struct {
		game *toys.Tree
		want bool
	}{"constant sum": {constant, true}, "one player": {&alone, false}, "general sum": {&general, false}} {
		m, sums := c.game.Machine(), 0
		onOneThread(0, 64<<20).prepare(t.Context(), position{machine: asked{m, &sums}, state: m.Initial(), legal: []machine.Move{0, 1}})
		if (sums > 0) != c.want {
			t.Errorf("%s: %d questions for the sum", name, sums)
		}
	}
}

func TestTheExactSearchWorksLessWhileItFindsNothing(t *testing.T) {
	m := newSubtraction(9)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	for name, c := range map[string]struct {
		found search.Result
		want  time.Duration // that it works for the third move
	}{
		"nothing":        {pure(1, search.Interval{Lower: 0, Upper: 100}, true), 250 * time.Millisecond},
		"a loss":         {pure(1, search.Exact(0), true), time.Second},
		"a refuted move": {*moves(pure(1, search.Interval{Lower: 0, Upper: 100}, true), bounded(search.Exact(0), search.Interval{Upper: 100})), time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := onOneThread(0, 64<<20)
			p.prepare(t.Context(), at)
			exact := &stopwatch{result: c.found}
			searchBy(p, &patient{result: pure(2, search.Exact(60), false)}, exact)
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				p.choose(ctx, at)
				cancel()
			}
			if exact.took != c.want {
				t.Errorf("it finds %s and works for %v, want %v", name, exact.took, c.want)
			}
		})
	}
}

func TestNothingIsSampledWhileAGameOfMovesAtOnceMayBeSolved(t *testing.T) {
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
	synctest.Test(t, func(t *testing.T) {
		p := onOneThread(0, 64<<20)
		p.prepare(t.Context(), at)
		exact, sampler := &stopwatch{result: pure(1, search.Interval{Lower: 0, Upper: 100}, true)}, &stopwatch{result: pure(2, search.Exact(60), false)}
		searchBy(p, sampler, exact)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if p.solves(ctx, at) || exact.took != 2500*time.Millisecond || sampler.took != 0 {
			t.Errorf("it works for %v, want a quarter of ten seconds, and the sampling search for %v", exact.took, sampler.took)
		}
		if p.choose(ctx, at); sampler.took == 0 {
			t.Error("nothing is sampled for the first move")
		}
	})
}

// stopwatch is a search that tells how long it has worked.
type stopwatch struct {
	result search.Result
	took   time.Duration
}

func (s *stopwatch) Search(ctx context.Context, _ machine.Machine, _ machine.State, _ search.Limits) (search.Result, error) {
	began := time.Now()
	<-ctx.Done()
	s.took = time.Since(began)
	return s.result, nil
}

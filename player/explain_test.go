package player

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

func TestAMoveIsExplainedByTheSearchThatDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := pure(2, search.Exact(60), false)
		result.Line, result.Nodes, result.Playouts, result.Elapsed = [][]machine.Move{{2, 0}, {0, 1}}, 10, 500, time.Second
		open := search.Interval{Lower: 0, Upper: 100}
		result.Moves = [][]search.Known{{{Move: 1, Visits: 3, Bounds: open, Estimate: 40}, {Move: 2, Visits: 7, Bounds: open, Estimate: 61}}}
		p := seated(t, newSubtraction(9), &patient{result: result}, nil)
		if x := p.Explain(); x != nil {
			t.Errorf("explains %v before the first move", x)
		}
		playTurn(t, p, 2*time.Second)
		want := &Explanation{
			Move: "(take 2)", By: "Monte Carlo", Why: "no proof decides: the best move by playouts",
			Values:   []Value{{Role: "left", Lower: 60, Upper: 60, Estimate: 60}, {Role: "right", Lower: 40, Upper: 40, Estimate: 40}},
			Strategy: []Share{{Move: "(take 2)", Probability: 1, Value: 61, HasValue: true}, {Move: "(take 1)", Value: 40, HasValue: true}},
			Line:     [][]string{{"(take 2)", "noop"}, {"noop", "(take 1)"}},
			Nodes:    10, Playouts: 500, Took: 1700 * time.Millisecond,
		}
		if diff := gocmp.Diff(want, p.Explain()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		playTurn(t, p, 2*time.Second, "(take 2)", "noop")
		if x := p.Explain(); x == nil || x.By != "only move" || x.Why == "" || x.Move != "noop" {
			t.Errorf("the only move is explained by %+v", x)
		}
		p.Abort()
	})
}

func TestTheExplanationNamesTheSearchThatDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		undecided, win := pure(2, search.Interval{Lower: 0, Upper: 100}, false), pure(1, search.Exact(100), true)
		p := seated(t, newSubtraction(9), &patient{result: undecided}, &patient{result: win})
		p.worker.policy.(*thinker).methods = []string{solve.SimultaneousAlphaBeta}
		if playTurn(t, p, 2*time.Second); p.Explain().By != "Simultaneous Move Alpha-Beta" {
			t.Errorf("decided by %q, want the exact search's name", p.Explain().By)
		}
		p.Abort()
	})
	synctest.Test(t, func(t *testing.T) {
		p := seated(t, newSubtraction(9), &patient{result: pure(2, search.Exact(60), false)}, nil)
		at := p.worker.policy.(*thinker)
		at.approach.evaluator, at.class.Simultaneous = new(evaluate.Evaluation), true
		if playTurn(t, p, 2*time.Second); p.Explain().By != "best-first search" {
			t.Errorf("decided by %q, want the search of games at once with an evaluation", p.Explain().By)
		}
		p.Abort()
	})
}

func TestTheExplanationHasTheProvedIntervalAndItsTolerance(t *testing.T) {
	for name, c := range map[string]struct {
		proved  search.Interval
		by, why string
		lower   float64 // the value that is shown
	}{
		"Monte Carlo decides": {search.Interval{Lower: 25, Upper: 50}, "Monte Carlo", "; Bounded Alpha-Beta, ε 25 has proved a value from 25 to 50", 60},
		"the proof decides":   {search.Interval{Lower: 75, Upper: 100}, "Bounded Alpha-Beta, ε 25", "", 75},
		"nothing is proved":   {search.Interval{Lower: 0, Upper: 100}, "Monte Carlo", "", 60},
		"the value is proved": {search.Exact(75), "Bounded Alpha-Beta", "", 75},
		"a loss is proved":    {search.Exact(0), "Monte Carlo", "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			likes, proof := pure(2, search.Exact(60), false), pure(1, c.proved, true)
			proof.Epsilon = 25
			p := seated(t, newSubtraction(9), &patient{result: likes}, &patient{result: proof})
			p.worker.policy.(*thinker).methods = []string{solve.BoundedAlphaBeta}
			playTurn(t, p, 2*time.Second)
			x := p.Explain()
			if _, why, _ := strings.Cut(x.Why, "; "); x.By != c.by || "; "+why != cmp.Or(c.why, "; ") || x.Values[0].Lower != c.lower {
				t.Errorf("%s: %q by %q, values %+v", name, x.Why, x.By, x.Values)
			}
			p.Abort()
		})
	}
}

func TestAForcedGoalProvesNothingForOtherRoles(t *testing.T) {
	m := newShot([][][2]int32{{{100, 90}, {30, 0}}, {{100, 90}, {30, 0}}})
	for name, c := range map[string]struct {
		exact, sampled *search.Result
		line           [][]machine.Move
		want           search.Interval
		estimate       float64
	}{
		"no result":           {want: search.GoalRange, estimate: 50},
		"the end of the line": {line: [][]machine.Move{{0, 0}}, want: search.GoalRange, estimate: 90},
		"an estimate":         {exact: new(pure(0, search.Exact(100), false)), want: search.GoalRange, estimate: 50},
		"a proof":             {exact: new(pure(0, search.Exact(100), true)), want: search.Exact(0), estimate: 0},
		"a proof by samples":  {sampled: new(pure(0, search.Exact(100), true)), want: search.Exact(0), estimate: 0},
	} {
		at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
		r := newRoot(at)
		r.exact, r.sampled, r.known(0).Line = c.exact, c.sampled, c.line
		r.arrive(arrival.Way{Move: 0, Plies: 1}, 100)
		x := explain(at, choice{verdict: r.decide(""), root: r}, "", 0)
		want := []Value{
			{Role: "left", Lower: 100, Upper: 100, Estimate: 100, Proved: true},
			{Role: "right", Lower: c.want.Lower, Upper: c.want.Upper, Estimate: c.estimate, Proved: true},
		}
		if diff := gocmp.Diff(want, x.Values); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}

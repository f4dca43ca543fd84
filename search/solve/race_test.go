package solve

import (
	"context"
	"errors"
	"slices"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// unfinished is a search without a result, which records the memory of each call.
type unfinished struct{ memory *[]int64 }

func (s unfinished) Search(_ context.Context, _ machine.Machine, _ machine.State, lim search.Limits) (search.Result, error) {
	*s.memory = append(*s.memory, lim.MaxBytes)
	return search.Result{Values: make([]search.Interval, 2), Unfinished: errors.New("unfinished")}, nil
}

func TestTheMethodsBesideTheFirstHaveAnEighthOfItsMemory(t *testing.T) {
	var memory []int64
	s := &Solver{searchers: map[string]search.Searcher{BoundedAlphaBeta: unfinished{&memory}, DepthFirst: unfinished{&memory}}}
	r := runners{first: BoundedAlphaBeta, beside: []string{DepthFirst}}
	_, err := s.race(t.Context(), r, nil, nil, search.Limits{MaxNodes: 1, MaxBytes: 800})
	if want := []int64{800, 100}; err != nil || !slices.Equal(memory, want) {
		t.Errorf("memory %v, error %v; want %v", memory, err, want)
	}
}

// A bound of plans counts a match without end as nothing; bounds of other methods don't.
func TestAResultWithABoundOfPlansIsABestEnd(t *testing.T) {
	result := func(c search.Concept, lower, upper float64) outcome {
		return outcome{result: search.Result{Proved: true, Concept: c, Values: []search.Interval{{Lower: lower, Upper: upper}}}}
	}
	searched, plan := result(search.Value, 40, 100), result(search.BestEnd, 30, 60)
	for _, known := range [][]outcome{{searched, plan}, {plan, searched}} {
		if r := new(Solver).together(known); r.Concept != search.BestEnd || r.Values[0] != (search.Interval{Lower: 40, Upper: 60}) {
			t.Errorf("%s %v", r.Concept, r.Values)
		}
	}
	searched = result(search.Value, 40, 40)
	if r := new(Solver).together([]outcome{searched, plan}); r.Concept != search.Value || r.Values[0] != search.Exact(40) {
		t.Errorf("%s %v", r.Concept, r.Values)
	}
}

func TestRoundingLeavesAnIntervalWithinTheTolerance(t *testing.T) {
	interval := func(width float64) outcome {
		return outcome{method: DepthFirst, result: search.Result{Proved: true, Values: []search.Interval{{Lower: 70, Upper: 70 + width}}}}
	}
	s := &Solver{epsilon: 5}
	if o := interval(5 + 2*roundingOf(DepthFirst)); !s.isEnough(o) {
		t.Errorf("%v, widened by rounding, is not enough for a tolerance of 5", o.result.Values)
	}
	if o := interval(5.001); s.isEnough(o) {
		t.Errorf("%v is enough for a tolerance of 5", o.result.Values)
	}
	if exact := (&Solver{}); exact.isEnough(interval(2 * roundingOf(DepthFirst))) {
		t.Error("an open interval is enough without a tolerance")
	}
}

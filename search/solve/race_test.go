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

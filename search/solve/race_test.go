package solve

import (
	"testing"

	"stackmate/search"
)

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

package search_test

import (
	"testing"

	"stackmate/search"
)

func TestTheGuessIsTheEstimateElseTheMiddle(t *testing.T) {
	wide := search.Interval{Lower: 20, Upper: 80}
	for name, c := range map[string]struct {
		result search.Result
		want   float64
	}{
		"an estimate":           {search.Result{Values: []search.Interval{wide}, Estimates: []float64{70}}, 70},
		"no estimate":           {search.Result{Values: []search.Interval{wide}}, 50},
		"a value beats a guess": {search.Result{Values: []search.Interval{search.Exact(30)}, Estimates: []float64{70}}, 30},
	} {
		if got := c.result.Guess(0); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestIntervalsMeetTurnRoundAndHoldANumber(t *testing.T) {
	a, b := search.Interval{Lower: 10, Upper: 60}, search.Interval{Lower: 40, Upper: 90}
	if got := a.Meet(b); got != (search.Interval{Lower: 40, Upper: 60}) || b.Meet(a) != got {
		t.Errorf("%v and %v meet in %v", a, b, got)
	}
	if got := a.Opposite(100); got != (search.Interval{Lower: 40, Upper: 90}) {
		t.Errorf("the other player has %v of 100 beside %v", got, a)
	}
	for v, want := range map[float64]float64{0: 10, 10: 10, 33: 33, 61: 60} {
		if got := a.Clamp(v); got != want {
			t.Errorf("%g in %v: %g, want %g", v, a, got, want)
		}
	}
}

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

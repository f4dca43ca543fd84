package simultaneous

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/search"
	"stackmate/search/matrix"
)

func TestSequenceFormFindsTheValueOfRandomStackedGames(t *testing.T) {
	program := matrix.Linear{Objective: []float64{1}, Variables: []matrix.Bounds{{Upper: 1}}, Rows: []matrix.Bounds{{Upper: 1}}}
	if _, _, err := program.Maximize(); err != nil {
		t.Skip(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		want, _ := g.exact().Float64()
		got := solve(t, Config{Method: SequenceForm}, g.machine())
		if v := got.Values[g.row]; math.Abs(v.Lower-want) > 1e-4 || math.Abs(v.Upper-want) > 1e-4 {
			t.Fatalf("value %v, want %v", v, want)
		}
	})
}

func TestSequenceFormStopsAtItsLimits(t *testing.T) {
	searcher, err := New(Config{Method: SequenceForm})
	if err != nil {
		t.Fatal(err)
	}
	m := newGoofspiel(descending(6), false)
	got, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{MaxBytes: 1 << 16})
	if err != nil || got.Solved() || got.Values[0] != (search.Interval{Lower: 0, Upper: 100}) {
		t.Fatalf("%v, error %v: want the goal range", got.Values, err)
	}
}

func TestSequenceFormWithoutGLPKSaysHowToGetIt(t *testing.T) {
	searcher, err := New(Config{Method: SequenceForm})
	if err != nil {
		t.Fatal(err)
	}
	m := newGoofspiel(descending(3), false)
	_, err = searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
	if err != nil && !strings.Contains(err.Error(), "glpk") {
		t.Fatalf("error %v", err)
	}
}

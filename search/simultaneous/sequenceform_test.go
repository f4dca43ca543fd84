package simultaneous

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/matrix"
)

func TestSequenceFormFindsTheValueOfRandomStackedGames(t *testing.T) {
	needGLPK(t)
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		want, _ := g.exact().Float64()
		got := solve(t, Config{Method: SequenceForm}, g.machine())
		if v := got.Values[g.row]; math.Abs(v.Lower-want) > 1e-4 || math.Abs(v.Upper-want) > 1e-4 {
			t.Fatalf("value %v, want %v", v, want)
		}
	})
}

// needGLPK skips a test of a build that cannot solve the programs.
func needGLPK(t *testing.T) {
	t.Helper()
	if _, err := matrix.NewEngine("glpk"); err != nil {
		t.Skip(err)
	}
}

func TestSequenceFormStopsAtItsLimits(t *testing.T) {
	needGLPK(t)
	searcher := must.Get(New(Config{Method: SequenceForm}))(t)
	m := newGoofspiel(descending(6), false)
	got, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{MaxBytes: 1 << 16})
	if err != nil || got.Solved() || got.Values[0] != (search.Interval{Lower: 0, Upper: 100}) {
		t.Fatalf("%v, error %v: want the goal range", got.Values, err)
	}
	if got.Unfinished == nil || !strings.Contains(got.Unfinished.Error(), "more than 0 MiB") {
		t.Errorf("unfinished because of %v", got.Unfinished)
	}
}

func TestSequenceFormEndsWithItsContext(t *testing.T) {
	needGLPK(t)
	g := toys.Wide{Roles: two, Moves: []int{4, 4}, Depth: 30}
	passes := toys.PassesAfterEnd(g.Machine(), 1000, func(ctx context.Context, m machine.Machine) {
		searcher := must.Get(New(Config{Method: SequenceForm}))(t)
		got, err := searcher.Search(ctx, m, m.Initial(), search.Limits{})
		if err != nil || got.Solved() || got.Unfinished != nil {
			t.Errorf("solved: %t, unfinished: %v, error %v", got.Solved(), got.Unfinished, err)
		}
	})
	if passes > 8 {
		t.Errorf("%d passes more", passes)
	}
}

func TestSequenceFormWithoutGLPKSaysHowToGetIt(t *testing.T) {
	searcher := must.Get(New(Config{Method: SequenceForm}))(t)
	m := newGoofspiel(descending(3), false)
	got, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
	if err != nil && (!strings.Contains(err.Error(), "-tags glpk") || got.Nodes > 0) {
		t.Fatalf("error %v after %d positions", err, got.Nodes)
	}
}

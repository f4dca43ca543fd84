package training

import (
	"context"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// level is an evaluation by which all positions are alike.
type level struct{}

func (level) Values(dst []float64, _ []uint64) {
	for i := range dst {
		dst[i] = 50
	}
}

func TestTheBetterSearchWinsAContestFromBothSides(t *testing.T) {
	blind, seeing := montecarlo.Config{Evaluator: level{}, Alone: true}, montecarlo.Config{}
	for name, c := range map[string]struct {
		rivals [2]montecarlo.Config
		sign   float64
	}{
		"first":  {[2]montecarlo.Config{seeing, blind}, 1},
		"second": {[2]montecarlo.Config{blind, seeing}, -1},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		p := pairs{machine: gamestest.Machine(t, "connectFour"), rivals: c.rivals, move: 2 * time.Millisecond, bytes: contestBytes}
		s, err := p.play(ctx)
		if ctx.Err() != nil {
			t.Errorf("the contest goes on after %d pairs", s.Games)
		}
		cancel()
		if err != nil || s.Games < leastPairs || c.sign*s.Points <= s.Error {
			t.Errorf("the %s search is better: %+v, %v", name, s, err)
		}
	}
}

func TestTheSidesOfAPairAreSwapped(t *testing.T) {
	names := gamestest.Machine(t, "ticTacToe").Names()
	for first := range 2 {
		sides := seats(names, first)
		points := difference(sides, func(r int) float64 { return []float64{100, 0}[r] })
		if want := []float64{100, -100}[first]; sides[0] != first || points != want {
			t.Errorf("rival %d has the first player: sides %v, %g points, want %g", first, sides, points, want)
		}
	}
}

func TestAContestIsRecordedInTheFile(t *testing.T) {
	x, _ := begin(t, "ticTacToe")
	x.learner.Learn(t.Context(), 100)
	if err := x.checkpoint(t.Context(), 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	for length := 2 * time.Second; x.Alone == nil; length *= 2 { // on a busy machine matches take longer
		if err := x.decideLeaves(t.Context(), length); err != nil {
			t.Fatal(err)
		}
	}
	l, err := evaluate.Load(x.File, x.rules, x.machine, config(t.Context(), x.game, x.class, 1, 16<<20))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Evaluation().Alone(); got != *x.Alone || got.Games == 0 {
		t.Errorf("the file has %+v, want %+v", got, *x.Alone)
	}
}

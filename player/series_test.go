package player

import (
	"context"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

func TestMatchesConvinceAsSeldomAsTheyPromiseTo(t *testing.T) {
	// Of rivals that are equal, with and without draws, whoever looks after each of 200
	// matches must be misled in no more than one series of twenty.
	const runs, length = 2000, 200
	rng := machine.NewRand(3)
	for _, draws := range []float64{0, 0.5} {
		misled := 0
		for range runs {
			var e evidence
			for range length {
				share := 0.5
				if rng.Float64() >= draws {
					share = float64(rng.Intn(2))
				}
				if e.add(share); e.convinces() {
					misled++
					break
				}
			}
		}
		if misled > runs/convincing {
			t.Errorf("misled in %d of %d series, %g of the matches drawn", misled, runs, draws)
		}
	}
	for wins, want := range map[int]bool{5: false, 6: true} {
		var e evidence
		for range wins {
			e.add(1)
		}
		if e.convinces() != want {
			t.Errorf("%d matches won convince: %v", wins, !want)
		}
	}
}

func TestASeriesIsTakenUpWhereItWasBrokenOff(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	s := &series{comparison: comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{}), nodes: 500}, at: position{machine: m, state: m.Initial()}, memory: comparisonBytes}
	var first *bout
	for slice := time.Millisecond; s.matches == 0; slice += time.Millisecond {
		ctx, cancel := context.WithTimeout(t.Context(), slice)
		hold(ctx, s, 1)
		cancel()
		if first == nil {
			first = s.bouts[0]
		}
		if s.matches == 0 && s.bouts[0] != first {
			t.Fatal("a match was begun anew")
		}
	}
	if first != nil && first.steps < 7 {
		t.Errorf("the match was over after %d moves", first.steps)
	}
}

// broken is a search that fails.
type broken struct{}

func (broken) Search(context.Context, machine.Machine, machine.State, search.Limits) (search.Result, error) {
	return search.Result{}, search.ErrNotSequential
}

func TestASeriesOfASearchThatFailsIsOver(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	c := comparison{searcher: func(int) search.Searcher { return broken{} }}
	s := &series{comparison: c, at: position{machine: m, state: m.Initial()}, memory: comparisonBytes}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hold(ctx, s, 2)
	if !s.decided() || s.matches > 0 || s.better[0].convinces() || s.better[1].convinces() || ctx.Err() != nil {
		t.Errorf("after %d matches", s.matches)
	}
}

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
	// Of rivals that are equal, with and without draws, whoever looks after each match must be
	// misled in no more than one series of so many.
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
	for wins, want := range map[int]bool{2: false, 3: true} {
		var e evidence
		for range wins {
			e.add(1)
		}
		if e.convinces() != want {
			t.Errorf("%d matches won convince: %v", wins, !want)
		}
	}
}

// between are trials between candidates that sample, with so many nodes a move.
func between(m machine.Machine, nodes int64, rivals ...montecarlo.Config) *trials {
	return &trials{
		comparison: comparison{searcher: sampling(nodes, rivals...), opening: trialOpening, memory: comparisonBytes},
		candidates: make([]candidate, len(rivals)), challenger: 1, at: position{machine: m, state: m.Initial()},
	}
}

// won takes so many matches that the present challenger has won or, if there are less than none, lost.
func (t *trials) won(count int) {
	pair := [2]int{t.best, t.challenger}
	for range max(count, -count) {
		share := 0.0
		if count < 0 {
			share = 1
		}
		t.take(&trialMatch{pair: pair}, share)
	}
}

func TestTrialsAreTakenUpWhereTheyWereBrokenOff(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	var first *trialMatch
	for first == nil { // a slice may last as long as a match where timers are late
		e := between(m, 500, montecarlo.Config{}, montecarlo.Config{})
		for slice := time.Millisecond; e.over == 0; slice += time.Millisecond {
			ctx, cancel := context.WithTimeout(t.Context(), slice)
			e.hold(ctx, 1)
			cancel()
			if e.over > 0 {
				break
			}
			if first == nil {
				first = e.running[0]
			}
			if e.running[0] != first {
				t.Fatal("a match was begun anew")
			}
		}
	}
	if first.steps < 7 && first.values == nil { // four in a row take seven moves
		t.Errorf("the match was over after %d moves, not solved", first.steps)
	}
}

// broken is a search that fails.
type broken struct{}

func (broken) Search(context.Context, machine.Machine, machine.State, search.Limits) (search.Result, error) {
	return search.Result{}, search.ErrNotSequential
}

func TestWhoseSearchFailsIsOut(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	for name, c := range map[string]struct {
		fails map[int]bool
		want  int
	}{
		"the second of three": {map[int]bool{1: true, 2: true}, 0},
		"the first":           {map[int]bool{0: true, 2: true}, 1},
		"all but the last":    {map[int]bool{0: true, 1: true}, 2},
	} {
		e := between(m, 20, make([]montecarlo.Config, 3)...)
		works := e.searcher
		e.searcher = func(i int) search.Searcher {
			switch {
			case c.fails[i] && i == 2:
				return panicking{}
			case c.fails[i]:
				return broken{}
			}
			return works(i)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		e.hold(ctx, 2)
		cancel()
		if !e.decided() || e.best != c.want {
			t.Errorf("%s: candidate %d is left, decided %v; want %d", name, e.best, e.decided(), c.want)
		}
	}
}

func TestTheFirstCandidateWinsTies(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	for name, c := range map[string]struct {
		matches []int // won by the challenger, one series after the other
		want    int
		decided bool
	}{
		"no matches":                    {nil, 0, false},
		"too few":                       {[]int{2}, 0, false},
		"the second is better":          {[]int{3, -3}, 1, true},
		"the last is better than both":  {[]int{3, 3}, 2, true},
		"the first is better than both": {[]int{-3, -3}, 0, true},
		"nobody is":                     {[]int{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, -3}, 0, true},
	} {
		e := between(m, 0, make([]montecarlo.Config, 3)...)
		for _, n := range c.matches {
			e.won(n)
		}
		if e.best != c.want || e.decided() != c.decided {
			t.Errorf("%s: candidate %d is ahead, decided %v", name, e.best, e.decided())
		}
	}
}

func TestSeatsAndOpeningsAreEven(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	e := between(m, 0, make([]montecarlo.Config, 2)...)
	for i := range 6 {
		first, second := e.next(nil), e.next(nil)
		if first.seed/2 != second.seed/2 || first.seed&1 == second.seed&1 || first.pair != second.pair {
			t.Errorf("match %d has seeds %d and %d", i, first.seed, second.seed)
		}
		if next := e.next(nil); next.seed/2 == first.seed/2 {
			t.Errorf("match %d begins as the one before", i)
		}
		e.begun--
	}
}

func TestATrialMatchEndsWhenTheGameIsSolved(t *testing.T) {
	m := newSubtraction(9) // who moves first wins
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		match := newTrialMatch(&comparison{searcher: sampling(5000, montecarlo.Config{}, montecarlo.Config{})}, [2]int{0, 1}, seed, at)
		share, over := match.play(t.Context())
		if first := match.seats[0]; !over || match.steps != 0 || share != float64(1-first) {
			t.Errorf("seed %d: after %d joint moves, share %v (over %v); rival %d wins", seed, match.steps, share, over, first)
		}
	}
}

package player

import (
	"context"
	"slices"
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

// between is an election between candidates that sample.
func between(m machine.Machine, c comparison, candidates ...montecarlo.Config) *election {
	c.names, c.searcher = make([]string, len(candidates)), sampling(candidates...)
	return newElection(c, position{machine: m, state: m.Initial()}, comparisonBytes, 10)
}

// won are matches that the first of two has won against the second or, if there are less than
// none, lost.
func won(e *election, first, second, count int) {
	for range max(count, -count) {
		if count > 0 {
			e.take([2]int{first, second}, [2]float64{100, 0}, 1)
		} else {
			e.take([2]int{first, second}, [2]float64{0, 100}, 1)
		}
	}
}

func TestAnElectionIsTakenUpWhereItWasBrokenOff(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	var first *trialMatch
	for first == nil { // a slice may last as long as a match where timers are late
		e := between(m, comparison{nodes: 500}, montecarlo.Config{}, montecarlo.Config{})
		for slice := time.Millisecond; e.matches == 0; slice += time.Millisecond {
			ctx, cancel := context.WithTimeout(t.Context(), slice)
			hold(ctx, e, 1)
			cancel()
			if e.matches > 0 {
				break
			}
			if first == nil {
				first = e.trials[0]
			}
			if e.trials[0] != first {
				t.Fatal("a match was begun anew")
			}
		}
	}
	if first.steps < 7 {
		t.Errorf("the match was over after %d moves", first.steps)
	}
}

// holdUntil goes on with an election until something is seen, or for a minute.
func holdUntil(t *testing.T, e *election, threads int, seen func() bool) {
	t.Helper()
	for began := time.Now(); !seen() && time.Since(began) < time.Minute; {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		hold(ctx, e, threads)
		cancel()
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
		want  []int
	}{
		"one of three":        {map[int]bool{1: true}, []int{0, 2}},
		"the first":           {map[int]bool{0: true}, []int{1, 2}},
		"all but the last":    {map[int]bool{0: true, 1: true}, []int{2}},
		"of all, one is left": {map[int]bool{0: true, 1: true, 2: true}, nil},
	} {
		e := between(m, comparison{nodes: 20}, make([]montecarlo.Config, 3)...)
		works := e.searcher
		e.searcher = func(i int) search.Searcher {
			if c.fails[i] {
				return broken{}
			}
			return works(i)
		}
		fails := func(i int) bool { return c.fails[i] }
		holdUntil(t, e, 2, func() bool {
			return c.want == nil && len(e.left) == 1 && e.decided() || !slices.ContainsFunc(e.left, fails)
		})
		if c.want == nil && len(e.left) == 1 && e.decided() {
			continue
		}
		if len(e.left) == 0 || slices.ContainsFunc(e.left, fails) {
			t.Errorf("%s: candidates %v are left, want those of %v", name, e.left, c.want)
		}
	}
}

func TestEachRoundLeavesTheBetterHalf(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	e := between(m, comparison{}, make([]montecarlo.Config, 5)...)
	strength := []int{2, 0, 4, 1, 3} // who has more wins
	played := make([]int, 5)
	first := make([]int, 5)
	for range 40 {
		f := e.next(time.Hour, 1)
		pair, seed := f.pair, int(f.seed)
		e.ends = time.Now().Add(time.Hour)
		won := pair[0]
		if strength[pair[1]] > strength[pair[0]] {
			won = pair[1]
		}
		for i, c := range pair {
			played[c]++
			if (i+seed)&1 == 0 {
				first[c]++
			}
		}
		points := [2]float64{100, 0}
		if won == pair[1] {
			points = [2]float64{0, 100}
		}
		e.take(pair, points, 1)
	}
	for c, n := range played {
		if n != 16 || first[c] != 8 {
			t.Errorf("candidate %d plays %d matches, in %d of them in the first seat; want 16 and 8", c, n, first[c])
		}
	}
	if got := e.ranked(); !slices.Equal(got, []int{2, 4, 0, 3, 1}) {
		t.Errorf("order %v", got)
	}
	e.ends = time.Time{}
	e.next(0, 1)
	if !slices.Equal(e.left, []int{2, 4, 0}) || e.decided() {
		t.Errorf("%v are left", e.left)
	}
	e.ends = time.Time{}
	e.next(0, 1) // the first has a place in the last round
	won(e, 2, 0, -5)
	if !slices.Equal(e.left, []int{2, 0}) || e.decided() {
		t.Errorf("%v are left, decided %v", e.left, e.decided())
	}
	if won(e, 2, 0, -5); !e.decided() || e.best() != 0 {
		t.Errorf("decided %v for %d", e.decided(), e.best())
	}
}

func TestTheFirstCandidateWinsWhereThereIsNotEnoughToSay(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	for name, c := range map[string]struct{ second, want int }{
		"too few matches": {leastMatches - 1, 0}, "enough": {leastMatches, 1}, "lost": {-leastMatches, 0},
	} {
		e := between(m, comparison{}, montecarlo.Config{}, montecarlo.Config{})
		if won(e, 1, 0, c.second); e.best() != c.want {
			t.Errorf("%s: %d is ahead, want %d", name, e.best(), c.want)
		}
	}
	e := between(m, comparison{}, montecarlo.Config{}, montecarlo.Config{})
	e.left = []int{1, 0}
	if e.best() != 0 {
		t.Error("who was ahead in earlier rounds wins the last one without a match")
	}
	won(e, 0, 1, leastMatches)
	if won(e, 1, 0, leastMatches+handicap); e.best() != 0 {
		t.Error("the second wins by the handicap and no more")
	}
	if e.peer = 1; e.best() != 1 {
		t.Error("the first is ahead of its peer")
	}
	e.peer = nobody
	if won(e, 1, 0, 1); e.best() != 1 {
		t.Error("the first wins although it is further behind than the handicap")
	}
	if e.favourite = 1; e.best() != 1 || e.half()[0] != 1 {
		t.Error("who is followed now is not the favourite")
	}
	if won(e, 0, 1, 2*handicap+1); e.best() != 1 {
		t.Error("the first is followed again for less than the handicap")
	}
	if won(e, 0, 1, 1); e.best() != 0 {
		t.Error("the first is not followed again")
	}
}

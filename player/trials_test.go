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
	// Of rivals that are equal, with and without draws, whoever looks after each match must be
	// misled in no more than one series of so many.
	const runs, length = 2000, 200
	rng := machine.NewRand(3)
	for least, draws := range map[float64]float64{staying: 0, takeover: 0.5} {
		misled := 0
		for range runs {
			var e evidence
			for range length {
				share := 0.5
				if rng.Float64() >= draws {
					share = float64(rng.Intn(2))
				}
				if e.add(share); e.convinces(least) {
					misled++
					break
				}
			}
		}
		if misled > runs/int(least) {
			t.Errorf("misled in %d of %d series, %g of the matches drawn", misled, runs, draws)
		}
	}
	for wins, want := range map[int][2]bool{2: {}, 3: {true, false}, 4: {true, true}} {
		var e evidence
		for range wins {
			e.add(1)
		}
		if got := [2]bool{e.convinces(staying), e.convinces(takeover)}; got != want {
			t.Errorf("%d matches won convince: %v", wins, got)
		}
	}
}

// between are trials between candidates that sample, with so many nodes a move, in one round.
func between(m machine.Machine, nodes int64, rivals ...montecarlo.Config) *trials {
	c := comparison{searcher: sampling(nodes, rivals...), opening: trialOpening, memory: comparisonBytes}
	return newTrials(c, make([]candidate, len(rivals)), false, position{machine: m, state: m.Initial()}, 0)
}

// won takes so many matches that the present challenger has won or, if there are less than none, lost.
func (t *trials) won(count int) {
	match := &trialMatch{pair: [2]int{t.best, t.challengers[0]}, clock: t.clock}
	for range max(count, -count) {
		share := 0.0
		if count < 0 {
			share = 1
		}
		t.take(match, share)
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
	if first.steps < 7 && !first.settled { // four in a row take seven moves
		t.Errorf("the match was over after %d moves, not settled", first.steps)
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
		"the second is better":          {[]int{4, -3}, 1, true},
		"the last is better than both":  {[]int{4, 4}, 2, true},
		"the first is better than both": {[]int{-3, -3}, 0, true},
		"nobody is":                     {[]int{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, -3}, 0, true},
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

func TestAllMeetAgainWithALongerClock(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	short, long := time.Millisecond, time.Second
	list := []candidate{{name: "0"}, {name: "1"}, {name: "2"}, {name: "3", alone: true}}
	for name, c := range map[string]struct {
		matches []int // as above
		want    int
		clock   time.Duration
		left    []string // the best one first
	}{
		"at first":                        {nil, 0, short, []string{"0", "1", "2", "3"}},
		"the second is better":            {[]int{4}, 1, short, []string{"1", "0", "2", "3"}},
		"the first round is over":         {[]int{4, -3}, 1, long, []string{"1", "0", "2", "3"}},
		"the second is better again":      {[]int{4, -3, -3}, 1, long, []string{"1", "2", "3"}},
		"the first one strikes back":      {[]int{4, -3, 4}, 0, long, []string{"0", "2", "3"}},
		"the third has lost, and is met":  {[]int{-3, -3, -3, 4, -3}, 2, long, []string{"2"}},
		"estimates alone are met at last": {[]int{4, -3, -3, -3, 4}, 3, long, []string{"3"}},
	} {
		e := newTrials(comparison{searcher: sampling(0, make([]montecarlo.Config, 4)...)}, list, false, position{machine: m, state: m.Initial()}, short, long)
		early := e.next(nil)
		for _, n := range c.matches {
			e.won(n)
		}
		var left []string
		for _, l := range e.left() {
			left = append(left, l.name)
		}
		if e.best != c.want || e.clock != c.clock || !slices.Equal(left, c.left) || e.decided() != (len(c.left) == 1) {
			t.Errorf("%s: candidate %d is ahead, the clock is %v, %v are left, decided %v", name, e.best, e.clock, left, e.decided())
		}
		if next := e.next(early); early.clock != short || (next == early) != (len(c.matches) == 0) || next != nil && next.clock != c.clock {
			t.Errorf("%s: after a match with a clock of %v comes %+v", name, early.clock, next)
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

// expecting is a search that makes the first move and expects points for the first role, and the rest of 100 for the other.
type expecting float64

func (e expecting) Search(_ context.Context, m machine.Machine, q machine.State, _ search.Limits) (search.Result, error) {
	r := search.Result{Values: []search.Interval{search.Exact(float64(e)), search.Exact(100 - float64(e))}}
	b := m.NewNarrowBatch()
	b.Load(q, 1)
	b.Evaluate(1)
	for role := range r.Values {
		r.Strategies = append(r.Strategies, []search.Weighted{{Move: b.AppendLegal(nil, 0, machine.Role(role))[0], Probability: 1}})
	}
	return r, nil
}

func TestATrialMatchEndsWhenBothExpectTheSame(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	at := position{machine: m, state: m.Initial()}
	for _, c := range []struct {
		expected [2]expecting
		ends     bool
	}{{[2]expecting{96, 99}, true}, {[2]expecting{3, 4}, true}, {[2]expecting{96, 94}, false}, {[2]expecting{3, 96}, false}, {[2]expecting{50, 50}, false}} {
		for seed := range uint64(2) {
			match := newTrialMatch(&comparison{searcher: func(i int) search.Searcher { return c.expected[i] }}, [2]int{0, 1}, seed, at)
			share, over := match.play(t.Context())
			wins := (c.expected[0] > 50) == (match.seats[0] == 0) // the first role is expected to win, and whose it is
			if !over || (match.steps == 1) != c.ends || c.ends && (share > 0.5) != wins {
				t.Errorf("%v: the match is over, %v, after %d joint moves, share %v", c.expected, over, match.steps, share)
			}
		}
	}
}

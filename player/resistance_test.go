package player

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// trickyPositions are positions of random matches that are worth so much to the role to move, but
// after which the other one may go wrong.
func (u *oracle) trickyPositions(t testing.TB, n, opening int, value float64) (states []machine.State, roles []machine.Role) {
	rng := machine.NewRand(5)
	var e machine.Expansion
	for len(states) < n {
		s := slices.Clone(u.machine.Initial())
		for step := 0; ; step++ {
			if over, _ := u.expander.Look(s); over {
				break
			}
			if err := u.expander.Expand(&e, s); err != nil {
				t.Fatal(err)
			}
			r := slices.IndexFunc(e.Moves, func(moves []machine.Move) bool { return len(moves) > 1 })
			if step >= opening && r >= 0 && rng.Intn(3) == 0 {
				v := u.value(t, s, false, nil)
				if role := machine.Role(r); (v == value && r == 0 || v == bestGoal-value && r == 1) && u.mayErr(t, &e, 1-role) {
					states, roles = append(states, s), append(roles, role)
					break
				}
			}
			s = slices.Clone(e.Child(rng.Intn(e.Children)))
		}
	}
	return states, roles
}

// mayErr tells whether a role can make a mistake in one of the positions after e.
func (u *oracle) mayErr(t testing.TB, e *machine.Expansion, role machine.Role) bool {
	for c := range e.Children {
		if e.Terminal[c] {
			continue
		}
		if _, ok := u.ask(t, slices.Clone(e.Child(c)), role); ok {
			return true
		}
	}
	return false
}

// resistClock is the processor time for each move of a player that cannot win by force, fallible
// the nodes of the one that may err, resistances the number of positions.
const (
	resistClock = 20 * time.Millisecond
	fallible    = 400
	resistances = 60
)

// BenchmarkResistance plays from positions that are lost or drawn, by alpha-beta with what was
// learnt in learningClock, against textbook UCT with few nodes a move, and reports the share of the
// points, in percent, and the length of the matches.
func BenchmarkResistance(b *testing.B) {
	for _, g := range []struct {
		name    string
		opening int // random plies
	}{{"connectFour-5x4", 0}, {"connectFour", 22}, {"breakthrough-4x5", 0}, {"hex-4x4", 0}} {
		for _, value := range []float64{worstGoal, 50} {
			if value > worstGoal && !strings.HasPrefix(g.name, "connect") {
				continue // no draws
			}
			b.Run(fmt.Sprintf("%s/%v", g.name, value), func(b *testing.B) {
				u := newOracle(b, newReferee(b, g.name).machine)
				states, roles := u.trickyPositions(b, resistances, g.opening, value)
				e := learnt(b, u.machine, true).Evaluation()
				for name, without := range map[string][]string{"with": nil, "without": {resistance}} {
					b.Run(name, func(b *testing.B) { u.reportResistance(b, states, roles, e, without) })
				}
			})
		}
	}
}

// reportResistance plays the matches from some positions, in which roles have the move.
func (u *oracle) reportResistance(b *testing.B, states []machine.State, roles []machine.Role, e *evaluate.Evaluation, without []string) {
	points, plies := 0.0, 0
	for i := range b.N {
		for j, s := range states {
			at := position{machine: u.machine, state: s}
			t := onOneThread(0, 64<<20, without...)
			t.prepare(b.Context(), at)
			t.candidate.evaluator, t.candidate.deepens = e, true
			t.sampler = t.newSampler()
			p, steps := u.resist(b, at, roles[j], whole{t, resistClock}, uint64(i))
			points, plies = points+p, plies+steps
		}
	}
	n := float64(b.N * len(states))
	b.ReportMetric(points/n, "points")
	b.ReportMetric(float64(plies)/n, "plies")
	b.ReportMetric(0, "ns/op")
}

// limited is a search with so many nodes a move.
type limited struct {
	search.Searcher
	nodes int64
}

func (s limited) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = s.nodes
	return s.Searcher.Search(ctx, m, q, lim)
}

// resist plays a position in which role has the move to its end, and returns the goal points of role and
// the plies.
func (u *oracle) resist(t testing.TB, at position, role machine.Role, who search.Searcher, seed uint64) (float64, int) {
	plain := montecarlo.New(montecarlo.Config{Without: montecarlo.Plain, Playouts: 1, Lanes: 16, Exploration: textbookExploration})
	match := comparison{searcher: func(i int) search.Searcher { return []search.Searcher{who, limited{plain, fallible}}[i] }}
	trial := newTrialMatch(&match, [2]int{0, 1}, 2*seed+uint64(role), at)
	share, over := trial.play(t.Context())
	if !over {
		t.Fatal("the match did not end")
	}
	return 100 * share, trial.steps
}

package player

import (
	"context"
	"testing"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// mixedPlay returns the moves of matches between players of mixed strength: in each match each side makes all moves, a
// third of its moves or none at random, and the others by a sampling search of 30, 300 or 3 000 leaves.
func mixedPlay(t testing.TB, m machine.Machine) func(*machine.Rand, machine.State, *play.Expansion) int {
	var random [2]int // moves of three that are random, by role
	var searchers [2]search.Searcher
	return func(rng *machine.Rand, s machine.State, e *play.Expansion) int {
		if s.Equal(m.Initial()) {
			for r := range random {
				random[r] = []int{0, 1, 3}[rng.Intn(3)]
				searchers[r] = limited{montecarlo.New(montecarlo.Config{}), []int64{30, 300, 3000}[rng.Intn(3)]}
			}
		}
		chooser := 0
		if len(e.Moves[1]) > 1 {
			chooser = 1
		}
		if rng.Intn(3) < random[chooser] {
			return rng.Intn(e.Children)
		}
		r, err := searchers[chooser].Search(t.Context(), m, s, search.Limits{MaxBytes: comparisonBytes, Seed: rng.Uint64()})
		if err != nil {
			t.Fatal(err)
		}
		joint := make([]machine.Move, 2)
		for c := range e.Children {
			if e.Joint(joint, c); joint[chooser] == r.Strategies[chooser][0].Move {
				return c
			}
		}
		t.Fatalf("no child after %v", r.Strategies[chooser])
		return 0
	}
}

// BenchmarkLearntMoves asks players that have learnt connect four for so much processor time for moves in positions of
// matches of mixed strength, from ply 14 on, and reports how many moves keep the value, in percent, after 0.1 s of processor
// time. Exact search has the share of the time that it has after a move that it did not help.
func BenchmarkLearntMoves(b *testing.B) {
	const positions, plies, part, clock = 300, 14, 8, 100 * time.Millisecond
	u := newOracle(b, newReferee(b, "connectFour").machine)
	began := cputime.Now()
	asked := u.questionsOf(b, positions, plies, part, mixedPlay(b, u.machine))
	b.Logf("%d positions in %v of processor time", len(asked), cputime.Now()-began)
	l, seconds := learnt(b, u.machine, true), learningClock
	for _, longer := range []time.Duration{time.Minute, 10 * time.Minute} {
		learn(l, longer-seconds)
		seconds = longer
		b.Run(longer.String(), func(b *testing.B) {
			for _, name := range []string{"stackmate:threads=1", "mcts:threads=1"} {
				b.Run(name, func(b *testing.B) {
					by := newcomer(b, name, u.machine).approachWith(b.Context(), l)
					b.Log(by)
					grade(b, asked, func(q *question) []search.Weighted {
						t := newcomer(b, name, u.machine)
						t.exactShare = leastExactShare
						t.adopt(by)
						return t.answer(b.Context(), q, clock)
					})
				})
			}
		})
	}
}

// approachWith returns the approach of a player that has learnt.
func (t *thinker) approachWith(ctx context.Context, l *evaluate.Learner) approach {
	if !t.has(learning) {
		return approach{}
	}
	l.Weigh(ctx, decisionShare*t.playoutsIn(time.Second))
	return t.approachBy(l.Evaluation(), func(a approach) float64 { return t.rate(ctx, a) }, func() float64 { return t.agreement(ctx) })
}

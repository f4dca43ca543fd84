package player

import (
	"context"
	"testing"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search/montecarlo"
)

func TestATrialGivesEachRivalItsOwnSide(t *testing.T) {
	// The row player wins whatever happens, so the rival that has the row gets
	// all the points: the first with even seeds, the second with odd ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		points, ok := trial(context.Background(), at, [2]montecarlo.Config{}, seed, rehearsalBytes)
		if !ok || points[seed&1] != 100 || points[1-seed&1] != 0 {
			t.Errorf("seed %d: points %v, %v; want all for rival %d", seed, points, ok, seed&1)
		}
	}
}

func TestRehearsalKeepsToItsPartOfTheStartClock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	p := newThinker(setting{threads: 2, memory: newMemory(64 << 20)}, false)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	began := time.Now()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
	if ctx.Err() != nil {
		t.Errorf("took %v of a start clock of 4 s", time.Since(began))
	}
}

func TestChanceHasNoSeatInATrial(t *testing.T) {
	got := seats([]string{"a", machine.RandomRole, "b"}, 1)
	if got[0] != 1 || got[1] != -1 || got[2] != 0 {
		t.Errorf("seats %v, want 1 -1 0", got)
	}
}

// BenchmarkRivals plays sampling searches against each other, 1000 nodes a move,
// sides swapped, and reports the share of the points of the first, in percent.
func BenchmarkRivals(b *testing.B) {
	rules := [2]montecarlo.Config{{Rule: montecarlo.RegretMatching}, {Rule: montecarlo.UCT}}
	wider := func(c float64) [2]montecarlo.Config { return [2]montecarlo.Config{{Exploration: c}, {}} }
	for _, duel := range []struct {
		name, game string
		rivals     [2]montecarlo.Config
	}{
		{"regretMatching/goofspiel-9", "goofspiel-9", rules},
		{"regretMatching/biddingTicTacToe-5", "biddingTicTacToe-5", rules},
		{"regretMatching/oshiZumo-15-3", "oshiZumo-15-3", rules},
		{"regretMatching/tron-8x8", "tron-8x8", rules},
		{"exploration=10/connectFour", "connectFour", wider(10)},
		{"exploration=50/connectFour", "connectFour", wider(50)},
		{"exploration=10/breakthrough-5x6", "breakthrough-5x6", wider(10)},
		{"exploration=50/breakthrough-5x6", "breakthrough-5x6", wider(50)},
	} {
		b.Run(duel.name, func(b *testing.B) {
			f := newReferee(b, duel.game)
			at := position{machine: f.machine, state: f.machine.Initial()}
			const matches = 40
			points := 0.0
			for i := range b.N {
				for seed := range uint64(matches) {
					p, ok := trial(context.Background(), at, duel.rivals, uint64(i)*matches+seed, rehearsalBytes)
					if !ok {
						b.Fatal("the match did not end")
					}
					points += p[0]
				}
			}
			b.ReportMetric(points/float64(b.N*matches), "points")
		})
	}
}

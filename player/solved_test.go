package player

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// simultaneousGames are games of two with simultaneous moves and a constant sum: of our families, and of
// the corpus all that have a machine within seconds.
var simultaneousGames = []string{
	"biddingTicTacToe-5", "biddingTicTacToe-10", "goofspiel-8", "goofspiel-10", "oshiZumo-20-3", "oshiZumo-50-3", "pursuit",
	"rockPaperScissorsMatch", "tron-6x6", "tron-10x10", "blocker", "bunk_t", "chickentictactoe", "connectFourSimultaneous",
	"doubletoetictac", "eotcitcit", "racetrackcorridor", "roshambo2", "shmup", "snakeAssemblit",
}

// BenchmarkSolved measures the share of the positions of matches, in percent, that each exact search solves in 0.1, 1 and 10 s of processor
// time, starting anew in each position.
func BenchmarkSolved(b *testing.B) {
	for _, game := range simultaneousGames {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			if c := solve.Classify(b.Context(), m, 1); c.Players != 2 || !c.Simultaneous || !c.ConstantSum {
				b.Skip(c)
			}
			asked := positionsOfMatches(b, m, 6)
			for _, method := range []string{"smab", "biab", "do"} {
				b.Run(method, func(b *testing.B) {
					for range b.N {
						reportSolved(b, m, method, asked)
					}
				})
			}
		})
	}
}

// reportSolved lets a method solve positions.
func reportSolved(b *testing.B, m machine.Machine, method string, asked []machine.State) {
	clocks := []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second}
	solved := make([]int, len(clocks))
	for _, q := range asked {
		s, err := solve.NewSearcher(method, solve.Default())
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := withProcessorTime(b.Context(), clocks[len(clocks)-1])
		began := cputime.Now()
		r, err := s.Search(ctx, m, q, search.Limits{MaxBytes: 512 << 20, NoLine: true})
		took := cputime.Now() - began
		if cancel(); err != nil {
			b.Fatal(err)
		}
		for i, clock := range clocks {
			if r.Solved() && took <= clock {
				solved[i]++
			}
		}
	}
	for i, clock := range clocks {
		b.ReportMetric(100*float64(solved[i])/float64(len(asked)), fmt.Sprintf("%%/%v", clock))
	}
	b.ReportMetric(0, "ns/op")
}

// positionsOfMatches returns positions in which both have a choice, one of each match of two sampling searches.
func positionsOfMatches(t testing.TB, m machine.Machine, n int) []machine.State {
	var list []machine.State
	rng := machine.NewRand(3)
	for range 8 * n {
		sampler := montecarlo.New(montecarlo.Config{Rule: montecarlo.RegretMatching})
		states := matchOf(t, m, sampler, rng)
		if len(states) > 0 {
			list = append(list, states[rng.Intn(len(states))])
		}
		if len(list) == n {
			break
		}
	}
	return list
}

// matchOf returns the positions of a match in which both have a choice.
func matchOf(t testing.TB, m machine.Machine, s search.Searcher, rng *machine.Rand) []machine.State {
	var states []machine.State
	b, q := m.NewNarrowBatch(), slices.Clone(m.Initial())
	for range comparisonSteps {
		b.Load(q, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			return states
		}
		r, err := s.Search(context.Background(), m, q, search.Limits{MaxNodes: 2000, Seed: rng.Uint64(), NoLine: true})
		if err != nil {
			t.Fatal(err)
		}
		b.Load(q, 1)
		b.Evaluate(1)
		choices := 0
		for role := range m.Names().Roles {
			legal := b.AppendLegal(nil, 0, machine.Role(role))
			move := legal[rng.Intn(len(legal))]
			if machine.Role(role) != m.Names().Chance() {
				move = draw(rng, legal, r.Strategies[role])
				choices += min(1, len(legal)-1)
			}
			b.Choose(0, machine.Role(role), move)
		}
		if choices > 1 {
			states = append(states, slices.Clone(q))
		}
		b.Advance(1)
		b.Store(q, 1)
	}
	return states
}

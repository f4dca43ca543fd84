package montecarlo

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/cputime"
	"stackmate/search"
)

// BenchmarkLeaves reports the processor time of a leaf in microseconds, in a tree that does not fit
// into the caches, and how many playouts that makes a second. BenchmarkEvaluatedLeaves reports it for leaves that an
// evaluation of no cost values, with priors.
func BenchmarkLeaves(b *testing.B) {
	for game, rule := range map[string]Rule{
		"connectFour": UCT, "breakthrough": UCT, "reversi": UCT, "quarto": UCT, "ultimateTicTacToe": UCT,
		"goofspiel-10": RegretMatching, "tron-8x8": RegretMatching,
	} {
		b.Run(game, func(b *testing.B) { reportLeaves(b, game, Config{Rule: rule}, 300_000) })
	}
}

func BenchmarkEvaluatedLeaves(b *testing.B) {
	for _, game := range []string{"chess", "checkers", "reversi", "connectFour", "breakthrough", "quarto"} {
		b.Run(game, func(b *testing.B) { reportLeaves(b, game, Config{Evaluator: scattered{}, Alone: true}, 20_000) })
	}
}

func reportLeaves(b *testing.B, game string, c Config, leaves int64) {
	m := gamestest.Machine(b, game)
	nodes, playouts, took := int64(0), int64(0), int64(0)
	for range b.N {
		s := New(c)
		lim := search.Limits{MaxNodes: 1, Seed: 1}
		if _, err := s.Search(b.Context(), m, m.Initial(), lim); err != nil { // makes the batches
			b.Fatal(err)
		}
		lim.MaxNodes = leaves
		began := cputime.Now()
		r, err := s.Search(b.Context(), m, m.Initial(), lim)
		if err != nil {
			b.Fatal(err)
		}
		nodes, playouts, took = nodes+r.Nodes, playouts+r.Playouts, took+(cputime.Now()-began).Microseconds()
	}
	b.ReportMetric(float64(took)/float64(nodes), "µs/leaf")
	b.ReportMetric(float64(playouts)/float64(took), "Mplayouts/s")
	b.ReportMetric(0, "ns/op")
}

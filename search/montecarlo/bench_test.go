package montecarlo

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/cputime"
	"stackmate/search"
)

// BenchmarkLeaves reports the processor time of a leaf in microseconds, in a tree that does not fit
// into the caches, and how many playouts that makes a second.
func BenchmarkLeaves(b *testing.B) {
	for game, rule := range map[string]Rule{
		"connectFour": UCT, "breakthrough": UCT, "reversi": UCT, "quarto": UCT, "ultimateTicTacToe": UCT,
		"goofspiel-10": RegretMatching, "tron-8x8": RegretMatching,
	} {
		b.Run(game, func(b *testing.B) {
			m := gamestest.Machine(b, game)
			nodes, playouts, took := int64(0), int64(0), int64(0)
			for range b.N {
				s := New(Config{Rule: rule})
				lim := search.Limits{MaxNodes: 1, Seed: 1}
				if _, err := s.Search(b.Context(), m, m.Initial(), lim); err != nil { // makes the batches
					b.Fatal(err)
				}
				lim.MaxNodes = 300_000
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
		})
	}
}

package player

import (
	"context"
	"testing"

	"stackmate/internal/cputime"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// BenchmarkLeaves reports the processor time of a leaf in microseconds, in a tree that does not fit
// into the caches.
func BenchmarkLeaves(b *testing.B) {
	for _, game := range []string{"connectFour", "breakthrough", "cephalopodMicro", "reversi", "connectFourSimultaneous", "goofspiel-10"} {
		m := newReferee(b, game).machine
		b.Run(game, func(b *testing.B) {
			nodes, took := int64(0), int64(0)
			for range b.N {
				began := cputime.Now()
				r, err := montecarlo.New(montecarlo.Config{}).Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 300_000, Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				nodes, took = nodes+r.Nodes, took+(cputime.Now()-began).Microseconds()
			}
			b.ReportMetric(float64(took)/float64(nodes), "µs/leaf")
			b.ReportMetric(0, "ns/op")
		})
	}
}

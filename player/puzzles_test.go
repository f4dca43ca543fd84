package player

import (
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/reasoner/machine"
)

// puzzleStart and puzzleClock are the clocks of BenchmarkPuzzles: a solution not found in the first is hardly ever found later, so
// the second may be short.
const (
	puzzleStart = 10 * time.Second
	puzzleClock = time.Second
)

// BenchmarkPuzzles plays all rulesheets of one role to their end, on one thread, and reports
// the goal and how long the match took.
func BenchmarkPuzzles(b *testing.B) {
	for _, r := range corpus.Rulesheets(b) {
		g, _, err := gdl.Load(b.Context(), r.Name, corpus.Source(b, r.Name))
		if err != nil || len(g.Roles) != 1 || g.Roles[0].String() == machine.RandomRole {
			continue
		}
		b.Run(r.Name, func(b *testing.B) {
			f := newReferee(b, r.Name)
			if moves := f.machine.Names().Moves; len(moves) == 0 || len(moves[0]) == 0 {
				b.Skip("the referee has no table of moves")
			}
			goal := 0.0
			for i := range b.N {
				p := newPlayer(b, "stackmate:threads=1", Options{Seed: uint64(i), Memory: 1 << 30})
				goal += float64(f.hold(b, []*Player{p}, puzzleStart, puzzleClock)[0])
			}
			b.ReportMetric(goal/float64(b.N), "goal")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/match")
			b.ReportMetric(0, "ns/op")
		})
	}
}

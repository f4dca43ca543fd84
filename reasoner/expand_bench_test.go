package reasoner_test

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine/play"
)

// BenchmarkExpand reports positions expanded per second, one at a time and with all their children: the cost
// of the rules for a node of a depth-first search.
func BenchmarkExpand(b *testing.B) {
	for _, name := range []string{"goofspiel-7", "biddingTicTacToe-3", "connectFour", "breakthrough"} {
		b.Run(name, func(b *testing.B) {
			m := gamestest.Machine(b, name)
			x, e := play.NewExpander(m), new(play.Expansion)
			children := 0
			for b.Loop() {
				x.Expand(e, m.Initial())
				children += e.Children
			}
			b.ReportMetric(float64(children)/b.Elapsed().Seconds(), "children/s")
		})
	}
}

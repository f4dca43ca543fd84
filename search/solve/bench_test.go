package solve_test

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/search/solve"
)

// BenchmarkCertify measures the time of a certificate, in units of the time of the solution, and the number of positions checked.
func BenchmarkCertify(b *testing.B) {
	for _, game := range []string{"goofspiel-7", "goofspiel-8", "biddingTicTacToe-5", "oshiZumo-30-3", "tron-6x6"} {
		b.Run(game, func(b *testing.B) {
			m := gamestest.Machine(b, game)
			solving, certifying, positions := 0.0, 0.0, int64(0)
			for b.Loop() {
				s := certified(b, m, solve.On)
				solving, certifying, positions = solving+s.Seconds, certifying+s.Certificate.Seconds, s.PositionsChecked
			}
			b.ReportMetric(certifying/solving, "certify/solve")
			b.ReportMetric(float64(positions), "positions")
			b.ReportMetric(certifying/float64(b.N)/float64(positions)*1e6, "µs/position")
		})
	}
}

package reasoner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// benchGames are the games of the table of published figures that every machine
// can start.
var benchGames = []string{
	"amazons_8x8", "battlebrushes", "biddingTicTacToe", "biddingTicTacToe_10coins", "blocker", "breakthrough",
	"checkers-v1", "chineseCheckers4-v1", "connectFour", "connectFourSimultaneous", "eightPuzzle", "gomoku_15x15",
	"hex", "nineBoardTicTacToe", "pancakes6", "reversi", "shmup", "speedChess-v1", "ticTacToe", "tron_10x10",
}

// BenchmarkPlayouts reports random playouts on one thread, by game and lanes.
func BenchmarkPlayouts(b *testing.B) {
	dir := corpusDir(b)
	for _, name := range benchGames {
		src, err := os.ReadFile(filepath.Join(dir, "rulesheets", name+".kif"))
		if err != nil {
			b.Fatal(err)
		}
		game, _, err := gdl.Load(name, src)
		if err != nil {
			b.Fatal(err)
		}
		for lanes, label := range map[int]string{64: "portable", 0: "vector"} {
			b.Run(name+"/"+label, func(b *testing.B) {
				m, err := reasoner.New(context.Background(), game, reasoner.Options{Engine: "circuit", Lanes: lanes})
				if err != nil {
					b.Fatal(err)
				}
				p := machine.NewPlayouts(m, m.Initial(), 1)
				for b.Loop() {
					p.Step()
				}
				b.ReportMetric(float64(p.States)/b.Elapsed().Seconds(), "states/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

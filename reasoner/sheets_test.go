package reasoner_test

import (
	"testing"

	"stackmate/games"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// Rulesheets of every kind: alternating and simultaneous moves, boards, cards and numbers. The test also runs
// on an emulated processor, so it must be short.
func TestRulesheetsKeepStepWithTheReference(t *testing.T) {
	names := []string{"ticTacToe", "connectFour", "breakthrough-5x6", "hex-5x5", "reversi-4x4", "tron-5x5", "biddingTicTacToe-2", "goofspiel-4", "nim-1.2", "slidingPuzzle", "quarto", "pursuit"}
	for _, name := range exhaustive.Choose(names, append(names, "reversi-6x6", "checkers", "ultimateTicTacToe")) {
		t.Run(name, func(t *testing.T) {
			_, src := must.Get2(games.Source(name))(t)
			compareEngines(t, string(src))
		})
	}
}

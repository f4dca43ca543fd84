package reasoner_test

import (
	"testing"

	"stackmate/games"
)

// Rulesheets of all kinds in full: turns and moves at the same time, boards, cards and numbers. It is what a processor
// that can only be emulated is tested with, so it must not take long.
func TestRulesheetsKeepStepWithTheReference(t *testing.T) {
	for _, name := range []string{
		"ticTacToe", "connectFour", "breakthrough-5x6", "hex-5x5", "checkers", "reversi-6x6", "tron-5x5", "biddingTicTacToe-2", "goofspiel-4", "nim-1.2", "slidingPuzzle", "ultimateTicTacToe", "quarto", "pursuit",
	} {
		t.Run(name, func(t *testing.T) {
			_, src, err := games.Source(name)
			if err != nil {
				t.Fatal(err)
			}
			compareEngines(t, string(src))
		})
	}
}

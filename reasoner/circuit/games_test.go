package circuit_test

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
)

// With the passes after the k-th left out, the circuit is as the k-th leaves it.
func TestCircuitsOfGamesAreWellFormedAfterEveryPass(t *testing.T) {
	names := circuit.PassNames()
	for _, game := range []string{"ticTacToe", "connectFour-4x4", "nim-2.3.4", "hex-4x4", "goofspiel-4", "biddingTicTacToe-2", "pig-10-6", "pursuit-3x3-4", "slidingPuzzle-2x2-6"} {
		rules := gamestest.Rules(t, game)
		for k := range len(names) + 1 {
			g := must.Get(reasoner.Circuit(t.Context(), rules, reasoner.Options{Without: names[k:]}))(t)
			if err := g.Verify(); err != nil {
				t.Errorf("%s after %q: %v", game, names[:k], err)
			}
			sparing, full := circuit.WithDecisiveMoves(t.Context(), g, false, nil)
			for _, d := range []*circuit.Game{sparing, full} {
				if d != nil && d.Verify() != nil {
					t.Errorf("%s with decisive moves after %q: %v", game, names[:k], d.Verify())
				}
			}
		}
	}
}

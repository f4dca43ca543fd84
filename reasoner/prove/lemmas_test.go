package prove_test

import (
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/prove"
)

// The bound is about twice the greatest number of models of a proof when it was set; other solvers find other models.
func TestGoalSumsOfGamesAreProvedWithFewModels(t *testing.T) {
	const most = 60
	for _, game := range []string{
		"ticTacToe", "goofspiel-4", "goofspiel-7", "goofspiel-8", "biddingTicTacToe-5", "oshiZumo-6-2", "oshiZumo-50-3",
		"tron-6x7", "connectFour", "breakthrough-4x5", "reversi-6x6",
	} {
		_, source := must.Get2(games.Source(game))(t)
		rules, _ := must.Get2(gdl.Load(t.Context(), game, source))(t)
		g := must.Get(reasoner.Circuit(t.Context(), rules, reasoner.Options{}))(t)
		m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
		proved, models := prove.GoalSumModels(t.Context(), g.Whole(), m, 100)
		t.Logf("%s: %d models", game, models)
		if !proved || models > most {
			t.Errorf("%s: proved %v after %d models; want a proof after %d at most", game, proved, models, most)
		}
		if proved, _ := prove.GoalSumModels(t.Context(), g.Whole(), m, 99); proved {
			t.Errorf("%s: the goals are proved to add up to 99", game)
		}
	}
}

package solve_test

import (
	"maps"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/certify"
	"stackmate/search/solve"
)

// certified solves a game and certifies the solution.
func certified(t testing.TB, m machine.Machine, symmetries solve.Switch) solve.Solution {
	t.Helper()
	solver, err := solve.New(solve.Options{
		Method: solve.Auto, LP: "native", Table: solve.On, Symmetries: symmetries, Memory: 1024, Order: "best",
	})
	if err != nil {
		t.Fatal(err)
	}
	s := must.Get(solver.Solve(t.Context(), m, nil))(t)
	if err := solver.Certify(t.Context(), answersOf(t, solver, m, s), &s, certify.Limits{}); err != nil || !s.Certified {
		t.Fatalf("certificate %+v, error %v", s.Certificate, err)
	}
	return s
}

func TestSymmetriesSaveNodesAndChangeNoValue(t *testing.T) {
	small := []string{"ticTacToe", "nim-2.3.3", "slidingPuzzle-3x2", "goofspielPoints-4-2.4.1.3", "oshiZumo-8-2", "tron-4x4"}
	large := []string{"connectFour-4x4", "breakthrough-3x4", "goofspiel-5", "goofspiel-5-3.1.4.2.5", "biddingTicTacToe-1", "pursuit"}
	for _, game := range exhaustive.Choose(small, append(small, large...)) {
		t.Run(game, func(t *testing.T) {
			m := gamestest.Machine(t, game)
			facts.ProvedGoalSum(t.Context(), m) // not in the time of one of the searches alone
			symmetric, other := certified(t, m, solve.On), certified(t, m, solve.Off)
			if !maps.Equal(symmetric.Value, other.Value) {
				t.Errorf("%v with symmetries, %v without", symmetric.Value, other.Value)
			}
			if len(facts.Symmetries(m)) > 0 && symmetric.Nodes >= other.Nodes && other.Nodes > 100 {
				t.Errorf("%d nodes with symmetries, %d without", symmetric.Nodes, other.Nodes)
			}
		})
	}
}

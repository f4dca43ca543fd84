package solve

import (
	"testing"

	"stackmate/games/gamestest"
)

func TestPlansAreFoundWithoutSymmetries(t *testing.T) {
	m := gamestest.Machine(t, "slidingPuzzle-3x2")
	for _, symmetries := range []Switch{On, Off} {
		solver, err := New(Options{Method: Plans, LP: "native", Table: On, Symmetries: symmetries, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		s, err := solver.Solve(t.Context(), m, nil)
		if err != nil || !s.Solved {
			t.Errorf("symmetries %v: %v, error %v", symmetries, s.Value, err)
		}
	}
}

package evaluate

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

// Where the machine knows that somebody wins at once, positions are worth what that brings; others have estimates.
func TestDecidedPositionsAreWorthWhatTheyBring(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	l, err := New(machine.Decisive(t.Context(), m, false), Config{ConstantSum: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	x, e := machine.NewExpander(m), new(machine.Expansion)
	decided, estimated := 0, 0
	made := l.games.made
	l.games.made = func(g *game, lane int) {
		made(g, lane)
		if err := x.Expand(e, l.games.last(g)); err != nil {
			t.Fatal(err)
		}
		values := l.games.values[0][2*lane : 2*lane+2]
		winner := -1
		for c := range e.Children {
			for r, moves := range e.Moves {
				if e.Terminal[c] && len(moves) > 1 && e.ChildGoals(c)[r] == machine.MaxGoal {
					winner = r
				}
			}
		}
		switch {
		case winner >= 0 && (values[winner] != machine.MaxGoal || values[1-winner] != 0):
			t.Fatalf("role %d wins at once, and the position is worth %v", winner, values)
		case winner >= 0:
			decided++
		case values[0] != 0 && values[1] != 0:
			estimated++
		}
	}
	l.Learn(t.Context(), 500)
	if decided == 0 || estimated == 0 {
		t.Errorf("%d positions were decided, %d estimated: the test shows nothing", decided, estimated)
	}
}

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

func TestOfTwoEachWantsToBeAhead(t *testing.T) {
	for _, c := range []struct {
		game string
		want int // of two lanes
	}{{"ticTacToe", 1}, {"trio-3x3", 0}} {
		m := gamestest.Machine(t, c.game)
		p := newGames(m, 1, machine.NewRand(1), defaultBytes)
		g := &game{states: make([]uint64, 2*p.words), chooser: 1, side: make([]int, p.roles)}
		copy(p.values[0], []float64{90, 95, 0}[:p.roles])           // more for role 1
		copy(p.values[0][p.roles:], []float64{20, 60, 0}[:p.roles]) // but here it is ahead
		if got := p.choose(g, 0); got != c.want {
			t.Errorf("%s: lane %d is chosen, want %d", c.game, got, c.want)
		}
	}
}

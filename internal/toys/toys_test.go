package toys_test

import (
	"context"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

func TestTheJointMovesOfATreeLeadToItsKidsInOrder(t *testing.T) {
	g := toys.Matrix([][]int32{{10, 20, 30}, {40, 50, 60}})
	m := g.Machine()
	x := play.NewExpander(m)
	var e play.Expansion
	if x.Expand(&e, m.Initial()) != nil || e.Children != 6 {
		t.Fatalf("%d children", e.Children)
	}
	for c := range e.Children {
		if goals := e.ChildGoals(c); !e.Terminal[c] || goals[0] != int32(c+1)*10 || goals[1] != 100-goals[0] {
			t.Errorf("child %d: terminal %v, goals %v", c, e.Terminal[c], goals)
		}
	}
	g.Nodes[1].Goals = nil
	if _, goals := x.Look(machine.State{1}); goals[0] != machine.NoGoal {
		t.Errorf("goals %v of a position without goals", goals)
	}
}

func TestWhoTakesTheLastCounterWins(t *testing.T) {
	g := toys.Subtraction{Roles: []string{"a", "b", "c"}, Start: 2, Most: 3}
	m := g.Machine()
	// Two counters are taken at once, or one by one.
	counts, err := play.Perft(context.Background(), m, m.Initial(), 2)
	if err != nil || counts[0] != (play.PerftCount{Depth: 1, JointMoves: 2, Terminals: 1}) || counts[1] != (play.PerftCount{Depth: 2, JointMoves: 1, Terminals: 1}) {
		t.Errorf("%+v, error %v", counts, err)
	}
	for turn, want := range []int32{2, 0, 1} { // the role that would be in turn, and the role that has just moved
		over, goals := play.NewExpander(m).Look(machine.State{uint64(turn)})
		for r, goal := range goals {
			if !over || (goal == 100) != (int32(r) == want) {
				t.Errorf("turn %d: over %v, goals %v", turn, over, goals)
			}
		}
	}
}

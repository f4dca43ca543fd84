package certify

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// drawn checks many positions of random games of a toy, so that none is left out.
func drawn(t rapid.TB, m machine.Machine, s search.Solution) Certificate {
	t.Helper()
	c, err := Check(context.Background(), m, m.Initial(), s, Limits{Draws: 3000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Drawn || c.Complete || c.Certified() {
		t.Fatalf("positions that are drawn are no proof: %+v", c)
	}
	return c
}

func TestDrawsOfASolutionFindNoFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, drawRoles(t), false)
		m := g.Machine()
		if g.Nodes[0].Kids == nil {
			return
		}
		if c := drawn(t, m, solved(t, m, false)); c.Faults > 0 || c.Positions == 0 {
			t.Fatalf("found %+v, %+v", c, c.First)
		}
	})
}

// A wrong value is found at its position and at those before it.
func TestDrawsFindAWrongValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, drawRoles(t), false).Machine()
		s := solved(t, m, false)
		var asked []uint64
		check(t, m, solutionFunc(func(q machine.State) (search.Claim, error) {
			asked = append(asked, q[0])
			return s.At(context.Background(), q)
		}))
		x := machine.NewExpander(m)
		if over, _ := x.Look(m.Initial()); over {
			return
		}
		var e machine.Expansion
		choices := asked[:0]
		for _, at := range asked {
			if err := x.Expand(&e, machine.State{at}); err != nil {
				t.Fatal(err)
			}
			if len(e.Moves[0])*len(e.Moves[1]) > 1 {
				choices = append(choices, at)
			}
		}
		if len(choices) == 0 {
			return
		}
		wrong := rapid.SampledFrom(choices).Draw(t, "position")
		c := drawn(t, m, solutionFunc(func(q machine.State) (search.Claim, error) {
			claim, err := s.At(context.Background(), q)
			if q[0] == wrong {
				claim.Value += 1e-4
			}
			return claim, err
		}))
		if c.Faults == 0 {
			t.Fatalf("the wrong value of position %d is not found: %+v", wrong, c)
		}
	})
}

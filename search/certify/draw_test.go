package certify

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// drawn checks many positions of random games of a toy, so that none is left out.
func drawn(t rapid.TB, m machine.Machine, s search.Solution) Certificate {
	t.Helper()
	c := must.Get(Check(context.Background(), m, m.Initial(), s, Limits{Draws: 3000, Seed: 1}))(t)
	if !c.Drawn || !c.Complete || c.Certified() {
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

func TestDrawsThatAreBrokenOffAreNotComplete(t *testing.T) {
	m := toys.Wide{Roles: []string{"a", "b"}, Moves: []int{2, 2}, Depth: 6}.Machine()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	left := 10
	known := solutionFunc(func(machine.State) (search.Claim, error) {
		if left--; left == 0 {
			cancel()
		}
		even := []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
		return search.Claim{Value: 50, Strategies: [][]search.Weighted{even, even}}, nil
	})
	c, err := Check(ctx, m, m.Initial(), known, Limits{Draws: 1000})
	if !errors.Is(err, context.Canceled) || c.Complete || c.Positions == 0 {
		t.Errorf("broken off: %v, %+v", err, c)
	}
	if _, err = Check(context.Background(), m, m.Initial(), known, Limits{Draws: 1 << 50, MaxBytes: 1 << 20}); !errors.Is(err, search.ErrMemory) {
		t.Errorf("more games than there is memory for: %v", err)
	}
}

// asking is a solution that takes note of the positions at which its strategies are asked for.
type asking struct {
	search.Solution
	positions []uint64
}

func (s *asking) At(ctx context.Context, q machine.State) (search.Claim, error) {
	s.positions = append(s.positions, q[0])
	return s.Solution.At(ctx, q)
}

func (s *asking) ValueAt(ctx context.Context, q machine.State) (float64, error) {
	claim, err := s.Solution.At(ctx, q)
	return claim.Value, err
}

// A wrong value is found at its position and at the positions before it.
func TestDrawsFindAWrongValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, drawRoles(t), false).Machine()
		s := solved(t, m, false)
		asked := &asking{Solution: s}
		drawn(t, m, asked)
		x := play.NewExpander(m)
		if over, _ := x.Look(m.Initial()); over {
			return
		}
		var e play.Expansion
		var choices []uint64
		for _, at := range asked.positions {
			must.OK(t, x.Expand(&e, machine.State{at}))
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

func TestGamesAreDrawnByTheirLength(t *testing.T) {
	m := toys.Wide{Roles: []string{"left", "right"}, Moves: []int{2, 2}, Depth: 10}.Machine()
	if c := must.Get(Check(t.Context(), m, m.Initial(), firstMoves(2), Limits{Draws: 1000, Seed: 1}))(t); c.Positions < 600 || c.Positions > 1000 {
		t.Errorf("%d positions of a hundred games of ten joint moves, which share some", c.Positions)
	}
}

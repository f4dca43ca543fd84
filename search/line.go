package search

import (
	"cmp"
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// MaxPlies bounds the joint moves of a line, and the depth and memory of recursive searches: a longer game is most
// likely infinite.
const MaxPlies = 1 << 12

// Walk returns the joint moves from q to the children that choose names in each expanded position. It ends at a terminal
// position, which over reports, where choose reports false, at a position that repeats, and after MaxPlies joint moves.
func Walk(x *play.Expander, q machine.State, choose func(e *play.Expansion, q machine.State) (child int, ok bool)) (line [][]machine.Move, over bool, err error) {
	e, q := new(play.Expansion), slices.Clone(q)
	seen := make(map[string]bool)
	for range MaxPlies {
		if over, _ = x.Look(q); over || seen[q.Key()] {
			return line, over, nil
		}
		if err = x.Expand(e, q); err != nil {
			return line, false, err
		}
		seen[q.Key()] = true
		c, ok := choose(e, q)
		if !ok {
			return line, false, nil
		}
		joint := make([]machine.Move, len(e.Moves))
		e.Joint(joint, c)
		line = append(line, joint)
		copy(q, e.Child(c))
	}
	return line, false, nil
}

// Line follows the most probable moves of a solution from q. It ends at a terminal position, a choice of chance, a
// repeated position, or after MaxPlies joint moves. It reports whether it has reached a terminal position. With an
// error it returns the joint moves before it.
func Line(ctx context.Context, m machine.Machine, s Solution, q machine.State) (line [][]machine.Move, over bool, err error) {
	var unclaimed error
	chance := m.Names().Chance()
	line, over, err = Walk(play.NewExpander(m), q, func(e *play.Expansion, q machine.State) (int, bool) {
		var claim Claim
		if e.Children > 1 { // a position without a choice needs no claim
			claim, unclaimed = s.At(ctx, q)
		}
		return Likeliest(e, claim.Strategies), unclaimed == nil && e.Choices(chance) <= 1
	})
	return line, over, cmp.Or(err, unclaimed)
}

// Likeliest returns the child of the most probable joint move of an expanded position.
func Likeliest(e *play.Expansion, strategies [][]Weighted) (child int) {
	for r, moves := range e.Moves {
		best, highest := 0, 0.0
		if r < len(strategies) {
			for _, w := range strategies[r] {
				if i := slices.Index(moves, w.Move); i >= 0 && w.Probability > highest {
					best, highest = i, w.Probability
				}
			}
		}
		child = child*len(moves) + best
	}
	return child
}

// Circle finds repeated positions on a path (Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980).
type Circle struct{ passed machine.State }

// Repeats reports whether the position after a step of the path, the first is 0, equals an earlier position. It compares
// the position with a single earlier one, which it replaces at steps 0, 1, 3, 7 …
func (c *Circle) Repeats(step int, q machine.State) bool {
	if step > 0 && q.Equal(c.passed) {
		return true
	}
	if step&(step+1) == 0 {
		c.passed = append(c.passed[:0], q...)
	}
	return false
}

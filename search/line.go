package search

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// MaxPlies bounds the joint moves of a line, and the depth and memory of recursive searches: a longer game is most
// likely infinite.
const MaxPlies = 1 << 12

// Line follows the most probable moves of a solution from q. It ends at a terminal position, a choice of chance, a
// repeated position, or after MaxPlies joint moves. It reports whether it has reached a terminal position. With an
// error it returns the joint moves before it.
func Line(ctx context.Context, m machine.Machine, s Solution, q machine.State) (line [][]machine.Move, over bool, err error) {
	expander, e, q := machine.NewExpander(m), new(machine.Expansion), slices.Clone(q)
	chance, seen := m.Names().Chance(), make(map[string]bool)
	for range MaxPlies {
		if seen[q.Key()] {
			return line, false, nil
		}
		seen[q.Key()] = true
		if over, _ = expander.Look(q); over {
			return line, true, nil
		}
		err := expander.Expand(e, q)
		var claim Claim
		if err == nil && e.Children > 1 { // a position without a choice needs no claim
			claim, err = s.At(ctx, q)
		}
		if err != nil || e.Choices(chance) > 1 {
			return line, false, err
		}
		c, joint := Likeliest(e, claim.Strategies)
		line = append(line, joint)
		copy(q, e.Child(c))
	}
	return line, false, nil
}

// Likeliest returns the most probable joint move of an expanded position, and the number of its child.
func Likeliest(e *machine.Expansion, strategies [][]Weighted) (child int, joint []machine.Move) {
	joint = make([]machine.Move, len(e.Moves))
	for r, moves := range e.Moves {
		best, highest := 0, 0.0
		if r < len(strategies) {
			for _, w := range strategies[r] {
				if i := slices.Index(moves, w.Move); i >= 0 && w.Probability > highest {
					best, highest = i, w.Probability
				}
			}
		}
		joint[r], child = moves[best], child*len(moves)+best
	}
	return child, joint
}

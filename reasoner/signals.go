package reasoner

import (
	"context"
	"math/bits"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// mostMoves is the greatest number of legal moves per true fluent for which moves are signals. With more
// legal moves, learning uses two to four times fewer positions in the same time, and the result is weaker
// (search/evaluate/README.md).
const mostMoves = 0.35

// Signals implements facts.Sensing.
func (c *circuitMachine) Signals(ctx context.Context) facts.Signals {
	return c.signals.get(func() facts.Signals {
		mobility := len(c.Names().Players()) > 1 && choices(ctx, c.Machine) <= mostMoves
		return circuit.FindSignals(ctx, c.game, mobility, c.options)
	})
}

// choices returns the number of legal moves of roles with a choice in positions of random games, divided by
// the number of true fluents.
func choices(ctx context.Context, m machine.Machine) float64 {
	const lanes, steps = 64, 100
	b := m.NewNarrowBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(lanes)
	states := make([]uint64, b.Lanes()*len(m.Initial()))
	var legal []machine.Move
	moves, fluents := 0, 1
	play.NewLockstep(b).Run(ctx, machine.NewRand(1), lanes, func(step int, _, playing []uint64) bool {
		b.Store(states, lanes)
		for rest := playing[0]; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros64(rest)
			for _, w := range states[lane*len(m.Initial()) : (lane+1)*len(m.Initial())] {
				fluents += bits.OnesCount64(w)
			}
			for r := range m.Names().Roles {
				if legal = b.AppendLegal(legal[:0], lane, machine.Role(r)); len(legal) > 1 {
					moves += len(legal)
				}
			}
		}
		return step < steps
	})
	return float64(moves) / float64(fluents)
}

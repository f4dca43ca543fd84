package reasoner

import (
	"context"
	"math/bits"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// mostMoves: moves are worth seeing where there are few to choose from, at most so many for each
// fluent that is true. There they tell more than they cost; where there are more, two to four times fewer
// positions are learnt from in the same time, and what is learnt loses (search/evaluate/README.md).
const mostMoves = 0.35

// Signals implements machine.Analysis.
func (d *decider) Signals(ctx context.Context) machine.Signals {
	return d.signals.get(func() machine.Signals {
		mobility := len(d.Names().Players()) > 1 && choices(ctx, d.Machine) <= mostMoves
		if s := circuit.FindSignals(ctx, d.game, mobility, d.options); s != nil {
			return s
		}
		return nil
	})
}

// choices is how many moves there are to choose from in the positions of random games, for each fluent that is true.
func choices(ctx context.Context, m machine.Machine) float64 {
	const lanes, steps = 64, 100
	b := m.NewNarrowBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(lanes)
	states := make([]uint64, b.Lanes()*m.Words())
	var legal []machine.Move
	moves, fluents := 0, 1
	machine.NewLockstep(b).Run(ctx, machine.NewRand(1), lanes, func(step int, _, playing []uint64) bool {
		b.Store(states, lanes)
		for rest := playing[0]; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros64(rest)
			for _, w := range states[lane*m.Words() : (lane+1)*m.Words()] {
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

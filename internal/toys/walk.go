package toys

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// Follow makes joint moves from position q on. It reports whether the game is over then, and returns the goals.
func Follow(m machine.Machine, q machine.State, line [][]machine.Move) (over bool, goals []int32) {
	b := m.NewNarrowBatch()
	at := slices.Clone(q)
	for _, joint := range line {
		b.Load(at, 1)
		b.Evaluate(1)
		for role, move := range joint {
			b.Choose(0, machine.Role(role), move)
		}
		b.Advance(1)
		b.Store(at, 1)
	}
	return play.NewExpander(m).Look(at)
}

// Positions returns the consecutive positions of random games, without the last one of each.
func Positions(m machine.Machine, games int, seed uint64) []uint64 {
	var states []uint64
	rng, b := machine.NewRand(seed), m.NewBatch()
	for range games {
		b.Fill(m.Initial(), nil)
		for b.Evaluate(1); b.Terminal()[0]&1 == 0; b.Evaluate(1) {
			at := len(states)
			states = append(states, make([]uint64, len(m.Initial()))...)
			b.Store(states[at:], 1)
			b.ChooseRandom(rng, 1)
			b.Advance(1)
		}
	}
	return states
}

package toys

import (
	"context"
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
		play.RandomGame(context.Background(), b, rng, m.Initial(), func(q machine.State, over bool) bool {
			if !over {
				states = append(states, q...)
			}
			return true
		})
	}
	return states
}

package arena

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// Openings vary the matches of one game without favouring a player: random joint moves lead to a position, and each
// seating of the players begins there. Players in this program receive the joint moves. A player behind an endpoint
// receives rules that begin in this position.

// maxOpenings is the number of openings drawn to find one that does not end the game.
const maxOpenings = 100

// opening draws random joint moves that do not end the game, as many as length. They depend only on the seed and the
// rules. In shorter games the opening is as long as possible.
func (g *Manager) opening(length int, seed uint64) (moves [][]string) {
	rng := machine.NewRand(seed)
	for range maxOpenings {
		drawn := g.randomOpening(length, rng)
		if len(drawn) > len(moves) {
			moves = drawn
		}
		if len(moves) == length {
			break
		}
	}
	return moves
}

func (g *Manager) randomOpening(length int, rng *machine.Rand) (moves [][]string) {
	at := play.NewHistory(g.machine, g.machine.Initial())
	for {
		if at.IsOver() || at.Fault() != nil {
			return moves[:max(0, len(moves)-1)]
		}
		if len(moves) == length {
			return moves
		}
		var joint []string
		for r := range g.roles {
			legal := at.Legal(machine.Role(r))
			slices.Sort(legal) // machines order moves differently
			joint = append(joint, legal[rng.Intn(len(legal))])
		}
		_ = at.Advance(joint) // the moves are legal
		moves = append(moves, joint)
	}
}

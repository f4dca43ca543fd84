package arena

import (
	"slices"

	"stackmate/reasoner/machine"
)

// Openings let matches of one game differ, and be fair all the same: some random joint
// moves lead to a position, and the game is played from there, by each seating of the
// players. Players in this program are told how the match came there; to one at an address
// it is a game of its own: its rules say that it begins there.

// maxOpenings is how many openings are drawn to find one that does not end the game.
const maxOpenings = 100

// opening draws so many random joint moves, none of which ends the game. They depend on the
// seed and the rules alone. Games that end earlier are begun as late as they can be.
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
	at := machine.NewHistory(g.machine, g.machine.Initial())
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
			slices.Sort(legal) // engines number moves differently
			joint = append(joint, legal[rng.Intn(len(legal))])
		}
		_ = at.Advance(joint) // of legal moves
		moves = append(moves, joint)
	}
}

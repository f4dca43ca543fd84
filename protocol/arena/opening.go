package arena

import (
	"cmp"
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Openings let matches of one game differ, and be fair all the same: some random joint
// moves lead to a position, and the game is played from there, by each seating of the
// players. To the players it is a game of its own: its rules say that it begins there.

// opened is the manager of the game after so many random joint moves, which are told too.
// They depend on the seed and the rules alone. Games that end earlier than that are begun
// as late as they can be.
func (g *Manager) opened(length int, seed uint64) (*Manager, [][]string, error) {
	rng := machine.NewRand(seed)
	var moves [][]string
	var start machine.State
	for range maxOpenings {
		drawn, state := g.randomOpening(length, rng)
		if len(drawn) > len(moves) || start == nil {
			moves, start = drawn, state
		}
		if len(moves) == length {
			break
		}
	}
	if start == nil { // nothing can be played
		return g, nil, nil
	}
	rules, err := g.begunAt(start)
	if err != nil {
		return nil, nil, fmt.Errorf("%s after %d moves: %w", g.name, len(moves), err)
	}
	out := *g
	out.game, out.begins = rules, start
	return &out, moves, nil
}

// begunAt is the game begun in a position.
func (g *Manager) begunAt(s machine.State) (*gdl.Game, error) {
	var facts []gdl.Term
	for _, text := range g.machine.Names().AppendFluents(nil, s) {
		fact, err := gdl.ParseTerm(text)
		if err != nil {
			return nil, err
		}
		facts = append(facts, fact)
	}
	return g.game.BegunAt(facts), nil
}

// maxOpenings is how many openings are drawn to find one that does not end the game.
const maxOpenings = 100

// randomOpening plays random joint moves, none of which ends the game, and returns them
// with the position that they lead to.
func (g *Manager) randomOpening(length int, rng *machine.Rand) (moves [][]string, start machine.State) {
	b, names := g.machine.NewBatch(), g.machine.Names()
	for {
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 != 0 {
			return moves[:max(0, len(moves)-1)], start
		}
		state := make(machine.State, g.machine.Words())
		b.Store(state, 1)
		if start = state; len(moves) == length {
			return moves, start
		}
		var joint []string
		for r := range g.roles {
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			// Engines number moves differently.
			slices.SortFunc(legal, func(x, y machine.Move) int {
				return cmp.Compare(names.MoveText(machine.Role(r), x), names.MoveText(machine.Role(r), y))
			})
			move := legal[rng.Intn(len(legal))]
			b.Choose(0, machine.Role(r), move)
			joint = append(joint, names.MoveText(machine.Role(r), move))
		}
		moves = append(moves, joint)
		b.Advance(1)
	}
}

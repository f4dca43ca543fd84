package montecarlo

import (
	"slices"

	"stackmate/reasoner/machine"
)

// plan remembers the best line that a search of a game for one role without
// chance has come across, in the tree or in a playout. Following it is sure to
// give its goal.
type plan struct {
	expander *machine.Expander
	children machine.Expansion
	goal     float64 // -1 while there is none
	line     [][]machine.Move
}

func newPlan(m machine.Machine) *plan {
	return &plan{expander: machine.NewExpander(m), goal: -1}
}

// start forgets the plan: a search begins at another position.
func (p *plan) start() { p.goal, p.line = -1, nil }

// consider takes over the best game of the last batch of playouts if it beats
// the plan. Batches do not tell which moves they drew, so that game is played
// again with the same random numbers, and its moves are told from its states.
func (p *plan) consider(w *worker, leaves []leaf) {
	goal, lane := w.playouts.bestGoal, w.playouts.bestLane
	if len(leaves) == 0 || goal <= p.goal {
		return
	}
	l := &leaves[lane%len(leaves)]
	line := [][]machine.Move{slices.Clone(l.joint)}
	for n := l.parent; w.tree.nodes[n].parent != none; n = w.tree.nodes[n].parent {
		joint := make([]machine.Move, w.tree.roles)
		w.tree.decode(w.tree.nodes[n].parent, w.tree.nodes[n].cell, joint)
		line = append(line, joint)
	}
	slices.Reverse(line)
	states := w.playouts.replay(leaves, w.origin, lane)
	for i := 1; i < len(states); i++ {
		joint := p.between(states[i-1], states[i])
		if joint == nil {
			return
		}
		line = append(line, joint)
	}
	p.goal, p.line = goal, line
}

// between finds a joint move from one position to the next, nil if there is
// none.
func (p *plan) between(from, to machine.State) []machine.Move {
	p.expander.Expand(&p.children, from)
	for c := range p.children.Children {
		if p.children.Child(c).Equal(to) {
			joint := make([]machine.Move, len(p.children.Moves))
			p.children.Joint(joint, c)
			return joint
		}
	}
	return nil
}

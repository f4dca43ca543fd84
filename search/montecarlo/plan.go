package montecarlo

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// plan is the best line found in the tree or in a playout, in a game for one role without chance.
// Following it guarantees its goal.
type plan struct {
	goal     float64 // -1 before the first line
	line     [][]machine.Move
	expander *play.Expander
}

// consider replaces the plan by the best game of the last batch if its goal is higher. Batches do not
// record their random moves, so that game is replayed with the same random numbers, and its moves are
// reconstructed from the states.
func (p *plan) consider(w *worker, leaves []leaf) {
	goal, lane := w.playouts.bestGoal, w.playouts.bestLane
	if goal <= p.goal {
		return
	}
	l := &leaves[lane%len(leaves)]
	var line [][]machine.Move
	for i := l.step; i != none; i = w.round.steps[i].before {
		joint, s := make([]machine.Move, w.tree.roles), &w.round.steps[i]
		w.tree.decode(s.node, w.picksOf(s), joint)
		line = append(line, joint)
	}
	slices.Reverse(line)
	p.expander.Limit(w.ctx, 0, 0)
	states := w.playouts.replay(leaves, lane)
	for i := 1; i < len(states); i++ {
		m := p.between(states[i-1], states[i])
		if m == machine.NoMove || w.ctx.Err() != nil {
			return
		}
		line = append(line, []machine.Move{m})
	}
	if len(states) > 0 {
		p.goal, p.line = goal, line
	}
}

// between returns a move of the only role from one position to the next, or machine.NoMove if the context
// ends.
func (p *plan) between(from, to machine.State) machine.Move {
	e := new(play.Expansion)
	if p.expander.Expand(e, from) != nil {
		return machine.NoMove
	}
	for c := range e.Children {
		if to.Equal(e.Child(c)) {
			return e.Moves[0][c]
		}
	}
	return machine.NoMove
}

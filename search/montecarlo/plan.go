package montecarlo

import (
	"slices"

	"stackmate/reasoner/machine"
)

// plan remembers the best line that a search of a game for one role without
// chance has come across, in the tree or in a playout. Following it is sure to
// give its goal.
type plan struct {
	goal float64 // -1 while there is none
	line [][]machine.Move
}

func newPlan() *plan { return &plan{goal: -1} }

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
	var line [][]machine.Move
	for i := l.step; i != none; i = w.round.steps[i].before {
		joint, s := make([]machine.Move, w.tree.roles), &w.round.steps[i]
		w.tree.decode(s.node, w.picksOf(s), joint)
		line = append(line, joint)
	}
	slices.Reverse(line)
	rest, ok := w.playouts.moves(w.playouts.replay(leaves, lane))
	if !ok {
		return
	}
	for _, m := range rest {
		line = append(line, []machine.Move{m})
	}
	p.goal, p.line = goal, line
}

// moves are those of the only role that lead from one of the positions to the next; none if
// ctx ends meanwhile, or if there are no positions.
func (p *playouts) moves(states []machine.State) (line []machine.Move, ok bool) {
	for i := 1; i < len(states); i++ {
		m := p.between(states[i-1], states[i])
		if m == machine.NoMove {
			return nil, false
		}
		line = append(line, m)
	}
	return line, len(states) > 0
}

// between finds a move of the only role from one position to the next, trying as
// many at a time as there are lanes; machine.NoMove if ctx ends meanwhile.
func (p *playouts) between(from, to machine.State) machine.Move {
	b := p.batch
	var legal []machine.Move
	for first := 0; first == 0 || first < len(legal); first += b.Lanes() {
		if p.ctx.Err() != nil {
			break
		}
		b.Fill(from, nil)
		b.Evaluate(1)
		if first == 0 {
			legal = b.AppendLegal(nil, 0, 0)
		}
		tried := legal[first:min(len(legal), first+b.Lanes())]
		for lane, m := range tried {
			b.Choose(lane, 0, m)
		}
		b.Advance(len(tried))
		b.Store(p.states, len(tried))
		for lane, m := range tried {
			if to.Equal(p.states[lane*p.words : (lane+1)*p.words]) {
				return m
			}
		}
	}
	return machine.NoMove
}

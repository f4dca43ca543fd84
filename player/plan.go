package player

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// plan is a line that leads a player alone to a goal for sure. It is followed
// until a better one turns up.
type plan struct {
	goal  float64
	line  [][]machine.Move // joint moves still to make
	state machine.State    // where the next of them is made
	left  machine.State    // where the last one was made, or nil: who ponders is still there
}

// fits tells whether the plan goes on from a position.
func (p *plan) fits(at position) bool {
	return len(p.line) > 0 && p.state.Equal(at.state) && slices.Contains(at.legal, p.line[0][at.role])
}

// next is the move of the plan in a position, if the plan fits and promises at
// least goal points. The plan then expects the position after it.
func (p *plan) next(at position, goal float64) (machine.Move, bool) {
	if !p.fits(at) || p.goal < goal {
		return machine.NoMove, false
	}
	joint := p.line[0]
	b := at.machine.NewBatch()
	b.Load(p.state, 1)
	step(b, joint)
	b.Store(p.state, 1)
	p.line, p.left = p.line[1:], slices.Clone(at.state)
	return joint[at.role], true
}

// improve takes over the line of r if, made move by move, it ends the game with
// a better goal than the plan. What begins where the plan has just left is of no use.
func (p *plan) improve(at position, r *search.Result) {
	if r == nil || len(r.Line) == 0 || p.left != nil && p.left.Equal(at.state) {
		return
	}
	if g, over := outcome(at, r.Line); over && (g > p.goal || !p.fits(at)) {
		*p = plan{goal: g, line: r.Line, state: slices.Clone(at.state)}
	}
}

// outcome is the goal of the role at the end of a line, if the game is over there.
func outcome(at position, line [][]machine.Move) (goal float64, over bool) {
	b := at.machine.NewNarrowBatch()
	b.Load(at.state, 1)
	for _, joint := range line {
		step(b, joint)
	}
	b.Evaluate(1)
	goals := make([]int32, len(at.machine.Names().Roles))
	b.Goals(goals, 0)
	return float64(goals[at.role]), b.Terminal()[0]&1 != 0
}

// step makes a joint move in lane 0.
func step(b machine.Batch, joint []machine.Move) {
	b.Evaluate(1)
	for r, m := range joint {
		b.Choose(0, machine.Role(r), m)
	}
	b.Advance(1)
}

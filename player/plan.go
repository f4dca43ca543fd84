package player

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// plan is a line of joint moves from a state to the end of the game. A single player follows it until a
// search finds a better line.
type plan struct {
	line  [][]machine.Move
	state machine.State
}

// advance returns the remaining plan after its first joint move.
func (p plan) advance(m machine.Machine) plan {
	b, state := m.NewNarrowBatch(), slices.Clone(p.state)
	b.Load(state, 1)
	step(b, p.line[0])
	b.Store(state, 1)
	return plan{p.line[1:], state}
}

// newRoot returns the root of a position; a plan that begins there is entered.
func (t *thinker) newRoot(at position) *root {
	r := newRoot(at)
	if r.alone = t.class.Players == 1 && !t.class.Chance; r.alone && t.plan.state.Equal(at.state) {
		r.follow(&search.Result{Line: t.plan.line, Values: make([]search.Interval, len(at.machine.Names().Roles))})
	}
	return r
}

// outcome returns the goal of the role at the end of a line, and whether the game is over there.
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

// step chooses a joint move in lane 0 and advances the batch.
func step(b machine.Batch, joint []machine.Move) {
	b.Evaluate(1)
	for r, m := range joint {
		b.Choose(0, machine.Role(r), m)
	}
	b.Advance(1)
}

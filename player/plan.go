package player

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
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
	play.Step(b, p.line[0])
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

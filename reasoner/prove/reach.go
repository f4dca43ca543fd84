package prove

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// Plans by breadth first: positions that differ in nothing but the clock of the game are
// one, and are gone on from where they are met first. Counters of steps make a
// puzzle of some thousand positions one of a hundred times as many; without them all are
// soon seen. A plan that is found is a plan whatever the clock does, but that there are no
// others is not shown.

const (
	// reachPositions are looked at, in all, reachStep at a time.
	reachPositions = 1 << 20
	reachStep      = 64
	// reachBytes is what a position takes besides its words, which are kept twice: its way
	// and its place in the table.
	reachBytes = 24
)

// reach is a search by breadth.
type reach struct {
	*planning
	words     int
	mask      machine.State // without the clock
	masked    machine.State
	expander  *machine.Expander
	expansion machine.Expansion
	states    []uint64
	from      []int32        // by position: the one before
	moves     []machine.Move // by position: what led there
	seen      *positions     // without the clock
	at        int            // positions that were gone on from
	room      int            // for so many
}

func (q *planning) newReach(ctx context.Context) *reach {
	words := q.machine.Words()
	r := &reach{
		planning: q, words: words, mask: q.withoutClock(), masked: q.machine.Names().NewState(),
		expander: machine.NewExpander(q.machine), seen: newPositions(words),
	}
	r.expander.Limit(ctx, q.limits.Bytes/wayShare, 0)
	r.room = int(min(reachPositions, q.limits.Bytes/wayShare/(reachBytes+16*int64(words))))
	if terminal, _ := r.expander.Look(q.start); !terminal {
		r.add(q.start, -1, machine.NoMove)
	}
	return r
}

// withoutClock is the mask of the fluents that are not of the clock.
func (q *planning) withoutClock() machine.State {
	mask := q.machine.Names().NewState()
	for f := range q.game.Fluents {
		mask.Set(f)
	}
	for _, f := range clockFluents(q.game) {
		mask[f>>6] &^= 1 << (uint(f) & 63)
	}
	return mask
}

// next goes on from some positions, and tells whether there are more.
func (r *reach) next(ctx context.Context) bool {
	joint := make([]machine.Move, 1)
	s := make(machine.State, r.words)
	for end := r.at + reachStep; r.at < len(r.from) && len(r.from) < r.room && ctx.Err() == nil && !r.isSettled(); r.at++ {
		if r.at == end {
			return true
		}
		copy(s, r.states[r.at*r.words:])
		e := &r.expansion
		if r.expander.Expand(e, s) != nil {
			continue
		}
		for c := range e.Children {
			e.Joint(joint, c)
			if !e.Terminal[c] {
				r.add(e.Child(c), int32(r.at), joint[0])
			} else if e.ChildGoals(c)[0] > r.plan.Goal {
				r.take(append(r.line(r.at), []machine.Move{joint[0]}))
			}
		}
	}
	return false
}

// add adds a position, unless it is known.
func (r *reach) add(s machine.State, from int32, m machine.Move) {
	for w := range r.masked {
		r.masked[w] = s[w] & r.mask[w]
	}
	if r.seen.add(r.masked) {
		r.states, r.from, r.moves = append(r.states, s...), append(r.from, from), append(r.moves, m)
	}
}

// line is the way to a position.
func (r *reach) line(at int) [][]machine.Move {
	var line [][]machine.Move
	for ; r.from[at] >= 0; at = int(r.from[at]) {
		line = append(line, []machine.Move{r.moves[at]})
	}
	slices.Reverse(line)
	return line
}

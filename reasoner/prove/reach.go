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
	// firstPositions are looked at before formulas are tried, a tenth of a second's work;
	// after each round of formulas reachGrowth times as many as before, reachPositions in
	// all, in reachShare of the memory.
	firstPositions = 1 << 14
	reachGrowth    = 4
	reachPositions = 1 << 20
	reachShare     = 4
	// reachBytes is what a position takes besides its words: in the map, its way and its
	// key.
	reachBytes = 120
)

// reach is a search by breadth.
type reach struct {
	*planning
	words    int
	mask     machine.State // without the clock
	expander *machine.Expander
	states   []uint64
	from     []int32        // by position: the one before
	moves    []machine.Move // by position: what led there
	seen     map[string]bool
	at       int // positions that were gone on from
	room     int // for so many
}

func (q *planning) newReach(ctx context.Context) *reach {
	r := &reach{
		planning: q, words: q.machine.Words(), mask: q.machine.Names().NewState(),
		expander: machine.NewExpander(q.machine), seen: map[string]bool{},
	}
	for f := range q.game.Fluents {
		r.mask.Set(f)
	}
	for _, f := range clockFluents(q.game) {
		r.mask[f>>6] &^= 1 << (uint(f) & 63)
	}
	r.expander.Limit(ctx, q.limits.Bytes/reachShare, 0)
	r.room = int(min(reachPositions, q.limits.Bytes/reachShare/(reachBytes+24*int64(r.words))))
	if terminal, _ := r.expander.Look(q.start); !terminal {
		r.add(q.start, -1, machine.NoMove)
	}
	return r
}

// explore looks for plans by breadth first, until so many positions are known.
func (r *reach) explore(ctx context.Context, positions int) {
	var e machine.Expansion
	joint := make([]machine.Move, 1)
	for ; r.at < len(r.from) && len(r.from) < min(positions, r.room) && ctx.Err() == nil && !r.isSettled(); r.at++ {
		s := slices.Clone(machine.State(r.states[r.at*r.words : (r.at+1)*r.words]))
		if r.expander.Expand(&e, s) != nil {
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
}

// add adds a position, unless it is known.
func (r *reach) add(s machine.State, from int32, m machine.Move) {
	masked := make(machine.State, r.words)
	for w := range masked {
		masked[w] = s[w] & r.mask[w]
	}
	if key := stateKey(masked); !r.seen[key] {
		r.seen[key] = true
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

package prove

import (
	"context"
	"slices"
	"time"

	"stackmate/reasoner/machine"
)

// Plans by breadth first: positions that differ in nothing but the clock of the game are
// one, and are gone on from where they are met first. Counters of steps make a
// puzzle of some thousand positions one of a hundred times as many; without them all are
// soon seen. A plan that is found is a plan whatever the clock does, but that there are no
// others is not shown.

const (
	// reachPositions are looked at, some seconds of work, in reachShare of the memory.
	reachPositions = 1 << 20
	reachShare     = 4
	// reachBytes is what a position takes besides its words: in the map, its way and its
	// key.
	reachBytes = 120
	// reachTime of the time is for them.
	reachTime = 8
)

// reach is a search by breadth.
type reach struct {
	*planning
	words  int
	mask   machine.State // without the clock
	states []uint64
	from   []int32        // by position: the one before
	moves  []machine.Move // by position: what led there
	seen   map[string]bool
}

// exploreFor explores for a part of the time that is left.
func (q *planning) exploreFor(ctx context.Context) {
	if end, ok := ctx.Deadline(); ok {
		short, cancel := context.WithTimeout(ctx, time.Until(end)/reachTime)
		defer cancel()
		ctx = short
	}
	q.explore(ctx)
}

// explore looks for plans by breadth first.
func (q *planning) explore(ctx context.Context) {
	r := &reach{planning: q, words: q.machine.Words(), mask: q.machine.Names().NewState(), seen: map[string]bool{}}
	for f := range q.game.Fluents {
		r.mask.Set(f)
	}
	for _, f := range clockFluents(q.game) {
		r.mask[f>>6] &^= 1 << (uint(f) & 63)
	}
	x := machine.NewExpander(q.machine)
	x.Limit(ctx, q.limits.Bytes/reachShare, 0)
	if terminal, _ := x.Look(q.start); terminal {
		return
	}
	r.add(q.start, -1, machine.NoMove)
	room := min(reachPositions, q.limits.Bytes/reachShare/(reachBytes+24*int64(r.words)))
	var e machine.Expansion
	for at := 0; at < len(r.from) && int64(len(r.from)) < room && ctx.Err() == nil && !q.isSettled(); at++ {
		s := slices.Clone(machine.State(r.states[at*r.words : (at+1)*r.words]))
		if x.Expand(&e, s) != nil {
			continue
		}
		joint := make([]machine.Move, 1)
		for c := range e.Children {
			e.Joint(joint, c)
			if !e.Terminal[c] {
				r.add(e.Child(c), int32(at), joint[0])
			} else if e.ChildGoals(c)[0] > q.plan.Goal {
				q.take(append(r.line(at), []machine.Move{joint[0]}))
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

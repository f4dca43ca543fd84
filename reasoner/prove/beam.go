package prove

import (
	"cmp"
	"context"
	"math"
	"slices"

	"stackmate/reasoner/machine"
)

// Plans by breadth first with a beam (Lowerre 1976): of the positions after so many joint moves,
// those are gone on from for which the patterns have the shortest ways to their best goals, in sum,
// and of equal ones any. No two positions of a beam differ in the clock of the game alone, so that
// each joint move changes something; but to wait for one's turn may be right, so a second beam of the same
// width allows it. The next two are twice as wide.

const (
	// firstBeam is the width of the first beam, in positions, maxBeam that of the last.
	firstBeam = 1 << 6
	maxBeam   = 1 << 17
	// beamStep positions are gone on from at a time.
	beamStep = 16
)

// beams is a sequence of searches by breadth.
type beams struct {
	*planning
	rng       *machine.Rand
	expander  *machine.Expander
	expansion machine.Expansion
	mask      machine.State // of all but the clock
	masked    machine.State
	words     int
	room      int // words for the positions of a beam, and as many for those of the next layer
	width     int
	waits     bool       // positions that differ in the clock are two
	seen      *positions // of this beam
	ways      []wayIn
	now, then rankedLayer
	at        int // positions of now that were gone on from
}

// wayIn leads to a position.
type wayIn struct {
	from int32 // number of the way to the position before; -1 for none
	move machine.Move
}

// rankedLayer is positions after the same number of joint moves.
type rankedLayer struct {
	states []uint64 // one after the other
	order  []ranked
}

// ranked is a position of a layer.
type ranked struct {
	number int
	rank   uint64 // the least one first
	way    wayIn
	at     int32 // number of its way, once it is gone on from
}

func (q *planning) newBeams(ctx context.Context) *beams {
	b := &beams{
		planning: q, rng: machine.NewRand(1), expander: machine.NewExpander(q.machine), mask: q.withoutClock(),
		masked: q.machine.Names().NewState(), words: q.machine.Words(),
		room: int(min(q.limits.Bytes/wayShare/4/8, math.MaxInt32)), width: firstBeam / 2, waits: true,
	}
	b.expander.Limit(ctx, q.limits.Bytes/wayShare/2, 0)
	return b
}

// next goes on with a beam, or begins one.
func (b *beams) next(ctx context.Context) bool {
	if len(b.now.order) == 0 {
		if terminal, _ := b.expander.Look(b.start); terminal || b.width == maxBeam && b.waits {
			return false
		}
		b.begin()
	}
	joint := make([]machine.Move, 1)
	for end := b.at + beamStep; b.at < end && b.at < len(b.now.order) && ctx.Err() == nil; b.at++ {
		parent := &b.now.order[b.at]
		e := &b.expansion
		if b.expander.Expand(e, b.now.states[parent.number*b.words:][:b.words]) != nil {
			continue
		}
		for c := range e.Children {
			e.Joint(joint, c)
			switch {
			case !e.Terminal[c]:
				b.add(e.Child(c), wayIn{parent.at, joint[0]})
			case e.ChildGoals(c)[0] > b.plan.Goal:
				b.take(b.line(wayIn{parent.at, joint[0]}))
			}
		}
	}
	if b.at == len(b.now.order) {
		b.turn()
	}
	return true
}

// begin begins with a wider beam.
func (b *beams) begin() {
	if b.waits = !b.waits; !b.waits {
		b.width *= 2
	}
	b.seen, b.ways = newPositions(b.words), b.ways[:0]
	b.add(b.start, wayIn{-1, machine.NoMove})
	b.turn()
}

// add adds a position to the next layer, unless it is known or hopeless or there is no room.
func (b *beams) add(s machine.State, way wayIn) {
	for w := range b.masked {
		b.masked[w] = s[w]
		if !b.waits {
			b.masked[w] &= b.mask[w]
		}
	}
	l := &b.then
	if len(l.states) > b.room || !b.seen.add(b.masked) || b.isHopeless(s) {
		return
	}
	l.order = append(l.order, ranked{len(l.order), uint64(b.distance(s))<<32 | b.rng.Uint64()>>32, way, 0})
	l.states = append(l.states, s...)
}

// turn goes on to the next layer.
func (b *beams) turn() {
	b.now, b.then = b.then, b.now
	b.then.states, b.then.order = b.then.states[:0], b.then.order[:0]
	slices.SortFunc(b.now.order, func(x, y ranked) int { return cmp.Compare(x.rank, y.rank) })
	b.now.order = b.now.order[:min(b.width, len(b.now.order))]
	for i := range b.now.order {
		b.now.order[i].at = int32(len(b.ways))
		b.ways = append(b.ways, b.now.order[i].way)
	}
	b.at = 0
	if len(b.seen.states)+len(b.ways) > b.room { // wider ones would take more
		b.now.order, b.width, b.waits = nil, maxBeam, true
	}
}

// line is the way that ends with a step.
func (b *beams) line(last wayIn) [][]machine.Move {
	line := [][]machine.Move{{last.move}}
	for at := last.from; b.ways[at].from >= 0; at = b.ways[at].from {
		line = append(line, []machine.Move{b.ways[at].move})
	}
	slices.Reverse(line)
	return line
}

package prove

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Plans by depth first, the children with the fewest moves first, or those with the most:
// what has few ways out must be visited while there are any (Warnsdorff 1823, knight's
// tours), and what must have room for more should keep as much of it as it can. Equal
// children come in random order, and a dive that has found nothing within its number of
// positions is given up for a new one (Gomes, Selman and Kautz, "Boosting combinatorial
// search through randomization", 1998). A dive that has seen all positions proves that there
// are no better plans.

const (
	// firstDive is the number of positions of the first dives; the others have the multiples
	// of the sequence of Luby, Sinclair and Zuckerman, up to maxDive.
	firstDive = 1 << 9
	maxDive   = 1 << 20
	// diveStep positions are looked at at a time.
	diveStep = 16
)

// dives is a sequence of searches by depth.
type dives struct {
	*planning
	batch    machine.Batch
	expander *machine.Expander
	rng      *machine.Rand
	seen     *positions
	levels   []*level
	depth    int
	number   int64 // of the dive
	limit    int   // of its positions
	cut      bool  // something was left out
	legal    []machine.Move
}

// level is a position of the line that is looked at, with its children in the order in which
// they are tried.
type level struct {
	machine.Expansion
	order []child
	next  int
}

// child is one of an expansion that is not terminal.
type child struct {
	number int
	rank   uint64 // the least one first
}

func (q *planning) newDives(ctx context.Context) *dives {
	d := &dives{
		planning: q, batch: q.machine.NewNarrowBatch(), expander: machine.NewExpander(q.machine), rng: machine.NewRand(1),
		number: -1,
	}
	d.expander.Limit(ctx, q.limits.Bytes/wayShare/2, 0)
	d.depth = -1
	return d
}

// next goes on with a dive, or begins one.
func (d *dives) next(ctx context.Context) bool {
	if d.depth < 0 {
		if d.number >= 0 && !d.cut { // it has seen all
			d.lower(d.plan.Goal + 1)
			return false
		}
		d.begin()
		if terminal, _ := d.expander.Look(d.start); terminal {
			return false
		}
		d.enter(d.start)
	}
	for step := 0; step < diveStep && d.depth >= 0 && ctx.Err() == nil && !d.isSettled(); step++ {
		l := d.levels[d.depth]
		if l.next == len(l.order) {
			d.depth--
			continue
		}
		child := l.Child(l.order[l.next].number)
		l.next++
		if d.isHopeless(child) {
			continue
		}
		if d.seen.len() >= d.limit {
			d.cut = true
			d.depth = -1
			break
		}
		if d.seen.add(child) {
			d.enter(child)
		}
	}
	return true
}

// begin begins a dive.
func (d *dives) begin() {
	d.number++
	size := 16 + 8*int64(d.machine.Words())
	d.limit = int(min(firstDive*sat.Luby(d.number/2), maxDive, d.limits.Bytes/wayShare/2/size))
	d.seen, d.cut = newPositions(d.machine.Words()), false
}

// enter goes one level down, to a position.
func (d *dives) enter(s machine.State) {
	if d.depth+1 == maxWalk {
		d.cut = true
		return
	}
	if d.depth++; d.depth == len(d.levels) {
		d.levels = append(d.levels, &level{})
	}
	l := d.levels[d.depth]
	l.order, l.next = l.order[:0], 0
	if err := d.expander.Expand(&l.Expansion, s); err != nil {
		d.cut = d.cut || !errors.Is(err, machine.ErrStuck)
		d.depth--
		return
	}
	joint := make([]machine.Move, 1)
	best := d.plan.Goal
	for c := range l.Children {
		if l.Terminal[c] && l.ChildGoals(c)[0] > best {
			best = l.ChildGoals(c)[0]
			l.Joint(joint, c)
			d.take(append(d.line(), []machine.Move{joint[0]}))
		}
	}
	d.rank(l)
}

// rank puts the children that are not terminal in order.
func (d *dives) rank(l *level) {
	lanes, words := d.batch.Lanes(), d.machine.Words()
	for first := 0; first < l.Children; first += lanes {
		n := min(lanes, l.Children-first)
		d.batch.Load(l.States[first*words:], n)
		d.batch.Evaluate(n)
		for lane := range n {
			if l.Terminal[first+lane] {
				continue
			}
			d.legal = d.batch.AppendLegal(d.legal[:0], lane, 0)
			moves := uint64(len(d.legal))
			if d.number&1 != 0 {
				moves = 1<<31 - moves
			}
			l.order = append(l.order, child{first + lane, moves<<32 | d.rng.Uint64()>>32})
		}
	}
	slices.SortFunc(l.order, func(a, b child) int { return cmp.Compare(a.rank, b.rank) })
}

// line is the way to the position of the last level.
func (d *dives) line() [][]machine.Move {
	line := make([][]machine.Move, d.depth)
	for i := range line {
		l := d.levels[i]
		line[i] = make([]machine.Move, 1)
		l.Joint(line[i], l.order[l.next-1].number)
	}
	return line
}

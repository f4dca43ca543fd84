package plan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
	"stackmate/reasoner/prove/sat"
)

// Searches that try moves. Each keeps the positions that it has met in a tree, and expands those of
// its frontier, best ranks first: depth first the children of the last one, breadth first all of one
// depth, the best of them where these are too many (a beam).
//
// Invariants: a position is expanded once, unless it is terminal or by the patterns no better goal
// can be reached from it. The line to it in the tree is the one along which it was expanded.
//
// Cost: an expansion takes a pass of the machine for each batch of children; memory is that of the
// tree, for each position met.

const (
	// maxLine is the longest line of searches by depth: no match takes more joint moves.
	maxLine = 300
	// firstDepth is the number of positions of the first searches by depth; the others have the
	// multiples of the sequence of Luby, Sinclair and Zuckerman, up to maxDepth.
	firstDepthLimit = 1 << 9
	maxDepthLimit   = 1 << 20
	// firstBeam is the width of the first beam, in positions, maxBeam that of the last.
	firstBeam = 1 << 6
	maxBeam   = 1 << 17
	// maxBreadth positions are met in all without a beam.
	maxBreadth = 1 << 20
	// restEvery expansions a search rests.
	pauseEvery = 16
)

// open is a position of a frontier.
type frontierNode struct {
	number int32 // in the tree
	depth  int
	rank   uint64 // the least one first
}

// explorer expands positions.
type explorer struct {
	*planning
	expander  *machine.Expander
	expansion machine.Expansion
	batch     machine.Batch // for legal moves of children
	legal     []machine.Move
	joint     []machine.Move // scratch
	rng       *machine.Rand
}

func (q *planning) newExplorer(ctx context.Context) *explorer {
	x := &explorer{
		planning: q, expander: machine.NewExpander(q.machine), batch: q.machine.NewNarrowBatch(),
		joint: make([]machine.Move, 1), rng: machine.NewRand(1),
	}
	x.expander.Limit(ctx, q.limits.MaxBytes/searchShare/2, 0)
	return x
}

// hasRoom tells whether a tree may grow.
func (q *planning) hasRoom(t *tree) bool { return t.bytes() <= q.limits.MaxBytes/searchShare/2 }

// root is a tree of the first position.
func (q *planning) initialTree(mask machine.State) *tree {
	t := newTree(mask)
	t.add(q.start, none, machine.NoMove)
	return t
}

// expand finds the children of a position of a tree, and takes the better plans that end with one.
func (x *explorer) expand(t *tree, number int32) error {
	e := &x.expansion
	if err := x.expander.Expand(e, t.state(number)); err != nil {
		return err
	}
	for c := range e.Children {
		if e.Terminal[c] && e.ChildGoals(c)[0] > x.plan.Goal {
			x.offer(append(t.line(number), []machine.Move{x.moveTo(c)}))
		}
	}
	return nil
}

// move is the one that leads to a child.
func (x *explorer) moveTo(child int) machine.Move {
	x.expansion.Joint(x.joint, child)
	return x.joint[0]
}

// isOfUse tells whether a child may lead to a better plan.
func (x *explorer) isPromising(child int) bool {
	return !x.expansion.Terminal[child] && !x.isHopeless(x.expansion.Child(child))
}

// depthFirst searches by depth first, with at most limit expansions. Of the children those are met
// that are admitted, nil admits all; ranks are those of the children of an expansion, nil takes them
// as they come. It tells whether it has expanded all positions.
func (x *explorer) depthFirst(pause func() bool, limit int, admits func(machine.State) bool, ranks func() []uint64) (all bool) {
	t := x.initialTree(x.allFluents())
	frontier := []frontierNode{{number: 0}}
	done := []bool{false} // by number: it was expanded
	all = true
	for visited := 0; len(frontier) > 0; {
		top := frontier[len(frontier)-1]
		frontier = frontier[:len(frontier)-1]
		if done[top.number] || x.isHopeless(t.state(top.number)) {
			continue
		}
		if visited == limit || !x.hasRoom(t) || visited%pauseEvery == 0 && !pause() {
			return false
		}
		visited++
		if top.depth == maxLine {
			all = false
			continue
		}
		done[top.number] = true
		if err := x.expand(t, top.number); err != nil {
			all = all && errors.Is(err, machine.ErrStuck)
			continue
		}
		var rank []uint64
		if ranks != nil {
			rank = ranks()
		}
		first := len(frontier)
		for c := range x.expansion.Children {
			if !x.isPromising(c) || admits != nil && !admits(x.expansion.Child(c)) {
				continue
			}
			move := x.moveTo(c)
			number, isNew := t.add(x.expansion.Child(c), top.number, move)
			if isNew {
				done = append(done, false)
			} else if done[number] {
				continue
			}
			t.from[number], t.moves[number] = top.number, move // it waits, and comes next from here
			o := frontierNode{number, top.depth + 1, uint64(c)}
			if rank != nil {
				o.rank = rank[c]
			}
			frontier = append(frontier, o)
		}
		slices.SortFunc(frontier[first:], func(a, b frontierNode) int { return cmp.Compare(b.rank, a.rank) })
	}
	return all
}

// withoutClock is the mask of the fluents that are not of the clock.
func (q *planning) fluentsWithoutClock() machine.State {
	mask := q.allFluents()
	for _, f := range prove.ClockFluents(q.game) {
		mask[f>>6] &^= 1 << (f & 63)
	}
	return mask
}

// everything is the mask of all fluents.
func (q *planning) allFluents() machine.State {
	return slices.Repeat(machine.State{math.MaxUint64}, q.machine.Words())
}

// byDepth searches by depth first, the children with the fewest moves first, or those with the
// most: what has few ways out must be visited while there are any (Warnsdorff 1823, knight's
// tours), and what must have room for more should keep as much of it as it can. Equal children come
// in random order, and a search that has found nothing within its number of positions is given up for
// a new one (Gomes, Selman and Kautz, "Boosting combinatorial search through randomization", 1998).
// A search that has seen all positions proves that there are no better plans.
func (q *planning) byDepth(ctx context.Context, pause func() bool) {
	x := q.newExplorer(ctx)
	for number := int64(0); pause(); number++ {
		limit := int(min(firstDepthLimit*sat.Luby(number/2), maxDepthLimit))
		if x.depthFirst(pause, limit, nil, func() []uint64 { return x.byMoves(number&1 != 0) }) {
			q.refuteGoal(q.plan.Goal + 1)
			return
		}
	}
}

// byMoves ranks the children of an expansion by the number of their moves, the fewest or the most
// first.
func (x *explorer) byMoves(most bool) []uint64 {
	e := &x.expansion
	lanes, words := x.batch.Lanes(), x.machine.Words()
	ranks := make([]uint64, e.Children)
	for first := 0; first < e.Children; first += lanes {
		n := min(lanes, e.Children-first)
		x.batch.Load(e.States[first*words:], n)
		x.batch.Evaluate(n)
		for lane := range n {
			if e.Terminal[first+lane] {
				continue
			}
			x.legal = x.batch.AppendLegal(x.legal[:0], lane, 0)
			moves := uint64(len(x.legal))
			if most {
				moves = 1<<31 - moves
			}
			ranks[first+lane] = moves<<32 | x.rng.Uint64()>>32
		}
	}
	return ranks
}

// breadthFirst searches by breadth first with a beam (Lowerre 1976): of the positions after so many
// joint moves at most width are expanded, those for which the patterns have the shortest lines to
// their best goals, in sum, and of equal ones any. Positions that differ outside of the mask alone are one. It
// tells whether it has left out some because of the width, and whether it had the memory for all
// others.
func (x *explorer) breadthFirst(pause func() bool, width, limit int, mask machine.State) (narrow, fits bool) {
	t := x.initialTree(mask)
	for layer := []frontierNode{{number: 0}}; len(layer) > 0; {
		var next []frontierNode
		for i, o := range layer {
			if i%pauseEvery == 0 && !pause() || !x.hasRoom(t) || t.len() >= limit {
				return narrow, false
			}
			if x.expand(t, o.number) != nil {
				continue
			}
			for c := range x.expansion.Children {
				if !x.isPromising(c) {
					continue
				}
				child := x.expansion.Child(c)
				if number, isNew := t.add(child, o.number, x.moveTo(c)); isNew {
					next = append(next, frontierNode{number: number, rank: uint64(x.distance(child))<<32 | x.rng.Uint64()>>32})
				}
			}
		}
		slices.SortFunc(next, func(a, b frontierNode) int { return cmp.Compare(a.rank, b.rank) })
		narrow = narrow || len(next) > width
		layer = next[:min(width, len(next))]
	}
	return narrow, true
}

// byBreadth searches by breadth without the clock. Counters of steps make a puzzle of some
// thousand positions one of a hundred times as many; without them all are soon seen. A plan that is
// found is a plan whatever the clock does, but that there are no others is not shown.
func (q *planning) byBreadth(ctx context.Context, pause func() bool) {
	q.newExplorer(ctx).breadthFirst(pause, math.MaxInt, maxBreadth, q.fluentsWithoutClock())
}

// byBeams searches with beams, each twice as wide as the one before. No two positions of one differ
// in the clock of the game alone, so that each joint move changes something; but to wait for one's
// turn may be right, so a second beam of the same width allows it.
func (q *planning) byBeams(ctx context.Context, pause func() bool) {
	x := q.newExplorer(ctx)
	for width := firstBeam; width <= maxBeam; width *= 2 {
		narrow, fits := x.breadthFirst(pause, width, math.MaxInt, q.fluentsWithoutClock())
		too, fitsToo := x.breadthFirst(pause, width, math.MaxInt, q.allFluents())
		if !narrow && !too || !fits || !fitsToo { // wider ones would find the same, or take more
			return
		}
	}
}

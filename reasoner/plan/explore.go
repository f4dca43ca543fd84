package plan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prove/sat"
)

// Searches that expand positions. Each search keeps its positions in a tree and expands a frontier. Depth first
// expands the child of best rank of the last position. Breadth first expands the positions of one depth; if there are
// too many, it expands only the best ranks (a beam).
//
// Invariants: a position is expanded at most once. It is not expanded if it is terminal, or if the patterns prove
// that no better goal can be reached from it. The line to it in the tree is the line by which it was expanded.
//
// Cost: an expansion evaluates its children in batches. Memory is proportional to the positions in the tree.

const (
	// maxLine bounds the line of a depth-first search. A search that meets it has not expanded all positions.
	maxLine = 300
	// firstDepthLimit is the number of expansions of the first depth-first search. The limits of later searches are
	// multiples by the sequence of Luby, Sinclair and Zuckerman, up to maxDepthLimit.
	firstDepthLimit = 1 << 9
	maxDepthLimit   = 1 << 20
	// firstBeam and maxBeam are the widths of the first and the last beam, in positions.
	firstBeam = 1 << 6
	maxBeam   = 1 << 17
	// maxBreadth bounds the positions of the breadth-first search without a beam.
	maxBreadth = 1 << 20
	// pauseEvery is the number of expansions between two calls of pause.
	pauseEvery = 16
)

// frontierNode is a position of a frontier.
type frontierNode struct {
	number int32 // in the tree
	depth  int
	rank   uint64 // the least rank is expanded first
}

// explorer expands positions.
type explorer struct {
	*planning
	expander  *play.Expander
	expansion play.Expansion
	batch     machine.Batch // for the number of legal moves in children
	legal     []machine.Move
	joint     []machine.Move // scratch
	rng       *machine.Rand
}

func (q *planning) newExplorer(ctx context.Context) *explorer {
	x := &explorer{
		planning: q, expander: play.NewExpander(q.machine), batch: q.machine.NewNarrowBatch(),
		joint: make([]machine.Move, 1), rng: machine.NewRand(1),
	}
	x.expander.Limit(ctx, q.limits.MaxBytes/searchShare/2, 0)
	return x
}

// hasRoom reports whether a tree may grow.
func (q *planning) hasRoom(t *tree) bool { return t.bytes() <= q.limits.MaxBytes/searchShare/2 }

// initialTree returns a tree of the first position.
func (q *planning) initialTree(mask machine.State) *tree {
	t := newTree(mask)
	t.add(q.start, none, machine.NoMove)
	return t
}

// expand computes the children of a position of a tree, and offers the lines to terminal children with better goals.
func (x *explorer) expand(t *tree, number int32) error {
	e := &x.expansion
	if err := x.expander.Expand(e, t.state(number)); err != nil {
		return err
	}
	for c := range e.Children {
		if !e.Terminal[c] {
			continue
		}
		if g := e.ChildGoals(c)[0]; g > x.plan.Goal || g == machine.NoGoal && x.plan.Faulty == nil {
			x.offer(append(t.line(number), []machine.Move{x.moveTo(c)}))
		}
	}
	return nil
}

// moveTo returns the move that leads to a child.
func (x *explorer) moveTo(child int) machine.Move {
	x.expansion.Joint(x.joint, child)
	return x.joint[0]
}

// isPromising reports whether a better plan may lead through a child.
func (x *explorer) isPromising(child int) bool {
	return !x.expansion.Terminal[child] && !x.isHopeless(x.expansion.Child(child))
}

// depthFirst searches depth first, with at most limit expansions. It follows the children for which admits is true,
// all if admits is nil. It orders siblings by ranks, or as expanded if ranks is nil. It reports whether it has
// expanded all positions.
func (x *explorer) depthFirst(pause func() bool, limit int, admits func(machine.State) bool, ranks func() []uint64) (all bool) {
	t := x.initialTree(x.allFluents())
	frontier := []frontierNode{{number: 0}}
	done := []bool{false} // by number of a position
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
			all = all && errors.Is(err, play.ErrStuck)
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
			t.from[number], t.moves[number] = top.number, move // not expanded yet: its line now leads through top
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

// fluentsWithoutClock returns the mask of the fluents outside the clock.
func (q *planning) fluentsWithoutClock() machine.State {
	mask := q.allFluents()
	for _, f := range q.game.ClockFluents() {
		mask[f>>6] &^= 1 << (f & 63)
	}
	return mask
}

// allFluents returns the mask of all fluents.
func (q *planning) allFluents() machine.State {
	return slices.Repeat(machine.State{math.MaxUint64}, len(q.machine.Initial()))
}

// byDepth searches depth first with restarts. By turns, children with the fewest and with the most legal moves come
// first. The fewest suit puzzles whose positions lose their exits (Warnsdorff 1823, knight's tours); the most suit
// puzzles that need room. The order of equal children is random, and a search that exceeds its limit restarts (Gomes,
// Selman and Kautz, "Boosting combinatorial search through randomization", 1998). A search that has expanded all
// positions proves that there is no better plan.
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

// byMoves ranks the children of an expansion by their numbers of legal moves, with a random order of equal children.
func (x *explorer) byMoves(most bool) []uint64 {
	e := &x.expansion
	lanes, words := x.batch.Lanes(), len(x.machine.Initial())
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

// breadthFirst searches breadth first with a beam (beam search: Lowerre 1976). At each depth it expands at most width
// positions with the least sum of pattern distances to the best goals, in random order if equal. Positions
// with the same fluents in mask count as equal. It reports whether the beam was narrow, so that positions were left
// out, and whether the remaining positions fit into the memory and the time.
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

// byBreadth searches breadth first without the clock. A counter of steps multiplies the positions of a puzzle by a
// hundred or so; without it the positions are soon exhausted. Each plan is replayed, so it is valid; but the search
// refutes no goal.
func (q *planning) byBreadth(ctx context.Context, pause func() bool) {
	q.newExplorer(ctx).breadthFirst(pause, math.MaxInt, maxBreadth, q.fluentsWithoutClock())
}

// byBeams searches with beams of doubling width. In the first beam of a width, positions that differ only in the
// clock count as equal, so each joint move changes something. The second beam lets the role wait.
func (q *planning) byBeams(ctx context.Context, pause func() bool) {
	x := q.newExplorer(ctx)
	for width := firstBeam; width <= maxBeam; width *= 2 {
		narrow, fits := x.breadthFirst(pause, width, math.MaxInt, q.fluentsWithoutClock())
		narrowWithClock, fitsWithClock := x.breadthFirst(pause, width, math.MaxInt, q.allFluents())
		if !narrow && !narrowWithClock || !fits || !fitsWithClock { // a wider beam finds the same, or needs more memory
			return
		}
	}
}

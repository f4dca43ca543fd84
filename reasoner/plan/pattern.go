package plan

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Pattern databases (Culberson and Schaeffer, "Pattern databases", 1998): a set of fluents whose next values depend
// only on each other and the move is an abstract game with few positions. A move or goal is possible in the abstract
// game if it is possible for any values of the other fluents. So each plan is a line of the abstract game, and
// distances and goals of the abstract game are bounds.

const (
	// maxPattern bounds the positions of a pattern, maxPatternEdges its moves.
	maxPattern      = 1 << 15
	maxPatternEdges = 1 << 22
)

// pattern is the abstract game of a set of fluents.
type pattern struct {
	positions *tree   // masked by the fluents of the pattern
	distance  []int32 // by position: joint moves to the best goal of the pattern, or unreachable
	bestGoal  []int32 // by position: the highest goal that may be reached
	leastGoal int32   // minimum of bestGoal
}

// unreachable is the distance of positions from which the best goal cannot be reached. No match is as long.
const unreachable = 1 << 10

// distance returns the sum of the pattern distances to the best goals. Patterns that do not contain the position,
// because they were built for another start, add nothing.
func (q *planning) distance(s machine.State) int {
	sum := 0
	for _, p := range q.patterns {
		if i := p.positions.find(s); i != none {
			sum += int(p.distance[i])
		}
	}
	return sum
}

// isHopeless reports whether a pattern proves that no goal better than the plan's can be reached.
func (q *planning) isHopeless(s machine.State) bool {
	for _, p := range q.patterns {
		if p.leastGoal <= q.plan.Goal {
			if i := p.positions.find(s); i != none && p.bestGoal[i] <= q.plan.Goal {
				return true
			}
		}
	}
	return false
}

// abstraction builds patterns of the game.
type abstraction struct {
	*planning
	*effects
	sim   *ternary
	gates []int32 // of legal moves, the end and the goals
}

func (q *planning) newAbstraction(e *effects) *abstraction {
	sim := newTernary(e.net)
	return &abstraction{q, e, sim, sim.gates(slices.Concat(e.legal, e.goals, []logic.Lit{e.terminal})...)}
}

// patternBuilder builds one pattern.
type patternBuilder struct {
	*abstraction
	pattern
	changeGates [][]int32  // by move: the gates of ownChanges
	ownChanges  [][]change // by move: its changes of the pattern's fluents
	goal        []int32    // by position: its highest possible goal
	from, to    []int32    // edges
	maxBytes    int64      // memory of the pattern
}

// explore returns the pattern of the fluents in a mask. It returns nil if there is not enough memory or time, or if a
// next value depends on an unknown fluent.
func (a *abstraction) explore(pause func() bool, mask machine.State) *pattern {
	if !pause() {
		return nil
	}
	x := &patternBuilder{abstraction: a, pattern: pattern{positions: newTree(mask)}, maxBytes: a.limits.MaxBytes / searchShare / 4}
	for _, other := range a.patterns {
		x.maxBytes -= other.positions.bytes()
	}
	for _, list := range a.changes {
		var within []change
		var next []logic.Lit
		for _, c := range list {
			if mask.Has(int(c.fluent)) {
				within, next = append(within, c), append(next, c.next)
			}
		}
		x.ownChanges, x.changeGates = append(x.ownChanges, within), append(x.changeGates, a.sim.gates(next...))
	}
	for _, l := range a.fluents {
		a.sim.setUnknown(l)
	}
	x.positions.add(a.start, none, machine.NoMove)
	for first, end := 0, 0; first < x.positions.len(); first = end {
		end = min(first+64, x.positions.len())
		if !pause() || !x.step(int32(first), int32(end)) {
			return nil
		}
	}
	return x.finish()
}

// step expands up to 64 positions. It returns false if there are too many positions, or if a next value depends on an
// unknown fluent.
func (x *patternBuilder) step(first, end int32) bool {
	lanes := ^uint64(0) >> (64 - (end - first))
	for f, l := range x.fluents {
		if x.positions.mask.Has(f) {
			var row uint64
			for i := first; i < end; i++ {
				if x.positions.state(i).Has(f) {
					row |= 1 << (i - first)
				}
			}
			x.sim.set(l, row)
		}
	}
	x.sim.run(x.gates)
	over := x.sim.possible(x.terminal)
	for i := first; i < end; i++ {
		goal := machine.NoGoal
		for g, when := range x.goals {
			if over&x.sim.possible(when)>>(i-first)&1 != 0 {
				goal = max(goal, x.game.Goals[g].Value)
			}
		}
		x.goal = append(x.goal, goal)
	}
	lanes &= x.sim.possible(x.terminal.Not())
	for m, legal := range x.legal {
		if legalLanes := x.sim.possible(legal) & lanes; legalLanes != 0 && !x.move(m, first, legalLanes) {
			return false
		}
	}
	return true
}

// move adds the edges of a move from the positions in lanes; first is the position in lane 0.
func (x *patternBuilder) move(m int, first int32, lanes uint64) bool {
	x.sim.run(x.changeGates[m])
	var differ uint64
	for _, c := range x.ownChanges[m] {
		next := x.sim.possible(c.next)
		if lanes&next&x.sim.possible(c.next.Not()) != 0 {
			return false
		}
		differ |= lanes & (next ^ x.sim.possible(x.fluents[c.fluent]))
	}
	s := make(machine.State, len(x.positions.mask))
	for ; differ != 0; differ &= differ - 1 {
		lane := bits.TrailingZeros64(differ)
		from := first + int32(lane)
		copy(s, x.positions.state(from))
		for _, c := range x.ownChanges[m] {
			s[c.fluent>>6] &^= 1 << (c.fluent & 63)
			s[c.fluent>>6] |= x.sim.possible(c.next) >> lane & 1 << (c.fluent & 63)
		}
		to, _ := x.positions.add(s, from, machine.Move(m))
		x.from, x.to = append(x.from, from), append(x.to, to)
	}
	return x.positions.len() <= maxPattern && len(x.from) <= maxPatternEdges && x.positions.bytes()+8*int64(len(x.from)) <= x.maxBytes
}

// finish propagates each goal backwards along the edges, the highest goal first, and returns the pattern.
func (x *patternBuilder) finish() *pattern {
	n := x.positions.len()
	first := make([]int32, n+1) // by position: its first incoming edge
	for _, to := range x.to {
		first[to+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	in, next := make([]int32, len(x.to)), slices.Clone(first)
	for e, to := range x.to {
		in[next[to]] = x.from[e]
		next[to]++
	}
	x.distance, x.bestGoal = make([]int32, n), make([]int32, n)
	for i := range n {
		x.distance[i], x.bestGoal[i] = unreachable, machine.NoGoal
	}
	values := slices.Clone(x.goal)
	slices.Sort(values)
	values = slices.Compact(values)
	for rank, value := range slices.Backward(values) {
		if value == machine.NoGoal {
			break
		}
		var queue []int32
		for i, g := range x.goal {
			if g == value && x.bestGoal[i] == machine.NoGoal {
				x.bestGoal[i] = value
				queue = append(queue, int32(i))
				if rank == len(values)-1 {
					x.distance[i] = 0
				}
			}
		}
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			for _, before := range in[first[i]:first[i+1]] {
				if x.bestGoal[before] == machine.NoGoal {
					x.bestGoal[before] = value
					if rank == len(values)-1 {
						x.distance[before] = x.distance[i] + 1
					}
					queue = append(queue, before)
				}
			}
		}
	}
	x.leastGoal = slices.Min(x.bestGoal)
	return &x.pattern
}

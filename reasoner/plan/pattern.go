package plan

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Patterns (Culberson and Schaeffer, "Pattern databases", 1998): some fluents whose next values
// depend on nothing but each other and the move are a game of their own, of few positions. Its
// moves are those that may be legal, whatever the other fluents are, and its goals those that
// may be had. So no plan is shorter than the way to its best goal, and none has a goal that it
// does not have.

const (
	// maxPattern is the number of positions of a pattern, maxPatternEdges that of its moves.
	maxPattern      = 1 << 15
	maxPatternEdges = 1 << 22
)

// pattern is the game of some fluents.
type pattern struct {
	known *tree   // its positions, by those fluents
	far   []int32 // by position: joint moves to the best goal of all; noWay if there is none
	best  []int32 // by position: the highest goal that may be reached
	least int32   // of those
}

// noWay is farther than anything.
const noWay = 1 << 10

// distance is how far it is to the best goal by the patterns, in sum. Plans from elsewhere may have
// other positions: those are at no distance.
func (q *planning) distance(s machine.State) int {
	sum := 0
	for _, p := range q.patterns {
		if i := p.known.find(s); i != none {
			sum += int(p.far[i])
		}
	}
	return sum
}

// isHopeless tells whether no better goal than that of the plan can be reached by a pattern.
func (q *planning) isHopeless(s machine.State) bool {
	for _, p := range q.patterns {
		if p.least <= q.plan.Goal {
			if i := p.known.find(s); i != none && p.best[i] <= q.plan.Goal {
				return true
			}
		}
	}
	return false
}

// abstraction makes patterns of the game.
type abstraction struct {
	*planning
	*effects
	sim     *ternary
	looking []int32 // gates: legal moves, the end and goals
}

func (q *planning) newAbstraction(e *effects) *abstraction {
	sim := newTernary(e.net)
	return &abstraction{q, e, sim, sim.gates(slices.Concat(e.legal, e.goals, []logic.Lit{e.terminal})...)}
}

// exploring makes one pattern.
type exploring struct {
	*abstraction
	pattern
	moving   [][]int32  // gates, by move: what it changes of the pattern
	within   [][]change // by move: that
	goal     []int32    // by position: the highest that it may have
	from, to []int32    // moves from one position to another
	room     int64      // bytes that it may take
}

// explore makes the pattern of the fluents in a mask; nil if there is no room or time, or if what
// comes next depends on what is not known.
func (a *abstraction) explore(rest func() bool, mask machine.State) *pattern {
	if !rest() {
		return nil
	}
	x := &exploring{abstraction: a, pattern: pattern{known: newTree(mask)}, room: a.limits.MaxBytes / searchShare / 4}
	for _, other := range a.patterns {
		x.room -= other.known.bytes()
	}
	for _, list := range a.changes {
		var within []change
		var next []logic.Lit
		for _, c := range list {
			if mask.Has(int(c.fluent)) {
				within, next = append(within, c), append(next, c.next)
			}
		}
		x.within, x.moving = append(x.within, within), append(x.moving, a.sim.gates(next...))
	}
	for _, l := range a.fluents {
		a.sim.forget(l)
	}
	x.known.add(a.start, none, machine.NoMove)
	for first, end := 0, 0; first < x.known.len(); first = end {
		end = min(first+64, x.known.len())
		if !rest() || !x.step(int32(first), int32(end)) {
			return nil
		}
	}
	return x.finish()
}

// step expands up to 64 positions; false if there are too many, or if what comes next
// depends on what is not known.
func (x *exploring) step(first, end int32) bool {
	lanes := ^uint64(0) >> (64 - (end - first))
	for f, l := range x.fluents {
		if x.known.mask.Has(f) {
			var row uint64
			for i := first; i < end; i++ {
				if x.known.at(i).Has(f) {
					row |= 1 << (i - first)
				}
			}
			x.sim.set(l, row)
		}
	}
	x.sim.run(x.looking)
	over := x.sim.may(x.terminal)
	for i := first; i < end; i++ {
		goal := machine.NoGoal
		for g, when := range x.goals {
			if over&x.sim.may(when)>>(i-first)&1 != 0 {
				goal = max(goal, x.game.Goals[g].Value)
			}
		}
		x.goal = append(x.goal, goal)
	}
	lanes &= x.sim.may(x.terminal.Not())
	for m, legal := range x.legal {
		if some := x.sim.may(legal) & lanes; some != 0 && !x.move(m, first, some) {
			return false
		}
	}
	return true
}

// move makes a move from the positions in some lanes, of which the first has that number.
func (x *exploring) move(m int, first int32, lanes uint64) bool {
	x.sim.run(x.moving[m])
	var differ uint64
	for _, c := range x.within[m] {
		next := x.sim.may(c.next)
		if lanes&next&x.sim.may(c.next.Not()) != 0 {
			return false
		}
		differ |= lanes & (next ^ x.sim.may(x.fluents[c.fluent]))
	}
	s := make(machine.State, len(x.known.mask))
	for ; differ != 0; differ &= differ - 1 {
		lane := bits.TrailingZeros64(differ)
		from := first + int32(lane)
		copy(s, x.known.at(from))
		for _, c := range x.within[m] {
			s[c.fluent>>6] &^= 1 << (c.fluent & 63)
			s[c.fluent>>6] |= x.sim.may(c.next) >> lane & 1 << (c.fluent & 63)
		}
		to, _ := x.known.add(s, from, machine.Move(m))
		x.from, x.to = append(x.from, from), append(x.to, to)
	}
	return x.known.len() <= maxPattern && len(x.from) <= maxPatternEdges && x.known.bytes()+8*int64(len(x.from)) <= x.room
}

// finish is the pattern, once all positions were expanded: each goal is taken back along
// the moves, the highest one first.
func (x *exploring) finish() *pattern {
	n := x.known.len()
	first := make([]int32, n+1) // by position: its first way in
	for _, to := range x.to {
		first[to+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	in, at := make([]int32, len(x.to)), slices.Clone(first)
	for e, to := range x.to {
		in[at[to]] = x.from[e]
		at[to]++
	}
	x.far, x.best = make([]int32, n), make([]int32, n)
	for i := range n {
		x.far[i], x.best[i] = noWay, machine.NoGoal
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
			if g == value && x.best[i] == machine.NoGoal {
				x.best[i] = value
				queue = append(queue, int32(i))
				if rank == len(values)-1 {
					x.far[i] = 0
				}
			}
		}
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			for _, before := range in[first[i]:first[i+1]] {
				if x.best[before] == machine.NoGoal {
					x.best[before] = value
					if rank == len(values)-1 {
						x.far[before] = x.far[i] + 1
					}
					queue = append(queue, before)
				}
			}
		}
	}
	x.least = slices.Min(x.best)
	return &x.pattern
}

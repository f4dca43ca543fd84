package prove

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
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
	mask  machine.State // those fluents
	known *positions
	far   []int32 // by position: joint moves to the best goal of all; noWay if there is none
	best  []int32 // by position: the highest goal that may be reached
	least int32   // of those
}

// noWay is farther than anything.
const noWay = 1 << 10

// number is that of a position in the pattern, or -1: plans from elsewhere may have others.
func (p *pattern) number(s, masked machine.State) int32 {
	for w := range masked {
		masked[w] = s[w] & p.mask[w]
	}
	return *p.known.slot(masked) - 1
}

// distance is how far it is to the best goal by the patterns, in sum.
func (q *planning) distance(s machine.State) int {
	sum := 0
	for _, p := range q.patterns {
		if i := p.number(s, q.masked); i >= 0 {
			sum += int(p.far[i])
		}
	}
	return sum
}

// isHopeless tells whether no better goal than that of the plan can be reached by a pattern.
func (q *planning) isHopeless(s machine.State) bool {
	for _, p := range q.patterns {
		if p.least <= q.plan.Goal {
			if i := p.number(s, q.masked); i >= 0 && p.best[i] <= q.plan.Goal {
				return true
			}
		}
	}
	return false
}

// exploring makes a pattern.
type exploring struct {
	*planning
	pattern
	sim      *ternary
	looking  []int32    // gates: legal moves, the end and goals
	moving   [][]int32  // gates, by move: what it changes of the pattern
	changes  [][]change // by move: that
	goals    []int32    // by position: the highest that it may have
	from, to []int32    // moves from one position to another
	at       int        // positions that were gone on from
	room     int        // words that it may take
}

// newExploring begins with a pattern of the fluents in a mask.
func (p *patterns) newExploring(mask machine.State) *exploring {
	e := p.effects
	x := &exploring{planning: p.planning, pattern: pattern{mask: mask, known: newPositions(len(mask))}, sim: p.sim, looking: p.looking}
	x.room = int(min(p.limits.Bytes/wayShare/4/8, math.MaxInt32))
	for _, other := range p.patterns {
		x.room -= len(other.known.states)
	}
	for _, list := range e.changes {
		var within []change
		var next []circuit.Lit
		for _, c := range list {
			if mask.Has(int(c.fluent)) {
				within, next = append(within, c), append(next, c.next)
			}
		}
		x.changes, x.moving = append(x.changes, within), append(x.moving, x.sim.gates(next))
	}
	for _, l := range e.fluents {
		x.sim.forget(l)
	}
	start := slices.Clone(p.start)
	for w := range start {
		start[w] &= mask[w]
	}
	x.known.add(start)
	return x
}

// step goes on from up to 64 positions; false if there are too many, or if what comes next
// depends on what is not known.
func (x *exploring) step() bool {
	first := x.at
	x.at = min(x.at+64, x.known.len())
	within := ^uint64(0) >> (64 - (x.at - first))
	for f, l := range x.effects.fluents {
		if x.mask.Has(f) {
			var row uint64
			for i := first; i < x.at; i++ {
				if x.known.at(i).Has(f) {
					row |= 1 << (i - first)
				}
			}
			x.sim.set(l, row)
		}
	}
	x.sim.run(x.looking)
	over := x.sim.may(x.effects.terminal)
	for i := first; i < x.at; i++ {
		goal := machine.NoGoal
		for g, when := range x.effects.goals {
			if over&x.sim.may(when)>>(i-first)&1 != 0 {
				goal = max(goal, x.game.Goals[g].Value)
			}
		}
		x.goals = append(x.goals, goal)
	}
	within &= x.sim.may(x.effects.terminal.Not())
	for m, legal := range x.effects.legal {
		if lanes := x.sim.may(legal) & within; lanes != 0 && !x.move(m, first, lanes) {
			return false
		}
	}
	return true
}

// move makes a move from the positions in some lanes, of which the first has that number.
func (x *exploring) move(m, first int, lanes uint64) bool {
	x.sim.run(x.moving[m])
	var differ uint64
	for _, c := range x.changes[m] {
		next := x.sim.may(c.next)
		if lanes&next&x.sim.may(c.next.Not()) != 0 {
			return false
		}
		differ |= lanes & (next ^ x.sim.may(x.effects.fluents[c.fluent]))
	}
	s := make(machine.State, len(x.mask))
	for ; differ != 0; differ &= differ - 1 {
		lane := bits.TrailingZeros64(differ)
		copy(s, x.known.at(first+lane))
		for _, c := range x.changes[m] {
			s[c.fluent>>6] &^= 1 << (c.fluent & 63)
			s[c.fluent>>6] |= x.sim.may(c.next) >> lane & 1 << (c.fluent & 63)
		}
		x.known.add(s)
		x.from, x.to = append(x.from, int32(first+lane)), append(x.to, *x.known.slot(s)-1)
	}
	return x.known.len() <= maxPattern && len(x.from) <= maxPatternEdges && len(x.known.states)+len(x.from) <= x.room
}

// finish is the pattern, once all positions were gone on from: each goal is taken back along
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
	values := slices.Clone(x.goals)
	slices.Sort(values)
	values = slices.Compact(values)
	for rank, value := range slices.Backward(values) {
		if value == machine.NoGoal {
			break
		}
		var queue []int32
		for i, g := range x.goals {
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

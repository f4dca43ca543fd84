package plan

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// maxDependencies bounds the nodes that are visited for the dependencies of fluents.
const maxDependencies = 10_000_000

// byPatterns builds patterns and then searches with beams. If each pattern would be a single fluent, as in sudokus,
// patterns carry no distance, and the beams go without them.
func (q *planning) byPatterns(ctx context.Context, pause func() bool) {
	sets := closedSets(q.game)
	if blind := len(sets) > 0 && count(sets[0]) == 1; !blind { // sets[0] is the largest
		if q.findPatterns(pause, sets); len(q.patterns) == 0 {
			return
		}
	}
	q.byBeams(ctx, pause)
}

// findPatterns builds the patterns of the sets. It then joins neighbouring patterns as long as the joint pattern is
// small enough.
func (q *planning) findPatterns(pause func() bool, sets []machine.State) {
	e := q.effects()
	if e == nil {
		return
	}
	a := q.newAbstraction(e)
	for _, set := range sets {
		if slices.ContainsFunc(q.patterns, func(known *pattern) bool { return includes(known.positions.mask, set) }) {
			continue
		}
		if found := a.explore(pause, set); found != nil {
			q.patterns = append(q.patterns, found)
		}
	}
	for i := 0; i+1 < len(q.patterns); {
		first, second := q.patterns[i].positions, q.patterns[i+1].positions
		var found *pattern
		if first.len()*second.len() <= maxPattern {
			found = a.explore(pause, union(first.mask, second.mask))
		}
		if found == nil {
			i++
			continue
		}
		q.patterns = slices.Replace(q.patterns, i, i+2, found)
	}
}

func includes(a, b machine.State) bool {
	for w := range a {
		if b[w]&^a[w] != 0 {
			return false
		}
	}
	return true
}

func union(a, b machine.State) machine.State {
	c := slices.Clone(a)
	for w := range c {
		c[w] |= b[w]
	}
	return c
}

// closedSets returns the sets of fluents whose next values depend only on the move, each other and the clock: for
// each fluent that a goal or the end depends on, the least closed set that contains it. The largest set comes first.
// It returns nil if that takes too long.
func closedSets(g *circuit.Game) []machine.State {
	cones, left := circuit.NewCones(g.Net), maxDependencies
	fluents := func(signals ...logic.Lit) (list []int32) {
		nodes, ok := cones.Nodes(left, signals...)
		if left -= len(nodes); !ok {
			left = -1
		}
		for _, i := range nodes {
			if int(i) <= len(g.Fluents) {
				list = append(list, i-1)
			}
		}
		return list
	}
	ends := []logic.Lit{g.Terminal}
	for _, goal := range g.Goals {
		ends = append(ends, goal.When)
	}
	ticks := g.Names.NewState()
	for _, f := range g.ClockFluents() {
		ticks.Set(int(f))
	}
	needs := make([][]int32, len(g.Fluents)) // by fluent: the fluents of its next value, once asked
	asked := g.Names.NewState()
	seen := newTree(slices.Repeat(machine.State{math.MaxUint64}, len(ticks)))
	for _, f := range fluents(ends...) {
		if ticks.Has(int(f)) {
			continue
		}
		set := g.Names.NewState()
		set.Set(int(f))
		for todo := []int32{f}; len(todo) > 0; {
			last := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !asked.Has(int(last)) {
				asked.Set(int(last))
				needs[last] = fluents(g.Next[last])
			}
			for _, n := range needs[last] {
				if !set.Has(int(n)) && !ticks.Has(int(n)) {
					set.Set(int(n))
					todo = append(todo, n)
				}
			}
		}
		seen.add(set, none, machine.NoMove)
	}
	if left < 0 {
		return nil
	}
	var sets []machine.State
	for i := range int32(seen.len()) {
		sets = append(sets, seen.state(i))
	}
	slices.SortStableFunc(sets, func(a, b machine.State) int { return cmp.Compare(count(b), count(a)) })
	return sets
}

func count(s machine.State) int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

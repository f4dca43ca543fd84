package circuit

import (
	"maps"
	"math"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// The clock of a game is the set of fluents whose next values depend only on each other, never on moves: whose turn
// it is, the number of the step, constant fluents. Such fluents have one sequence of values in all games.

const (
	// maxTick bounds the nodes on which the next value of a fluent of the clock depends.
	maxTick = 200
	// maxOrbit bounds the positions of the clock before the first repetition.
	maxOrbit = 4096
	// maxOrbitWork bounds the search for the end of the clock, in positions of the clock × gates.
	maxOrbitWork = 50_000_000
)

// ClockFluents returns the fluents of the clock, ascending.
func (g *Game) ClockFluents() []int32 {
	needs := make(map[int32][]int32) // by fluent: the fluents that its next value depends on, as nodes
	cones := NewCones(g.Net)
	for f, next := range g.Next {
		if nodes, ok := cones.Nodes(maxTick, next); ok {
			nodes = slices.DeleteFunc(nodes, func(i int32) bool { return g.Net.Op(i) == logic.OpAnd })
			if len(nodes) == 0 || int(slices.Max(nodes)) <= len(g.Fluents) {
				needs[int32(f)] = nodes
			}
		}
	}
	for before := -1; before != len(needs); {
		before = len(needs)
		for f, nodes := range needs {
			if slices.ContainsFunc(nodes, func(i int32) bool { _, ok := needs[i-1]; return !ok }) {
				delete(needs, f)
			}
		}
	}
	return slices.Sorted(maps.Keys(needs))
}

// ClockOrbit returns the positions of the clock, from the initial position to the first repetition; nil if there are too
// many. It ignores the end of the game, which can only shorten the sequence.
func (g *Game) ClockOrbit(fluents []int32) []machine.State {
	next := make([]logic.Lit, len(fluents))
	for i, f := range fluents {
		next[i] = g.Next[f]
	}
	nodes, _ := NewCones(g.Net).Nodes(math.MaxInt, next...)
	values := logic.NewSubstitution(g.Net, g.Net)
	var list []machine.State
	seen := map[string]bool{}
	for now := g.Initial; len(list) <= maxOrbit; {
		position := g.Names.NewState()
		for _, f := range fluents {
			if now.Has(int(f)) {
				position.Set(int(f))
			}
			values.Set(g.Fluents[f], logic.Constant(now.Has(int(f))))
		}
		values.Commit()
		list = append(list, position)
		if seen[position.Key()] {
			return list
		}
		seen[position.Key()] = true
		values.Sweep(nodes)
		now = g.Names.NewState()
		for i, f := range fluents {
			if values.Lookup(next[i]) == logic.True {
				now.Set(int(f))
			}
		}
	}
	return nil
}

// ClockEnd returns the first step at which the values of the clock alone make the position terminal.
func (g *Game) ClockEnd() (step int, found bool) {
	fluents := g.ClockFluents()
	nodes, ok := NewCones(g.Net).Nodes(maxOrbitWork, g.Terminal)
	if !ok || len(fluents) == 0 {
		return 0, false
	}
	net := logic.NewNetwork()
	values := logic.NewSubstitution(g.Net, net)
	for _, i := range nodes {
		if g.Net.Op(i) != logic.OpAnd {
			values.Set(logic.Lit(i)<<1, net.Input()) // a fluent or a variable of recursion: unknown
		}
	}
	for step, position := range g.ClockOrbit(fluents) {
		if (step+1)*len(nodes) > maxOrbitWork {
			break
		}
		for _, f := range fluents {
			values.Set(g.Fluents[f], logic.Constant(position.Has(int(f))))
		}
		values.Commit()
		values.Sweep(nodes)
		if values.Lookup(g.Terminal) == logic.True {
			return step, true
		}
	}
	return 0, false
}

package prove

import (
	"maps"
	"math"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// The clock of a game: fluents whose next values depend on each other alone, never on moves.
// Whose turn it is, the number of the step and what is always so run by themselves, whatever
// is played; so there is one sequence of their values, and what holds along it holds in every
// position. It is read off, with no formula, however large the game.

const (
	// maxTick is the number of nodes that the next value of a fluent of the clock may depend on.
	maxTick = 200
	// maxOrbit is the number of values of the whole clock, until one comes back.
	maxOrbit = 4096
)

// Clock finds the invariants of the clock. There are none if its values do not come back soon.
func Clock(g *circuit.Game) *Invariants {
	found, _ := clock(g)
	return found
}

// clock is Clock, with the fluents of the clock if there are invariants.
func clock(g *circuit.Game) (*Invariants, []int32) {
	fluents := ClockFluents(g)
	orbit := orbit(g, fluents)
	if len(orbit) == 0 {
		return &Invariants{}, nil
	}
	s := &sample{true: make([][]uint64, len(g.Fluents)), rises: g.Names.NewState(), falls: g.Names.NewState(), ticks: g.Names.NewState(), pause: neverPause}
	for len(orbit)%64 != 0 {
		orbit = append(orbit, orbit[len(orbit)-1])
	}
	for _, f := range fluents {
		row := make([]uint64, len(orbit)/64)
		for at, position := range orbit {
			value := position.Has(int(f))
			if value {
				row[at>>6] |= 1 << (at & 63)
			}
			if before := orbit[max(at, 1)-1].Has(int(f)); value && !before {
				s.rises.Set(int(f))
			} else if before && !value {
				s.falls.Set(int(f))
			}
		}
		s.true[f] = row
		s.findLasting(f)
	}
	s.findPairs(fluents)
	s.findGroups()
	return &s.Invariants, fluents
}

// ClockFluents are those of the clock, ascending.
func ClockFluents(g *circuit.Game) []int32 {
	needs := make(map[int32][]int32) // nodes of fluents that the next value of a fluent depends on
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

// orbit lists the positions of the clock, initial ones first, until one has come back; nil if
// they are too many. That the game may end is left out: then there are fewer.
func orbit(g *circuit.Game, fluents []int32) []machine.State {
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
		values.Keep()
		list = append(list, position)
		if seen[position.Key()] {
			return list
		}
		seen[position.Key()] = true
		values.Sweep(nodes)
		now = g.Names.NewState()
		for i, f := range fluents {
			if values.At(next[i]) == logic.True {
				now.Set(int(f))
			}
		}
	}
	return nil
}

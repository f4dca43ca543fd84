package prove

import (
	"maps"
	"math"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// The clock of a game is the set of fluents whose next values depend only on each other, never on moves: whose turn
// it is, the number of the step, constant fluents. Such fluents have one sequence of values in all games, so
// invariants of that sequence hold in every position. No formula is needed, and the size of the game does not matter.

const (
	// maxTick bounds the nodes on which the next value of a fluent of the clock depends.
	maxTick = 200
	// maxOrbit bounds the positions of the clock before the first repetition.
	maxOrbit = 4096
)

// Clock returns the invariants of the clock, or none if its sequence of positions is too long.
func Clock(g *circuit.Game) *Invariants {
	found, _ := clock(g)
	return found
}

// clock returns the invariants of the clock and its fluents, or nothing if its sequence of positions is too long.
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

// ClockFluents returns the fluents of the clock, ascending.
func ClockFluents(g *circuit.Game) []int32 {
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

// orbit returns the positions of the clock, from the initial position to the first repetition; nil if there are too
// many. It ignores the end of the game, which can only shorten the sequence.
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

package prove

import (
	"slices"

	"stackmate/reasoner/circuit"
)

// The clock of a game: fluents whose next values depend on each other alone, never on
// moves. Whose turn it is, the number of the step and what is always so run by
// themselves, whatever is played; so there is one sequence of their values, and what holds
// along it holds in every position. It is read off, with no formula, however large the game.

const (
	// maxTick is the number of gates that the next value of a fluent of the clock may take.
	maxTick = 200
	// maxOrbit is the number of values of the whole clock, until one comes back.
	maxOrbit = 4096
)

// clock finds the invariants of the clock, and its fluents. There are none if its values do
// not come back soon.
func clock(g *circuit.Game) (*Invariants, []int32) {
	fluents := clockFluents(g)
	orbit := newTicking(g, fluents).orbit()
	if len(orbit) == 0 {
		return &Invariants{}, nil
	}
	s := &sample{true: make([][]uint64, len(g.Fluents)), rises: g.Names.NewState(), falls: g.Names.NewState(), ticks: g.Names.NewState()}
	for len(orbit)%64 != 0 {
		orbit = append(orbit, orbit[len(orbit)-1])
	}
	for i, f := range fluents {
		row := make([]uint64, len(orbit)/64)
		for at, values := range orbit {
			if values[i] {
				row[at>>6] |= 1 << (at & 63)
			}
			if at > 0 && values[i] != orbit[at-1][i] {
				if values[i] {
					s.rises.Set(int(f))
				} else {
					s.falls.Set(int(f))
				}
			}
		}
		s.true[f] = row
		s.findLasting(f)
	}
	s.findPairs(fluents)
	s.findGroups()
	return &s.Invariants, fluents
}

// fluentIndex are the fluents by node.
func fluentIndex(g *circuit.Game) map[int32]int32 {
	index := make(map[int32]int32, len(g.Fluents))
	for f, l := range g.Fluents {
		index[l.Node()] = int32(f)
	}
	return index
}

// clockFluents are those of the clock.
func clockFluents(g *circuit.Game) []int32 {
	index := fluentIndex(g)
	needs := make(map[int32][]int32) // fluents that the next value of a fluent depends on
	for f, next := range g.Next {
		if list, ok := tick(g.Net, next, index); ok {
			needs[int32(f)] = list
		}
	}
	for before := -1; before != len(needs); {
		before = len(needs)
		for f, list := range needs {
			if slices.ContainsFunc(list, func(other int32) bool { _, ok := needs[other]; return !ok }) {
				delete(needs, f)
			}
		}
	}
	fluents := make([]int32, 0, len(needs))
	for f := range needs {
		fluents = append(fluents, f)
	}
	slices.Sort(fluents)
	return fluents
}

// tick lists the fluents that a signal depends on, if it depends on nothing else and takes
// few gates.
func tick(net *circuit.Network, l circuit.Lit, index map[int32]int32) (fluents []int32, ok bool) {
	seen := map[int32]bool{}
	for stack := []int32{l.Node()}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[i] || i == 0 {
			continue
		}
		seen[i] = true
		if f, ok := index[i]; ok {
			fluents = append(fluents, f)
			continue
		}
		if net.Op(i) != circuit.OpAnd || len(seen) > maxTick {
			return nil, false
		}
		for _, o := range net.Operands(i) {
			stack = append(stack, o.Node())
		}
	}
	return fluents, true
}

// ticking computes the values of the clock one after the other.
type ticking struct {
	game    *circuit.Game
	fluents []int32
	gates   []int32 // ascending: operands come first
	value   []bool  // by node
}

func newTicking(g *circuit.Game, fluents []int32) *ticking {
	t := &ticking{game: g, fluents: fluents, value: make([]bool, g.Net.Len())}
	seen := map[int32]bool{}
	for _, f := range fluents {
		for stack := []int32{g.Next[f].Node()}; len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[i] || g.Net.Op(i) != circuit.OpAnd {
				continue
			}
			seen[i] = true
			t.gates = append(t.gates, i)
			for _, o := range g.Net.Operands(i) {
				stack = append(stack, o.Node())
			}
		}
	}
	slices.Sort(t.gates)
	return t
}

func (t *ticking) at(l circuit.Lit) bool { return t.value[l.Node()] != l.Complemented() }

// orbit lists the values of the fluents, initial ones first, until some have come back; nil
// if they are too many. That the game may end is left out: then there are fewer.
func (t *ticking) orbit() [][]bool {
	var list [][]bool
	seen := map[string]bool{}
	now := make([]bool, len(t.fluents))
	for i, f := range t.fluents {
		now[i] = t.game.Initial.Has(int(f))
	}
	for len(list) <= maxOrbit {
		key := make([]byte, len(now))
		for i, v := range now {
			if v {
				key[i] = 1
			}
			t.value[t.game.Fluents[t.fluents[i]].Node()] = v
		}
		list = append(list, now)
		if seen[string(key)] {
			return list
		}
		seen[string(key)] = true
		for _, i := range t.gates {
			v := true
			for _, o := range t.game.Net.Operands(i) {
				v = v && t.at(o)
			}
			t.value[i] = v
		}
		next := make([]bool, len(now))
		for i, f := range t.fluents {
			next[i] = t.at(t.game.Next[f])
		}
		now = next
	}
	return nil
}

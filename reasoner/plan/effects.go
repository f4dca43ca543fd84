package plan

import (
	"maps"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
)

// effects are the next values of fluents after each move of a game for one role, as functions of the position:
// Shannon's cofactors of the network for each move, in one network. Fluents of the clock have no effects, since no
// move changes their next values.
type effects struct {
	net      *logic.Network // over the fluents
	fluents  []logic.Lit
	legal    []logic.Lit // by move
	terminal logic.Lit
	goals    []logic.Lit // by goal of the game: the positions that have it
	changes  [][]change  // by move: the fluents that may change, ascending
}

// change is the next value of a fluent.
type change struct {
	fluent int32
	next   logic.Lit
}

const (
	// maxEffectGates bounds the gates of the game, maxOperands the operands of the gates of all cofactors, and maxChanges
	// the changes of all moves: about a tenth of a second of work.
	maxEffectGates = 100_000
	maxOperands    = 2_000_000
	maxChanges     = 500_000
)

// newEffects returns the effects of a game's moves, or nil if that exceeds the bounds or rules are recursive.
func newEffects(g *circuit.Game) *effects {
	if g.Net.Len() > maxEffectGates {
		return nil
	}
	e := &effects{net: logic.NewNetwork()}
	s := logic.NewSubstitution(g.Net, e.net)
	for _, l := range g.Fluents {
		s.Set(l, e.net.Input())
	}
	for _, l := range g.Does[0] {
		s.Set(l, logic.False)
	}
	nodes := make([]int32, g.Net.Len())
	for i := range nodes {
		if nodes[i] = int32(i); g.Net.Op(nodes[i]) == logic.OpLoop {
			return nil
		}
	}
	s.Sweep(nodes)
	s.Commit()
	left := maxOperands
	s.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) {
		left -= len(operands)
		return e.net.And(operands...), left >= 0
	}
	all := func(signals []logic.Lit) []logic.Lit {
		images := make([]logic.Lit, len(signals))
		for i, l := range signals {
			images[i] = s.Lookup(l)
		}
		return images
	}
	e.fluents, e.legal, e.terminal = all(g.Fluents), all(g.Legal[0]), s.Lookup(g.Terminal)
	for _, goal := range g.Goals {
		e.goals = append(e.goals, s.Lookup(goal.When))
	}
	ticks := g.ClockFluents()
	moving := map[int32]bool{}   // fluents that change without a move
	users := map[int32][]int32{} // by node: the fluents with this next value
	for f, next := range g.Next {
		if _, ticking := slices.BinarySearch(ticks, int32(f)); ticking {
			continue
		}
		users[next.Node()] = append(users[next.Node()], int32(f))
		if s.Lookup(next) != e.fluents[f] {
			moving[int32(f)] = true
		}
	}
	room := maxChanges
	for _, does := range g.Does[0] {
		if !s.Change([]logic.Lit{does}, []logic.Lit{logic.True}) {
			return nil
		}
		fluents := maps.Clone(moving)
		for node := range s.Changed {
			for _, f := range users[node] {
				fluents[f] = true
			}
		}
		var list []change
		for _, f := range slices.Sorted(maps.Keys(fluents)) {
			if next := s.Lookup(g.Next[f]); next != e.fluents[f] {
				list = append(list, change{f, next})
			}
		}
		s.Revert()
		e.changes = append(e.changes, list)
		if room -= len(list); room < 0 {
			return nil
		}
	}
	return e
}

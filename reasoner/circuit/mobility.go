package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Mobility, as gates: which moves each role could make if it were its turn. Where a fluent
// tells whose turn it is, the legal moves of a role are taken with that fluent as it is when
// the role is to move: so the moves of who waits are seen, too. What is legal for several
// roles alike says nothing of who is ahead and is left out, and so is what a single fluent says.
//
// Cost: roles × the nodes that legal moves need.

// mobility adds to the network where each move would be legal. It has none for a game where
// that takes recursion.
func (g *Game) mobility() (list []machine.Signal, signals []logic.Lit) {
	for i, live := range g.Net.Cone(slices.Concat(g.Legal...)) {
		if live && g.Net.Op(int32(i)) == logic.OpLoop {
			return nil, nil
		}
	}
	users := make(map[logic.Lit]int) // roles that have a signal
	would := make([][]logic.Lit, len(g.Legal))
	for r := range g.Legal {
		would[r] = g.legalInTurn(r)
		own := make(map[logic.Lit]bool)
		for _, l := range would[r] {
			if !own[l] {
				own[l] = true
				users[l]++
			}
		}
	}
	for r, row := range would {
		if g.Names.Roles[r] == machine.RandomRole {
			continue
		}
		for m, l := range row {
			if g.Net.Op(l.Node()) == logic.OpAnd && users[l] == 1 {
				list = append(list, machine.Signal{Role: machine.Role(r), Move: machine.Move(m)})
				signals = append(signals, l)
			}
		}
	}
	return list, signals
}

// wouldBeLegal are the moves of a role if it were its turn.
func (g *Game) legalInTurn(role int) []logic.Lit {
	s := logic.NewSubstitution(g.Net, g.Net)
	setTurn := func(r int, value logic.Lit) {
		for _, mine := range g.turnConditions(r) {
			if g.Net.Op(mine.Node()) == logic.OpInput {
				s.Set(mine, value)
			}
		}
	}
	for r := range g.Legal {
		setTurn(r, logic.False)
	}
	setTurn(role, logic.True)
	s.Build(g.Legal[role]...)
	row := make([]logic.Lit, len(g.Legal[role]))
	for m, l := range g.Legal[role] {
		row[m] = s.At(l)
	}
	return row
}

package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Mobility, as gates: the legal moves of each role if it were its turn. For each role, the literals that mark the turn
// are replaced by their values in its turn, so moves of the waiting role count, too. Moves legal for several roles, and
// moves whose legality is a single literal, carry no information and are left out.
//
// Cost: roles × nodes of the cone of legal moves.

// mobility returns the condition under which each move would be legal in its role's turn. It returns nothing if these
// conditions involve recursion.
func (g *Game) mobility() (list []facts.Signal, signals []logic.Lit) {
	for i, live := range g.Net.Cone(slices.Concat(g.Legal...)) {
		if live && g.Net.Op(int32(i)) == logic.OpLoop {
			return nil, nil
		}
	}
	users := make(map[logic.Lit]int) // by condition: the number of roles with it
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
				list = append(list, facts.Signal{Role: machine.Role(r), Move: machine.Move(m)})
				signals = append(signals, l)
			}
		}
	}
	return list, signals
}

// legalInTurn returns the conditions of the moves of a role if it were its turn.
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
		row[m] = s.Lookup(l)
	}
	return row
}

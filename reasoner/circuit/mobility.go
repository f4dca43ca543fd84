package circuit

import "stackmate/reasoner/machine"

// Mobility, as gates: which moves each role could make if it were its turn. Where a fluent
// tells whose turn it is, the legal moves of a role are taken with that fluent as it is when
// the role is to move: so the moves of who waits are seen, too. What is legal for several
// roles alike says nothing of who is ahead and is left out, and so is what a single fluent says.
//
// Cost: roles × the nodes that legal moves need.

// mobility adds to the network where each move would be legal. It has none for a game where
// that takes recursion.
func (g *Game) mobility() (list []machine.Signal, signals []Lit) {
	for i, live := range g.Net.Cone(flatten(g.Legal)) {
		if live && g.Net.Op(int32(i)) == OpLoop {
			return nil, nil
		}
	}
	users := make(map[Lit]int) // roles that have a signal
	would := make([][]Lit, len(g.Legal))
	for r := range g.Legal {
		would[r] = g.wouldBeLegal(r)
		own := make(map[Lit]bool)
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
			if g.Net.Op(l.Node()) == OpAnd && users[l] == 1 {
				list = append(list, machine.Signal{Role: machine.Role(r), Move: machine.Move(m)})
				signals = append(signals, l)
			}
		}
	}
	return list, signals
}

// wouldBeLegal are the moves of a role if it were its turn.
func (g *Game) wouldBeLegal(role int) []Lit {
	s := NewSubstitution(g.Net, g.Net)
	turn := func(r int, value Lit) {
		for _, mine := range g.movesWhen(r) {
			if g.Net.Op(mine.Node()) == OpInput {
				s.Set(mine, value)
			}
		}
	}
	for r := range g.Legal {
		turn(r, False)
	}
	turn(role, True)
	s.Build(g.Legal[role]...)
	row := make([]Lit, len(g.Legal[role]))
	for m, l := range g.Legal[role] {
		row[m] = s.At(l)
	}
	return row
}

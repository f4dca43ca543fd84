package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// In turn-based games a literal of the position marks the turn. Two roles that take turns share one choice of random
// moves (choice.ChooseTurn, kernel.Turns).

// turnLiteral returns a literal mine such that only role r has a choice of moves if mine is true, and otherwise only
// role s. It returns false if there is no such literal, or if the move tables have different sizes.
func (g *Game) turnLiteral(r, s int) (mine logic.Lit, found bool) {
	if p, q := g.Parts[r], g.Parts[s]; p != nil && q != nil {
		found = len(p.First) == len(q.First) && len(p.Second) == len(q.Second)
	} else {
		found = p == nil && q == nil && len(g.Legal[r]) > 0 && len(g.Legal[r]) == len(g.Legal[s])
	}
	if !found {
		return 0, false
	}
	theirs := g.turnConditions(s)
	for _, mine := range g.turnConditions(r) {
		if slices.Contains(theirs, mine.Not()) {
			return mine, true
		}
	}
	return 0, false
}

// turnConditions returns literals that are true whenever the role makes a move other than its noop; the noop requires
// the complement, if there is one.
func (g *Game) turnConditions(r int) []logic.Lit {
	n := g.Net
	when := g.Legal[r]
	waiting := func(mine logic.Lit) int { return waitingMove(n, g.Legal[r], mine) }
	if p := g.Parts[r]; p != nil {
		when, waiting = p.Head, func(mine logic.Lit) int { return p.Waiting(n, mine) }
	}
	when = slices.DeleteFunc(slices.Clone(when), func(l logic.Lit) bool { return l == logic.False })
	var out []logic.Lit
	for _, l := range when[:min(2, len(when))] { // at least one of two moves is not the noop
		for _, mine := range n.Conditions(l) {
			exceptions := 0
			for i := 0; i < len(when) && exceptions < 2; i++ {
				if !n.Implies(when[i], mine) {
					exceptions++
				}
			}
			if mine > logic.True && (exceptions == 0 || exceptions == 1 && waiting(mine) >= 0) {
				out = append(out, mine)
			}
		}
	}
	return out
}

// waitingMove returns the move that requires mine to be false (the noop), or -1.
func waitingMove(n *logic.Network, legal []logic.Lit, mine logic.Lit) int {
	return slices.IndexFunc(legal, func(l logic.Lit) bool { return n.Implies(l, mine.Not()) })
}

// turnPartners returns, for each role, the role with a smaller number that it shares its choice with, or the role
// itself, and the literal that marks the turn of that other role (turnLiteral).
func (g *Game) turnPartners() (partner []int, theirs []logic.Lit) {
	partner, theirs = make([]int, len(g.Does)), make([]logic.Lit, len(g.Does))
	for s := range partner {
		partner[s] = s
		for r := range s {
			if mine, found := g.turnLiteral(r, s); found && partner[r] == r && !slices.Contains(partner[r+1:s], r) {
				partner[s], theirs[s] = r, mine
				break
			}
		}
	}
	return partner, theirs
}

// moveTables returns the move tables of the kernel's random choices: one for each role, or for two roles that take
// turns. In a shared table the row of the noop is the constant false; the kernel makes the noop by Turns.Waits.
func (m *Machine) moveTables(g *Game) []kernel.Moves {
	var out []kernel.Moves
	partner, theirs := g.turnPartners()
	for r, table := range m.sensible {
		whole, ok := table.(*wholeTable)
		if !ok || partner[r] != r {
			continue
		}
		moves := kernel.Moves{Legal: whole.legal, Does: whole.does}
		if s := slices.Index(partner[r+1:], r) + r + 1; s > r && len(whole.legal) > 0 {
			mine := theirs[s]
			other := m.sensible[s].(*wholeTable) // turnLiteral pairs tables of one form
			turns := &kernel.Turns{Does: other.does}
			legal := func(t *wholeTable, r int, mine logic.Lit) []int32 {
				rows, w := slices.Clone(t.legal), waitingMove(g.Net, g.Legal[r], mine)
				if w >= 0 {
					turns.Waits = append(turns.Waits, [2]int32{t.does + int32(w), rows[w]})
					rows[w] = 0 // the constant false
				}
				return rows
			}
			moves.Legal, turns.Legal, moves.Turns = legal(whole, r, mine), legal(other, s, mine.Not()), turns
		}
		out = append(out, moves)
	}
	return out
}

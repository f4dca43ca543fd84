package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// Whose turn it is, where a literal of the position tells: two roles that take turns share one
// choice of random moves (choice.ChooseTurn, kernel.Turns).

// turn tells when the roles r and s are to move, if their moves match and that can be
// told: where mine is true only r has a choice, elsewhere only s.
func (g *Game) turnLiteral(r, s int) (mine logic.Lit, found bool) {
	if p, q := g.partsOf(r), g.partsOf(s); p != nil && q != nil {
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

// movesWhen lists literals that must be true for a role to make any move but one, its
// waiting, which needs the complement.
func (g *Game) turnConditions(r int) []logic.Lit {
	n := g.Net
	when := g.Legal[r]
	waiting := func(mine logic.Lit) int { return waitingMove(n, g.Legal[r], mine) }
	if p := g.partsOf(r); p != nil {
		when, waiting = p.Head, func(mine logic.Lit) int { return p.Waiting(n, mine) }
	}
	when = slices.DeleteFunc(slices.Clone(when), func(l logic.Lit) bool { return l == logic.False })
	var out []logic.Lit
	for _, l := range when[:min(2, len(when))] { // one of them is no waiting
		for _, mine := range n.Conditions(l) {
			others := 0
			for i := 0; i < len(when) && others < 2; i++ {
				if !n.Implies(when[i], mine) {
					others++
				}
			}
			if mine > logic.True && (others == 0 || others == 1 && waiting(mine) >= 0) {
				out = append(out, mine)
			}
		}
	}
	return out
}

// waitingMove is the move that a role makes where mine is false, -1 if it has none.
func waitingMove(n *logic.Network, legal []logic.Lit, mine logic.Lit) int {
	return slices.IndexFunc(legal, func(l logic.Lit) bool { return n.Implies(l, mine.Not()) })
}

// sharedChoices is, by role, the role that it takes turns with, if that has a smaller
// number, and else the role itself.
func (g *Game) turnPartners() []int {
	shared := make([]int, len(g.Does))
	for s := range shared {
		shared[s] = s
		for r := range s {
			if _, found := g.turnLiteral(r, s); found && shared[r] == r && !slices.Contains(shared[r+1:s], r) {
				shared[s] = r
				break
			}
		}
	}
	return shared
}

// choices are the tables that a kernel chooses from: that of a role, or those of two that
// take turns. Who waits has no bit among the legal ones, and makes that move anyway.
func (m *Machine) moveTables(g *Game) []kernel.Moves {
	var out []kernel.Moves
	shared := g.turnPartners()
	for r, policy := range m.policy {
		if shared[r] != r {
			continue
		}
		moves := kernel.Moves{Legal: policy, Does: m.does[r]}
		if s := slices.Index(shared[r+1:], r) + r + 1; s > r && len(policy) > 0 {
			mine, _ := g.turnLiteral(r, s)
			turns := &kernel.Turns{Does: m.does[s]}
			legal := func(r int, mine logic.Lit) []int32 {
				rows, w := slices.Clone(m.policy[r]), waitingMove(g.Net, g.Legal[r], mine)
				if w >= 0 {
					turns.Waits = append(turns.Waits, [2]int32{m.does[r] + int32(w), rows[w]})
					rows[w] = 0 // the constant false
				}
				return rows
			}
			moves.Legal, turns.Legal, moves.Turns = legal(r, mine), legal(s, mine.Not()), turns
		}
		out = append(out, moves)
	}
	return out
}

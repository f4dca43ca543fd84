package circuit

import (
	"context"
	"slices"
	"sync"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine/facts"
)

// exchangeBudget limits the gates and operands that the search for an exchange visits: about a second. Larger networks
// than a fiftieth of it are not searched.
const exchangeBudget = 1e8

// exchange returns a function that finds an exchange of the players at its first call (see facts.Exchange). The function
// does not keep a game that is too large for the search.
//
// The pass "fluents" replaces one of two complementary fluents, such as the two fluents that mark the turn, by the
// complement of the other one. No permutation of inputs maps an input to a complement, so the search splits such pairs
// again. The split game is the same game where the two fluents of each pair differ, which holds in all reachable positions.
func (g *Game) exchange() func() *facts.Symmetry {
	if g.Net.OperandCount() > exchangeBudget/50 || len(g.Names.Players()) != 2 || len(g.Does) != 2 {
		return func() *facts.Symmetry { return nil }
	}
	return sync.OnceValue(g.findExchange)
}

// findExchange returns an exchange of the players, or nil if there is none or the budget ends.
func (g *Game) findExchange() *facts.Symmetry {
	ctx := context.Background() // the game is small and the search has a budget
	partner := g.complements()
	s := newSymmetrySearch(removeDead(ctx, g.splitComplements(ctx, partner).mergeConjunctions(ctx)))
	s.budget = exchangeBudget
	colours := s.initialColours()
	if !s.refine(colours) || colours[s.roles] != colours[s.roles+1] {
		return nil
	}
	left := individualise(colours, s.roles)
	if !s.refine(left) || !s.search(left, colours, s.roles+1) {
		return nil
	}
	p := s.group[slices.IndexFunc(s.group, func(p permutation) bool { return int(p[s.roles]) == s.roles+1 })]
	for f, other := range partner {
		if partner[int(p[f])] != int(p[other]) {
			return nil
		}
	}
	y := s.symmetry(p)
	return &y
}

// complements returns the pairs of fluents that are each other's complement in all reachable positions, of which only one
// is used: each fluent of a pair with the other one.
func (g *Game) complements() map[int]int {
	uses, byNext, pairs := g.uses(), map[logic.Lit]int{}, map[int]int{}
	for f, next := range g.Next {
		if uses[g.Fluents[f].Node()] > 0 {
			byNext[next] = f
		}
	}
	for f, next := range g.Next {
		other, ok := byNext[next.Not()]
		if _, taken := pairs[other]; ok && !taken && uses[g.Fluents[f].Node()] == 0 && g.Initial.Has(f) != g.Initial.Has(other) {
			pairs[f], pairs[other] = other, f
		}
	}
	return pairs
}

// splitComplements returns the game in which the complement of a fluent of a pair is the other fluent.
func (g *Game) splitComplements(ctx context.Context, partner map[int]int) *Game {
	if len(partner) == 0 {
		return g
	}
	split := func(h *Game, l logic.Lit) logic.Lit {
		if other, ok := partner[int(l.Node()-h.Fluents[0].Node())]; ok && l.Complemented() {
			return h.Fluents[other]
		}
		return l
	}
	h := g.rebuild(ctx, func(h *Game, _ int32, operands []logic.Lit) logic.Lit {
		literals := slices.Clone(operands)
		for i, l := range literals {
			literals[i] = split(h, l)
		}
		return h.Net.And(literals...)
	})
	h.forEachOutput(func(l *logic.Lit) { *l = split(h, *l) })
	return h
}

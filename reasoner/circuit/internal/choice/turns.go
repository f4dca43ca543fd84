package choice

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Shared choices: in turn-based games, one choice serves two roles with the same parts. If mine is true, the first role
// has a choice of moves, otherwise the second role; the role without the turn can only wait. Heads and tails of both
// roles are multiplexed by mine, the choice is made once, and each role takes the result in its turn. Common conditions
// of a move stay; differing conditions, mostly the owner of a piece, are equal for many moves. The tails of both roles
// become the multiplexed tails, so a move needs one stored row instead of two.
//
// Cost in gates of three inputs: one for each difference, and one for each part and role. Half of the choices are
// saved.

// ChooseTurn adds to the network one choice for two roles: of a move of p if mine is true, otherwise of q. It sets
// Chosen of both, Random of p, and replaces tails by multiplexed tails.
func ChooseTurn(net *logic.Network, mine logic.Lit, p, q *Parts) {
	n := gates{net}
	idle := [2]int{p.Waiting(net, mine), q.Waiting(net, mine.Not())}
	pairs := slices.Clone(p.Pair)
	number := numbering[[2]int32]{} // by parts: index in pairs
	for _, parts := range p.Pair {
		number.index(parts)
	}
	for _, parts := range q.Pair {
		if int(number.index(parts)) == len(pairs) {
			pairs = append(pairs, parts)
		}
	}
	legal := NewParts(pairs, [2]int{len(p.First), len(p.Second)}, p.Texts)
	var heads, tails [2][]logic.Lit // of both roles
	for side, role := range []*Parts{p, q} {
		when := mine ^ logic.Lit(side)
		heads[side], tails[side] = make([]logic.Lit, len(p.First)), make([]logic.Lit, len(pairs))
		for part, head := range role.Head {
			if part != idle[side] {
				heads[side][part] = n.dropConditions(head, []logic.Lit{when})
			}
		}
		for m, tail := range role.Tail {
			if int(role.Pair[m][0]) != idle[side] {
				tails[side][number[role.Pair[m]]] = tail
			}
		}
	}
	for part := range legal.First {
		legal.Head = append(legal.Head, n.multiplex(mine, heads[0][part], heads[1][part]))
	}
	for m := range pairs {
		legal.Tail = append(legal.Tail, n.multiplex(mine, tails[0][m], tails[1][m]))
	}
	for side, role := range []*Parts{p, q} {
		for m, tail := range role.Tail {
			if tail != logic.False && int(role.Pair[m][0]) != idle[side] {
				role.Tail[m] = legal.Tail[number[role.Pair[m]]] // the same where the head is true
			}
		}
	}
	chosen := n.chooseMove(legal, heads[:])
	p.Random = legal.Random
	for side, role := range []*Parts{p, q} {
		when := mine ^ logic.Lit(side)
		for k := range chosen {
			for _, l := range chosen[k] {
				role.Chosen[k] = append(role.Chosen[k], n.And(when, l))
			}
		}
		if part := idle[side]; part >= 0 {
			second := role.Pair[role.FirstMoves[part][0]][1]
			role.Chosen[0][part] = role.Head[part]
			role.Chosen[1][second] = n.Or(role.Chosen[1][second], role.Head[part])
		}
	}
}

// multiplex returns a if c is true, otherwise b. If a and b differ in a single literal, it multiplexes only this
// literal, and many moves share the multiplexer.
func (n gates) multiplex(c, a, b logic.Lit) logic.Lit {
	onlyA, onlyB := n.Conditions(a), n.Conditions(b)
	common := logic.Intersect(slices.Clone(onlyA), onlyB)
	onlyA, onlyB = logic.Difference(onlyA, common), logic.Difference(onlyB, common)
	if len(common) == 0 || len(onlyA) != 1 || len(onlyB) != 1 {
		return n.Mux(c, a, b)
	}
	return n.And(n.dropConditions(a, onlyA), n.Mux(c, onlyA[0], onlyB[0]))
}

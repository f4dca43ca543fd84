package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/kernel"
)

// Games of turns have one choice for two roles: where a literal is true only the first
// has a choice of moves, elsewhere only the second, and whose turn it is not can do no
// more than wait. So heads and tails of both become those of whoever is to move, the
// choice (choice.go) is made once, and each role makes what was chosen if it is its
// turn. Both have their moves in the same parts; what the conditions of a move of both
// roles have in common stays as it is, and what differs, mostly whose piece stands
// somewhere, is the same for many moves. The tails of a role become those of both, too:
// its heads say when it is to move, and one row a move is stored instead of two. Cost in
// gates of three inputs: one for each such difference, and one for each part and role;
// half of the choices are saved.

// turn tells when the roles r and s are to move, if their moves match and that can be
// told: where mine is true only r has a choice, elsewhere only s.
func (g *Game) turn(r, s int) (mine Lit, found bool) {
	if p, q := g.partsOf(r), g.partsOf(s); p != nil && q != nil {
		found = len(p.First) == len(q.First) && len(p.Second) == len(q.Second)
	} else {
		found = p == nil && q == nil && len(g.Legal[r]) > 0 && len(g.Legal[r]) == len(g.Legal[s])
	}
	if !found {
		return 0, false
	}
	theirs := g.movesWhen(s)
	for _, mine := range g.movesWhen(r) {
		if slices.Contains(theirs, mine.Not()) {
			return mine, true
		}
	}
	return 0, false
}

// movesWhen lists literals that must be true for a role to make any move but one, its
// waiting, which needs the complement.
func (g *Game) movesWhen(r int) []Lit {
	n := g.Net
	when := g.Legal[r]
	waiting := func(mine Lit) int { return n.waitingMove(g.Legal[r], mine) }
	if p := g.partsOf(r); p != nil {
		when, waiting = p.Head, func(mine Lit) int { return n.waiting(p, mine) }
	}
	when = slices.DeleteFunc(slices.Clone(when), func(l Lit) bool { return l == False })
	var out []Lit
	for _, l := range when[:min(2, len(when))] { // one of them is no waiting
		for _, mine := range n.conditions(l) {
			others := 0
			for i := 0; i < len(when) && others < 2; i++ {
				if !n.implies(when[i], mine) {
					others++
				}
			}
			if mine > True && (others == 0 || others == 1 && waiting(mine) >= 0) {
				out = append(out, mine)
			}
		}
	}
	return out
}

// waitingMove is the move that a role makes where mine is false, -1 if it has none.
func (n *Network) waitingMove(legal []Lit, mine Lit) int {
	return slices.IndexFunc(legal, func(l Lit) bool { return n.implies(l, mine.Not()) })
}

// waiting is the first part of the move that a role makes where mine is false, -1 if it
// has none.
func (n *Network) waiting(p *Parts, mine Lit) int {
	for part, moves := range p.moves {
		if len(moves) == 1 && p.Tail[moves[0]] == True && n.implies(p.Head[part], mine.Not()) {
			return part
		}
	}
	return -1
}

// chooseTurn chooses a move for whoever is to move of two roles.
func (n *Network) chooseTurn(mine Lit, p, q *Parts) {
	idle := [2]int{n.waiting(p, mine), n.waiting(q, mine.Not())}
	both := partition{of: slices.Clone(p.of), parts: [2]int{len(p.First), len(p.Second)}, texts: p.texts}
	place := make(map[[2]int32]int)
	for m, parts := range p.of {
		place[parts] = m
	}
	for _, parts := range q.of {
		if _, ok := place[parts]; !ok {
			place[parts] = len(both.of)
			both.of = append(both.of, parts)
		}
	}
	legal := both.empty()
	var heads, tails [2][]Lit // of both roles
	for side, role := range []*Parts{p, q} {
		when := mine ^ Lit(side)
		heads[side], tails[side] = make([]Lit, len(p.First)), make([]Lit, len(both.of))
		for part, head := range role.Head {
			if part != idle[side] {
				heads[side][part] = n.less(head, []Lit{when})
			}
		}
		for m, tail := range role.Tail {
			if int(role.of[m][0]) != idle[side] {
				tails[side][place[role.of[m]]] = tail
			}
		}
	}
	for part := range legal.First {
		legal.Head = append(legal.Head, n.either(mine, heads[0][part], heads[1][part]))
	}
	for m := range both.of {
		legal.Tail = append(legal.Tail, n.either(mine, tails[0][m], tails[1][m]))
	}
	for side, role := range []*Parts{p, q} {
		for m, tail := range role.Tail {
			if tail != False && int(role.of[m][0]) != idle[side] {
				role.Tail[m] = legal.Tail[place[role.of[m]]] // the same where the head is true
			}
		}
	}
	chosen := n.chooseMove(legal, heads[:])
	p.random = legal.random
	for side, role := range []*Parts{p, q} {
		when := mine ^ Lit(side)
		for k := range chosen {
			for _, l := range chosen[k] {
				role.chosen[k] = append(role.chosen[k], n.And(when, l))
			}
		}
		if part := idle[side]; part >= 0 {
			second := role.of[role.moves[part][0]][1]
			role.chosen[0][part] = role.Head[part]
			role.chosen[1][second] = n.Or(role.chosen[1][second], role.Head[part])
		}
	}
}

// either is a where c is true and else b. Where they differ in one literal only, that is
// what c decides: it is mostly the same for many.
func (n *Network) either(c, a, b Lit) Lit {
	onlyA, onlyB := n.conditions(a), n.conditions(b)
	common := intersect(slices.Clone(onlyA), onlyB)
	onlyA, onlyB = without(onlyA, common), without(onlyB, common)
	if len(common) == 0 || len(onlyA) != 1 || len(onlyB) != 1 {
		return n.mux(c, a, b)
	}
	return n.And(n.less(a, onlyA), n.mux(c, onlyA[0], onlyB[0]))
}

// sharedChoices is, by role, the role that it takes turns with, if that has a smaller
// number, and else the role itself.
func (g *Game) sharedChoices() []int {
	shared := make([]int, len(g.Does))
	for s := range shared {
		shared[s] = s
		for r := range s {
			if _, found := g.turn(r, s); found && shared[r] == r && !slices.Contains(shared[r+1:s], r) {
				shared[s] = r
				break
			}
		}
	}
	return shared
}

// choices are the tables that a kernel chooses from: that of a role, or those of two that
// take turns. Who waits has no bit among the legal ones, and makes that move anyway.
func (m *Machine) choices(g *Game) []kernel.Moves {
	var out []kernel.Moves
	shared := g.sharedChoices()
	for r, policy := range m.policy {
		if shared[r] != r {
			continue
		}
		moves := kernel.Moves{Legal: policy, Does: m.does[r]}
		if s := slices.Index(shared[r+1:], r) + r + 1; s > r && len(policy) > 0 {
			mine, _ := g.turn(r, s)
			turns := &kernel.Turns{Does: m.does[s]}
			legal := func(r int, mine Lit) []int32 {
				rows, w := slices.Clone(m.policy[r]), g.Net.waitingMove(g.Legal[r], mine)
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

func (n *Network) mux(c, a, b Lit) Lit {
	if a == b {
		return a
	}
	return n.Or(n.And(c, a), n.And(c.Not(), b))
}

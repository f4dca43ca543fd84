package circuit

import (
	"context"
	"math"
	"slices"
)

// Moves with parts. A table of moves such as (move from to), with a row for each, is
// mostly a product: the place of a piece says whether it may move at all, what lies
// between says where it may go, and what a move changes at one end does not depend on
// the other. So a move becomes two inputs, its first and its second part, one of
// which is true of each kind: a hundred and a hundred instead of some thousands. In a
// game of three-part moves the first part is the first two.
//
//	does(r, m)    first(p) and second(q), where p and q are the parts of m
//	legal(r, m)   head(p) and tail(m): the head is what the conditions of all moves
//	              with the part p have in common
//
// Disjunctions over moves become disjunctions over parts: that of all moves with one
// part is that part. Unions of first parts are described by what their texts have in
// common, less what does not belong to it (partUnion.of): nearly all unions that rules
// ask for, "to this place", "from anywhere but there", are a few gates that way.
//
// Random moves are chosen part by part (choice.go).
//
// Assumptions, proved while splitting: no two moves have both parts in common; and of
// the rules of the game: every role makes exactly one move in a step.

// Parts is the move table of a role in two parts, which are numbered by their first
// occurrence.
type Parts struct {
	First, Second []Lit // inputs: whether the move that is made has the part
	Head          []Lit // by first part
	Tail          []Lit // by move; the move is legal where its head is true and this

	of     [][2]int32 // by move: its parts
	moves  [][]int32  // by first part: the moves, ascending
	second [][]int32  // by second part: the moves, ascending
	texts  [][]int32  // by first part: its words, as numbers

	random []Lit    // inputs, while a choice is there (choice.go)
	chosen [2][]Lit // what the choice makes of First and Second
}

const (
	// leastParts is the number of moves from which a table is taken apart. Choosing
	// among fewer is as quick with a row for each (BenchmarkPhases).
	leastParts = 100
	// firstCost and secondCost are the gates of three inputs that a part costs the
	// choice of a random move, and moveCost those that a move does; a move with a row
	// of its own costs wholeCost.
	firstCost, secondCost, moveCost, wholeCost = 20, 12, 3, 10
)

// splitMoves takes large move tables apart.
//
// before: does(r, m), legal(r, m) for each move m
// after:  first(r, p), second(r, q), head(r, p) and tail(r, m)
func splitMoves(ctx context.Context, g *Game) *Game { return splitTables(ctx, g, leastParts) }

// splitTables is splitMoves for tables of at least so many moves. A game with a policy
// stays as it is: its random moves are not chosen among the legal ones.
func splitTables(ctx context.Context, g *Game, least int) *Game {
	if g.Policy != nil || g.Parts != nil {
		return g
	}
	factored := *g
	g = &factored
	g.Legal = slices.Clone(g.Legal)
	for r, legal := range g.Legal {
		if len(legal) >= least {
			g.Legal[r] = make([]Lit, len(legal))
			for m, l := range legal {
				g.Legal[r][m] = g.Net.conjunction(ctx, l)
			}
		}
	}
	parts, some := make([]*Parts, len(g.Does)), false
	tables := commonTables(g.Names.Moves, least)
	for r, legal := range g.Legal {
		if len(legal) >= least {
			parts[r] = g.bestPartition(r, least, tables[r])
			some = some || parts[r] != nil
		}
	}
	if !some {
		return g
	}
	h := newGame(g.Names, g.Initial, parts)
	s := newMoveSplitter(ctx, g, h)
	if h = g.finish(h, s.image); h == g {
		return g
	}
	for r, p := range h.Parts {
		if p != nil {
			s.headsAndTails(r, p)
			h.Legal[r], h.Does[r] = nil, nil
		}
	}
	return h
}

// Whole is the game with a row for each move: g, or if g has moves with parts the game
// that it was made of.
func (g *Game) Whole() *Game {
	if g.Parts != nil {
		return g.plain
	}
	return g
}

// bestPartition is that partition of the moves of a role for which choosing and legality
// take the fewest gates, or nil if a row for each move takes fewer.
func (g *Game) bestPartition(r, least int, t *moveTable) (best *Parts) {
	cost := len(g.Legal[r]) * (wholeCost - moveCost)
	for _, l := range g.Legal[r] {
		cost += len(g.Net.conjuncts(l))
	}
	if least < leastParts { // a test
		cost = math.MaxInt
	}
	if t.ways == nil {
		t.ways = partitions(t.names)
	}
	for _, way := range slices.Backward(t.ways) {
		c := firstCost*way.parts[0] + secondCost*way.parts[1]
		if c >= cost {
			continue
		}
		p := t.take(way, g.Names.Moves[r])
		if c += g.tailCost(r, p, cost-c); c < cost {
			best, cost = p, c
		}
	}
	return best
}

// tailCost is the number of operands of the different tails of a role's moves, or some
// number from limit on if it is not less.
func (g *Game) tailCost(r int, p *Parts, limit int) int {
	common := g.Net.commonConjuncts(p, g.Legal[r])
	seen := make(map[uint64]bool)
	cost := 0
	for m, l := range g.Legal[r] {
		tail := without(g.Net.conjuncts(l), common[p.of[m][0]])
		hash := uint64(hashOperands(tail)) | uint64(len(tail))<<32
		if !seen[hash] {
			seen[hash] = true
			if cost += len(tail); cost >= limit {
				break
			}
		}
	}
	return cost
}

// conjunction is a literal as a conjunction, if it is a disjunction of terms with
// literals in common. Terms that contradict themselves are left out: often a general
// rule and an exception to it give the same move, and only one of them can hold.
func (n *Network) conjunction(ctx context.Context, l Lit) Lit {
	if !l.Complemented() || n.op[l.Node()] != OpAnd {
		return l
	}
	var terms [][]Lit
	for _, term := range n.disjuncts(l) {
		if !n.contradictory(term) {
			terms = append(terms, slices.Clone(n.conjuncts(term)))
		}
	}
	return n.Or(n.factor(ctx, terms, factorDepth)...)
}

// intersect leaves, of sorted literals, those that other sorted ones contain.
func intersect(lits, other []Lit) []Lit {
	return slices.DeleteFunc(lits, func(l Lit) bool {
		_, found := slices.BinarySearch(other, l)
		return !found
	})
}

// legalParts says, by first part, where a move with it is legal.
func (n *Network) legalParts(p *Parts) []Lit {
	legal := make([]Lit, len(p.Head))
	for part, moves := range p.moves {
		tails := make([]Lit, len(moves))
		for i, m := range moves {
			tails[i] = p.Tail[m]
		}
		legal[part] = n.And(p.Head[part], n.Or(tails...))
	}
	return legal
}

// moveSplitter rewrites a game for moves with parts.
type moveSplitter struct {
	from, to *Game
	image    *Substitution
	start    []int32         // by role: the node of its first move in from; one more
	common   [][][]Lit       // by role and first part: what the legal signals have in common
	head     map[int32][]Lit // by node that is a legal signal: its part of common
	union    []*partUnion    // by role
	denied   [][]int32       // by role: the moves that the present gate denies
	out      []Lit
}

func newMoveSplitter(ctx context.Context, g, h *Game) *moveSplitter {
	s := &moveSplitter{
		from: g, to: h, head: make(map[int32][]Lit),
		common: make([][][]Lit, len(g.Does)), union: make([]*partUnion, len(g.Does)), denied: make([][]int32, len(g.Does)),
	}
	s.image = g.into(ctx, h, s.translate)
	first := int32(len(g.Fluents)) + 1
	for r, row := range g.Does {
		s.start = append(s.start, first)
		first += int32(len(row))
		p := h.Parts[r]
		if p == nil {
			continue
		}
		s.union[r] = newPartUnion(h.Net, p, p.First)
		for m, l := range row {
			s.image.Set(l, s.union[r].move(int32(m)))
		}
		s.common[r] = g.Net.commonConjuncts(p, g.Legal[r])
		for m, l := range g.Legal[r] {
			if !l.Complemented() {
				s.head[l.Node()] = s.common[r][p.of[m][0]]
			}
		}
	}
	s.start = append(s.start, first)
	return s
}

// commonConjuncts are, by first part, the literals that the legal signals of the moves
// with it have in common, but for signals that are never true.
func (n *Network) commonConjuncts(p *Parts, legal []Lit) [][]Lit {
	common := make([][]Lit, len(p.moves))
	for part, moves := range p.moves {
		some := false
		for _, m := range moves {
			switch {
			case legal[m] == False:
			case some:
				common[part] = intersect(common[part], n.conjuncts(legal[m]))
			default:
				common[part], some = slices.Clone(n.conjuncts(legal[m])), true
			}
		}
	}
	return common
}

// headsAndTails notes where moves are legal.
func (s *moveSplitter) headsAndTails(r int, p *Parts) {
	and := func(lits []Lit) Lit {
		s.out = s.out[:0]
		for _, l := range lits {
			s.out = append(s.out, s.image.At(l))
		}
		return s.to.Net.And(s.out...)
	}
	p.Head, p.Tail = make([]Lit, len(p.First)), make([]Lit, len(p.of))
	for part, common := range s.common[r] {
		if len(p.moves[part]) > 0 {
			p.Head[part] = and(common)
		}
	}
	for m, l := range s.from.Legal[r] {
		if l != False {
			p.Tail[m] = and(without(s.from.Net.conjuncts(l), s.common[r][p.of[m][0]]))
		}
	}
}

// translate rewrites a gate. One that says where a move is legal becomes a conjunction of
// head and tail, so that what else asks for it can be factored.
func (s *moveSplitter) translate(_ *Game, node int32, operands []Lit) Lit {
	old, n := s.from.Net.Operands(node), s.to.Net
	s.out = s.out[:0]
	if head, ok := s.head[node]; ok {
		var tail []Lit
		for k, o := range old {
			if _, common := slices.BinarySearch(head, o); common {
				s.out = append(s.out, operands[k])
			} else {
				tail = append(tail, operands[k])
			}
		}
		return n.And(n.And(s.out...), n.And(tail...))
	}
	for k, o := range old {
		if r, m, ok := s.move(o.Node()); ok && o.Complemented() && s.union[r] != nil {
			s.denied[r] = append(s.denied[r], m)
		} else {
			s.out = append(s.out, operands[k])
		}
	}
	for r, moves := range s.denied {
		if len(moves) > 0 {
			s.out = append(s.out, s.union[r].made(moves).Not())
			s.denied[r] = moves[:0]
		}
	}
	return n.And(s.out...)
}

// move is the move whose input a node was, if it was one.
func (s *moveSplitter) move(node int32) (role int, m int32, ok bool) {
	if node < s.start[0] || node >= s.start[len(s.start)-1] {
		return 0, 0, false
	}
	for node >= s.start[role+1] {
		role++
	}
	return role, node - s.start[role], true
}

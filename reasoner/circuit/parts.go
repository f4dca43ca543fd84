package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/internal/choice"
	"stackmate/reasoner/circuit/logic"
)

// Split moves. A table of moves such as (move from to), with a row for each move, is mostly a product. The piece's cell
// decides whether it may move at all; the cells between decide where it may go. The effects of a move on one cell do
// not depend on the other. So a move becomes two inputs, its first and its second part: about two hundred inputs
// instead of some thousand. In games with moves of three cells, the first part is the first two cells.
//
//	does(r, m)    first(p) and second(q), where p and q are the parts of m
//	legal(r, m)   head(p) and tail(m), where the head contains the conditions common to all moves with first part p
//
// Disjunctions over moves become disjunctions over parts (choice.Union). Random moves are chosen part by part
// (choice.Choose).
//
// Assumptions: no two moves have both parts in common (proved while splitting); every role makes exactly one move in a
// step (a rule of GDL).

// splitMoves splits the moves of large tables.
func splitMoves(ctx context.Context, g *Game) *Game { return splitTables(ctx, g, choice.LeastMoves) }

// splitTables splits tables of at least `least` moves. Games with a policy stay as they are, because their random moves
// are not chosen among the legal moves.
func splitTables(ctx context.Context, g *Game, least int) *Game {
	if g.Policy != nil || g.isSplit() {
		return g
	}
	factored := *g
	g = &factored
	g.Legal = slices.Clone(g.Legal)
	for r, legal := range g.Legal {
		if len(legal) >= least {
			g.Legal[r] = make([]logic.Lit, len(legal))
			for m, l := range legal {
				g.Legal[r][m] = extractCommon(ctx, g.Net, l)
			}
		}
	}
	parts, split := make([]*choice.Parts, len(g.Does)), false
	tables := choice.Tables(g.Names.Moves, least)
	for r, legal := range g.Legal {
		if len(legal) >= least {
			parts[r] = tables[r].Best(g.Net, g.Names.Moves[r], legal, least < choice.LeastMoves)
			split = split || parts[r] != nil
		}
	}
	if !split {
		return g
	}
	h := newGame(g.Names, g.Initial, parts)
	s := newMoveSplitter(ctx, g, h)
	if h = g.finish(h, s.image); h == g {
		return g
	}
	for r, p := range h.split {
		p.Divide(g.Net, g.Legal[r], s.common[r], s.conjunction)
		h.Legal[r], h.Does[r] = nil, nil
	}
	return h
}

// extractCommon rewrites a disjunction of terms with common literals as a conjunction. It drops contradictory terms:
// often a general rule and an exception of it give the same move, and only one of them can apply.
func extractCommon(ctx context.Context, n *logic.Network, l logic.Lit) logic.Lit {
	if !l.Complemented() || n.Op(l.Node()) != logic.OpAnd {
		return l
	}
	var terms [][]logic.Lit
	for _, term := range n.Disjuncts(l) {
		if !n.Contradictory(term) {
			terms = append(terms, slices.Clone(n.Conjuncts(term)))
		}
	}
	return n.Or(n.Factor(ctx, terms)...)
}

// moveSplitter rewrites a game for split moves.
type moveSplitter struct {
	from, to *Game
	image    *logic.Substitution
	start    []int32               // by role: the node of its first move in from; and the end of the last role's moves
	common   [][][]logic.Lit       // by role and first part: common literals of the legal signals
	head     map[int32][]logic.Lit // by node of a legal signal: the common literals of its first part
	union    []*choice.Union       // by role
	denied   [][]int32             // by role: moves denied by the present gate
	out      []logic.Lit
}

func newMoveSplitter(ctx context.Context, g, h *Game) *moveSplitter {
	s := &moveSplitter{
		from: g, to: h, head: make(map[int32][]logic.Lit),
		common: make([][][]logic.Lit, len(g.Does)), union: make([]*choice.Union, len(g.Does)), denied: make([][]int32, len(g.Does)),
	}
	s.image = g.substitution(ctx, h, s.translate)
	first := int32(len(g.Fluents)) + 1
	for r, row := range g.Does {
		s.start = append(s.start, first)
		first += int32(len(row))
		p := h.Parts[r]
		if p == nil {
			continue
		}
		s.union[r] = choice.NewUnion(h.Net, p)
		for m, l := range row {
			s.image.Set(l, s.union[r].Move(int32(m)))
		}
		s.common[r] = p.Common(g.Net, g.Legal[r])
		for m, l := range g.Legal[r] {
			if !l.Complemented() {
				s.head[l.Node()] = s.common[r][p.Pair[m][0]]
			}
		}
	}
	s.start = append(s.start, first)
	return s
}

// conjunction returns the image of a conjunction of literals of the old game.
func (s *moveSplitter) conjunction(lits []logic.Lit) logic.Lit {
	s.out = s.out[:0]
	for _, l := range lits {
		s.out = append(s.out, s.image.Lookup(l))
	}
	return s.to.Net.And(s.out...)
}

// translate rewrites a gate. A legal signal becomes a conjunction of head and tail, so that its other users can be
// factored.
func (s *moveSplitter) translate(_ *Game, node int32, operands []logic.Lit) logic.Lit {
	old, n := s.from.Net.Operands(node), s.to.Net
	s.out = s.out[:0]
	if head, ok := s.head[node]; ok {
		var tail []logic.Lit
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
		if r, m, ok := s.inputMove(o.Node()); ok && o.Complemented() && s.union[r] != nil {
			s.denied[r] = append(s.denied[r], m)
		} else {
			s.out = append(s.out, operands[k])
		}
	}
	for r, moves := range s.denied {
		if len(moves) > 0 {
			s.out = append(s.out, s.union[r].Made(moves).Not())
			s.denied[r] = moves[:0]
		}
	}
	return n.And(s.out...)
}

// inputMove returns the move of an input node of the old game, or false for any other node.
func (s *moveSplitter) inputMove(node int32) (role int, m int32, ok bool) {
	if node < s.start[0] || node >= s.start[len(s.start)-1] {
		return 0, 0, false
	}
	for node >= s.start[role+1] {
		role++
	}
	return role, node - s.start[role], true
}

// withChoice rebuilds a game by a translation, and adds the choice of the parts of random moves. Inputs of random bits
// are numbered after all other inputs. Roles share a choice if the rebuilt game has a literal of their turns.
func withChoice(ctx context.Context, g *Game, and translation) *Game {
	h := g.rebuild(ctx, and)
	if h == g {
		return g
	}
	partner, theirs := h.turnPartners()
	for r, p := range h.split {
		switch {
		case partner[r] != r:
			choice.ChooseTurn(h.Net, theirs[r], h.Parts[partner[r]], p)
		case !slices.Contains(partner[r+1:], r):
			choice.Choose(h.Net, p)
		}
	}
	return h
}

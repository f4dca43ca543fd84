package circuit

import "slices"

// complementMoves uses that every role makes exactly one move in a step. Frame
// rules ("the cell keeps its mark if any other move was made") are disjunctions
// over nearly the whole move table of a role: the complement is far smaller.
//
// before: and(not does(r, m) for m in S, rest)
// after:  and(or(does(r, m) for m not in S), rest)    where that is shorter
//
// A disjunction is a complemented conjunction of complements, so this covers
// both. Steps in which a role has made no move or several are not defined.
func complementMoves(g *Game) *Game {
	return g.rebuild(func(h *Game, _ int32, operands []Lit) Lit {
		for _, moves := range h.Does {
			operands = h.complementRole(moves, operands)
		}
		return h.Net.And(operands...)
	})
}

// complementRole rewrites the operands that deny moves of one role.
func (g *Game) complementRole(moves, operands []Lit) []Lit {
	denies := func(l Lit) bool {
		return l.Complemented() && len(moves) > 0 && l > moves[0] && l <= moves[len(moves)-1].Not()
	}
	denied := 0
	for _, l := range operands {
		if denies(l) {
			denied++
		}
	}
	if 2*denied <= len(moves)+1 {
		return operands
	}
	var others, out []Lit
	for _, m := range moves {
		if !slices.Contains(operands, m.Not()) {
			others = append(others, m)
		}
	}
	for _, l := range operands {
		if !denies(l) {
			out = append(out, l)
		}
	}
	return append(out, g.Net.Or(others...))
}

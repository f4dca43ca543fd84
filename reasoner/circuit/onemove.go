package circuit

import (
	"context"
	"slices"
)

// complementMoves uses that every role makes exactly one move in a step. Frame
// rules ("the cell keeps its mark if any other move was made") are disjunctions
// over nearly the whole move table of a role: the complement is far smaller.
//
// before: and(not does(r, m) for m in S, rest)
// after:  and(or(does(r, m) for m not in S), rest)    where that is shorter
//
// A disjunction is a complemented conjunction of complements, so this covers
// both. Steps in which a role has made no move or several are not defined.
func complementMoves(ctx context.Context, g *Game) *Game {
	return g.rebuild(ctx, func(h *Game, _ int32, operands []Lit) Lit {
		return h.Net.And(h.complementRoles(operands)...)
	})
}

// complementRoles rewrites the operands of a gate that deny moves, in place. Once
// they are sorted, those of one role stand together, because inputs are numbered by
// role.
func (g *Game) complementRoles(operands []Lit) []Lit {
	slices.Sort(operands)
	operands = slices.Compact(operands)
	out, rest := operands[:0], operands
	for _, moves := range g.Does {
		if len(moves) == 0 {
			continue
		}
		first, _ := slices.BinarySearch(rest, moves[0])
		end, _ := slices.BinarySearch(rest, moves[len(moves)-1]+2)
		out = append(out, rest[:first]...)
		out = g.appendOthers(out, moves, rest[first:end])
		rest = rest[end:]
	}
	return append(out, rest...)
}

// appendOthers appends the sorted literals of moves of one role or, if they deny
// most moves, what says the same of the others. It appends no more than there were.
func (g *Game) appendOthers(dst, moves, lits []Lit) []Lit {
	denied := 0
	for _, l := range lits {
		if l.Complemented() {
			denied++
		}
	}
	if 2*denied <= len(moves)+1 {
		return append(dst, lits...)
	}
	var others []Lit
	at := 0
	for _, m := range moves {
		if at < len(lits) && lits[at] == m {
			dst = append(dst, m)
			at++
		}
		if at < len(lits) && lits[at] == m.Not() {
			at++
		} else {
			others = append(others, m)
		}
	}
	return append(dst, g.Net.Or(others...))
}

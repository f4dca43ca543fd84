package circuit

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// complementMoves shortens conditions over moves; it assumes that every role makes exactly one move in a step. Frame
// rules ("the cell keeps its mark if any other move was made") are disjunctions over nearly the whole move table of a
// role; the complement is far smaller.
//
// before: and(not does(r, m) for m in S, rest)
// after:  and(or(does(r, m) for m not in S), rest)    if that is shorter
//
// A disjunction is a complemented conjunction of complements, so this covers both. In steps where a role makes no move
// or several, the result is undefined.
//
// Rules about any role ("does ?player (move ...)") contain for each move a disjunction over the roles, which other
// rules share. Such disjunctions are expanded if this makes the gate shorter.
func complementMoves(ctx context.Context, g *Game) *Game {
	var buffer []logic.Lit
	return g.rebuild(ctx, func(h *Game, _ int32, operands []logic.Lit) logic.Lit {
		expanded := h.expandDenials(buffer[:0], operands)
		buffer = expanded
		if len(expanded) == 0 && !slices.ContainsFunc(operands, h.isDenial) {
			return h.Net.And(operands...)
		}
		operands = h.complementRoles(operands)
		if len(expanded) > 0 {
			if expanded = h.complementRoles(expanded); len(expanded) < len(operands) {
				operands = expanded
			}
		}
		return h.Net.And(operands...)
	})
}

// expandDenials appends the operands to dst, which is empty, and replaces conjunctions of denials by their operands. It
// appends nothing if there are no such conjunctions.
func (g *Game) expandDenials(dst, operands []logic.Lit) []logic.Lit {
	found := false
	for i, l := range operands {
		if denials := g.denials(l); denials != nil {
			if !found {
				dst, found = append(dst, operands[:i]...), true
			}
			dst = append(dst, denials...)
		} else if found {
			dst = append(dst, l)
		}
	}
	return dst
}

// denials returns the operands of a conjunction of complemented moves, or nil for any other literal.
func (g *Game) denials(l logic.Lit) []logic.Lit {
	if l.Complemented() || g.Net.Op(l.Node()) != logic.OpAnd {
		return nil
	}
	operands := g.Net.Operands(l.Node())
	for _, o := range operands {
		if !g.isDenial(o) {
			return nil
		}
	}
	return operands
}

// isDenial reports whether a literal is the complement of a move.
func (g *Game) isDenial(l logic.Lit) bool {
	return l.Complemented() && g.Net.Op(l.Node()) == logic.OpInput && l.Node() > int32(len(g.Fluents))
}

// complementRoles rewrites the denials of each role among the operands of a gate, in place. After sorting, the moves of
// a role are consecutive, since inputs are numbered by role.
func (g *Game) complementRoles(operands []logic.Lit) []logic.Lit {
	operands = g.sortUnique(operands)
	out, rest := operands[:0], operands
	for _, moves := range g.Does {
		if len(moves) == 0 {
			continue
		}
		first, _ := slices.BinarySearch(rest, moves[0])
		end, _ := slices.BinarySearch(rest, moves[len(moves)-1]+2)
		out = append(out, rest[:first]...)
		out = g.appendComplement(out, moves, rest[first:end])
		rest = rest[end:]
	}
	return append(out, rest...)
}

// sortUnique sorts literals in place, and removes repetitions. Gates may deny nearly all moves, and each cell may have
// such a gate, so comparisons would take most of the time. If there are at least as many literals as words of a bitmap
// of the inputs, the bitmap sorts the inputs; they are the first nodes.
func (g *Game) sortUnique(lits []logic.Lit) []logic.Lit {
	end := logic.Lit(0)
	for _, moves := range g.Does {
		if len(moves) > 0 {
			end = moves[len(moves)-1] + 2
		}
	}
	if len(lits) < int(end)/64 {
		slices.Sort(lits)
		return slices.Compact(lits)
	}
	marks := make([]uint64, end/64+1)
	gates := lits[:0]
	for _, l := range lits {
		if l < end {
			marks[l/64] |= 1 << (l % 64)
		} else {
			gates = append(gates, l)
		}
	}
	slices.Sort(gates)
	gates = slices.Clone(slices.Compact(gates))
	lits = lits[:0]
	for i, word := range marks {
		for ; word != 0; word &= word - 1 {
			lits = append(lits, logic.Lit(64*i+bits.TrailingZeros64(word)))
		}
	}
	return append(lits, gates...)
}

// appendComplement appends the sorted literals of moves of a role. If they deny most moves, it appends instead the
// disjunction of the moves that are not denied. It appends at most as many literals as there were.
func (g *Game) appendComplement(dst, moves, lits []logic.Lit) []logic.Lit {
	denied := 0
	for _, l := range lits {
		if l.Complemented() {
			denied++
		}
	}
	if 2*denied <= len(moves)+1 {
		return append(dst, lits...)
	}
	var others []logic.Lit
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

package circuit

import (
	"context"

	"stackmate/reasoner/circuit/logic"
)

// factorTerms factors out common literals of the terms of a disjunction.
//
// before: or(and(a, x), and(a, y), and(b, z))    after: or(and(a, or(x, y)), and(b, z))
//
// It keeps terms with other users.
func factorTerms(ctx context.Context, g *Game) *Game {
	uses := g.uses()
	return g.rebuild(ctx, func(h *Game, node int32, operands []logic.Lit) logic.Lit {
		var terms [][]logic.Lit
		var others []logic.Lit
		for k, o := range g.Net.Operands(node) {
			l := operands[k]
			if o.Complemented() && uses[o.Node()] == 1 && l.Complemented() && h.Net.Op(l.Node()) == logic.OpAnd {
				terms = append(terms, h.Net.Operands(l.Node()))
			} else {
				others = append(others, l)
			}
		}
		if len(terms) < 2 {
			return h.Net.And(operands...)
		}
		for _, l := range h.Net.Factor(ctx, terms) {
			others = append(others, l.Not())
		}
		return h.Net.And(others...)
	})
}

package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// flattenGates merges conjunctions into their only users, if these are conjunctions.
//
// before: and(and(a, b), c)    after: and(a, b, c)
//
// A merged gate is not built; its user takes over the list of its operands. Copies would be quadratic in long chains.
func flattenGates(ctx context.Context, g *Game) *Game {
	merged := g.mergeable()
	if !slices.Contains(merged, true) {
		return g
	}
	lists := make(map[int32][]logic.Lit) // operands by merged node, until its user takes them
	return g.rebuild(ctx, func(h *Game, node int32, operands []logic.Lit) logic.Lit {
		var flat []logic.Lit
		for k, o := range g.Net.Operands(node) {
			part := operands[k : k+1]
			if merged[o.Node()] {
				part = lists[o.Node()]
				delete(lists, o.Node())
			}
			if len(part) > len(flat) && merged[o.Node()] {
				part, flat = flat, part
			}
			flat = append(flat, part...)
		}
		if merged[node] {
			lists[node] = flat
			return logic.False // its user ignores the image
		}
		return h.Net.And(flat...)
	})
}

// mergeable marks the conjunctions with a single use, as an operand of a conjunction.
func (g *Game) mergeable() []bool {
	uses := g.uses()
	merged := make([]bool, g.Net.Len())
	for i := range int32(g.Net.Len()) {
		for _, o := range g.Net.Operands(i) {
			j := o.Node()
			merged[j] = !o.Complemented() && uses[j] == 1 && g.Net.Op(j) == logic.OpAnd
		}
	}
	return merged
}

package circuit

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// uses counts how often each node is an operand, a definition or an output.
func (g *Game) uses() []int32 {
	uses := g.Net.Uses()
	g.forEachOutput(func(l *logic.Lit) { uses[l.Node()]++ })
	return uses
}

// flattenGates merges a gate into its only user where both are conjunctions.
//
// before: and(and(a, b), c)    after: and(a, b, c)
//
// A gate that is merged is not built, and its user takes over the list of its
// operands: a long chain of such gates would be quadratic otherwise.
func flattenGates(ctx context.Context, g *Game) *Game {
	merged := g.mergeable()
	if !slices.Contains(merged, true) {
		return g
	}
	lists := make(map[int32][]logic.Lit) // by merged node
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
			return logic.False // its user does not look
		}
		return h.Net.And(flat...)
	})
}

// mergeable marks the conjunctions that are an operand of one conjunction and
// nothing else.
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

// factorTerms takes common literals out of the terms of a disjunction.
//
// before: or(and(a, x), and(a, y), and(b, z))    after: or(and(a, or(x, y)), and(b, z))
//
// Only terms that nothing else uses are taken apart.
func factorTerms(ctx context.Context, g *Game) *Game {
	uses := g.uses()
	return g.rebuild(ctx, func(h *Game, node int32, operands []logic.Lit) logic.Lit {
		var terms [][]logic.Lit
		var rest []logic.Lit
		for k, o := range g.Net.Operands(node) {
			l := operands[k]
			if o.Complemented() && uses[o.Node()] == 1 && l.Complemented() && h.Net.Op(l.Node()) == logic.OpAnd {
				terms = append(terms, slices.Clone(h.Net.Operands(l.Node())))
			} else {
				rest = append(rest, l)
			}
		}
		if len(terms) < 2 {
			return h.Net.And(operands...)
		}
		for _, l := range h.Net.Factor(ctx, terms) {
			rest = append(rest, l.Not())
		}
		return h.Net.And(rest...)
	})
}

const (
	// pairUses is the number of gates that must share a pair of operands for the
	// pair to become a gate of its own: it costs a gate of two operands and a row,
	// and saves one operand in each user.
	pairUses = 4
	// pairRounds bounds the rounds of sharePairs; each can halve a common part. A round that
	// has saved less than one gate of pairGain is the last: the next ones save no more, and
	// take as long.
	pairRounds, pairGain = 4, 250
	// widePairs is the width from which only neighbours count as pairs: the
	// number of pairs is quadratic, and operands are sorted, so that common runs
	// of wide gates show in the neighbours.
	widePairs = 16
)

// sharePairs gives pairs of operands that many gates share a gate of their own.
//
// before: and(a, b, x), and(a, b, y), and(a, b, z), and(a, b, u)
// after:  p = and(a, b); and(p, x), and(p, y), and(p, z), and(p, u)
//
// Each round replaces in every gate the pair that most gates share.
func sharePairs(ctx context.Context, g *Game) *Game {
	for range pairRounds {
		chosen := g.commonPairs()
		before := g.Net.Gates()
		h := g.rebuild(ctx, func(h *Game, node int32, operands []logic.Lit) logic.Lit {
			p := chosen[node]
			if p.second == 0 {
				return h.Net.And(operands...)
			}
			pair := h.Net.And(operands[p.first], operands[p.second])
			operands = slices.Delete(slices.Delete(operands, int(p.second), int(p.second)+1), int(p.first), int(p.first)+1)
			return h.Net.And(append(operands, pair)...)
		})
		saved := before - h.Net.Gates()
		if saved <= 0 {
			break
		}
		if g = h; saved < before/pairGain {
			break
		}
	}
	return g
}

// pair is the places of two operands of a gate, the second 0 for none.
type pair struct{ first, second int32 }

// commonPairs is by node the pair of operands that most gates share, of live gates with
// more than two. Pairs are counted by hash: two with the same one are counted together,
// which now and then makes a gate that too few others share: a small loss, for a tenth of
// the time of a map. The table waits for memory, so all counts of a gate are looked up
// before the first is compared.
func (g *Game) commonPairs() []pair {
	live := g.live()
	pairs := 0
	each := func(f func(node int32, operands []logic.Lit)) {
		for i := range int32(g.Net.Len()) {
			if operands := g.Net.Operands(i); live[i] && len(operands) > 2 {
				f(i, operands)
			}
		}
	}
	each(func(_ int32, operands []logic.Lit) { eachPair(operands, func(_, _ int) { pairs++ }) })
	count := make([]int32, 1<<bits.Len(uint(2*pairs)))
	at := func(operands []logic.Lit, i, j int) *int32 {
		h := (uint64(uint32(operands[i]))<<32 | uint64(uint32(operands[j]))) * 0x9e3779b97f4a7c15
		return &count[h>>32&uint64(len(count)-1)]
	}
	each(func(_ int32, operands []logic.Lit) { eachPair(operands, func(i, j int) { *at(operands, i, j)++ }) })
	best := make([]pair, g.Net.Len())
	var counts []int32
	each(func(node int32, operands []logic.Lit) {
		counts = counts[:0]
		eachPair(operands, func(i, j int) { counts = append(counts, *at(operands, i, j)) })
		most, k := int32(pairUses-1), 0
		eachPair(operands, func(i, j int) {
			if counts[k] > most {
				best[node], most = pair{int32(i), int32(j)}, counts[k]
			}
			k++
		})
	})
	return best
}

func eachPair(operands []logic.Lit, f func(i, j int)) {
	for i := range operands {
		end := len(operands)
		if len(operands) > widePairs {
			end = min(end, i+2)
		}
		for j := i + 1; j < end; j++ {
			f(i, j)
		}
	}
}

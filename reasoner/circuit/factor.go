package circuit

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// uses returns, by node, its number of occurrences as an operand, a definition or an output.
func (g *Game) uses() []int32 {
	uses := g.Net.Uses()
	g.forEachOutput(func(l *logic.Lit) { uses[l.Node()]++ })
	return uses
}

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

const (
	// pairUses is the least number of gates that must share a pair of operands. A shared pair costs a gate of two
	// operands and a row, and saves one operand in each user.
	pairUses = 4
	// pairRounds limits the rounds of sharePairs; each can halve a common part. The rounds end early if a round saves
	// less than one gate of pairGain: later rounds save no more, and take as long.
	pairRounds, pairGain = 4, 250
	// widePairs is the largest width of gates whose pairs are all counted. In wider gates only neighbours count, since
	// the number of pairs is quadratic. Operands are sorted, so common runs of wide gates appear as neighbours.
	widePairs = 16
)

// sharePairs introduces gates for pairs of operands that many gates share.
//
// before: and(a, b, x), and(a, b, y), and(a, b, z), and(a, b, u)
// after:  p = and(a, b); and(p, x), and(p, y), and(p, z), and(p, u)
//
// Each round replaces in every gate its most frequent pair.
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

// pair contains the indices of two operands of a gate; second is 0 if there is no pair.
type pair struct{ first, second int32 }

// commonPairs returns, for each live gate with more than two operands, its most frequent pair of at least pairUses
// gates. Pairs are counted by hash. Collisions are counted together, which sometimes creates a gate with too few users:
// a small loss, for a tenth of the time of a map. The counts of a gate are all loaded before the first comparison,
// since the table is bound by memory latency.
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
	each(func(_ int32, operands []logic.Lit) {
		if k := len(operands); k <= widePairs {
			pairs += k * (k - 1) / 2
		} else {
			pairs += k - 1
		}
	})
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

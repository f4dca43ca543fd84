package logic

import (
	"cmp"
	"context"
	"slices"
)

// factorDepth limits the recursion of factor, and so its work and memory: nested terms could be factored as often as
// there are terms.
const factorDepth = 32

// occurrence is a literal (upper half) with a term that contains it (lower half).
type occurrence uint64

func (o occurrence) lit() Lit { return Lit(o >> 32) }

func (o occurrence) term() uint32 { return uint32(o) }

// Factor factors a disjunction of terms (conjunctions of sorted literals), and returns literals with the same
// disjunction. If literals occur in all terms, the result is one literal. Otherwise the most frequent literals are
// factored out first, and terms without a shared literal stay.
func (n *Network) Factor(ctx context.Context, terms [][]Lit) []Lit {
	return n.factor(ctx, terms, factorDepth)
}

func (n *Network) factor(ctx context.Context, terms [][]Lit, depth int) []Lit {
	if depth == 0 || ctx.Err() != nil {
		return n.conjunctions(terms)
	}
	var occurrences []occurrence
	for t, term := range terms {
		for _, l := range term {
			occurrences = append(occurrences, occurrence(l)<<32|occurrence(t))
		}
	}
	slices.Sort(occurrences)
	var common []Lit
	var shared [][]occurrence // occurrences of each literal of several terms
	for len(occurrences) > 0 {
		k := 1
		for k < len(occurrences) && occurrences[k].lit() == occurrences[0].lit() {
			k++
		}
		switch {
		case k == len(terms):
			common = append(common, occurrences[0].lit())
		case k > 1:
			shared = append(shared, occurrences[:k])
		}
		occurrences = occurrences[k:]
	}
	if len(common) > 0 {
		for t := range terms {
			terms[t] = Difference(terms[t], common)
		}
		return []Lit{n.And(append(common, n.Or(n.factor(ctx, terms, depth-1)...))...)}
	}
	slices.SortStableFunc(shared, func(a, b []occurrence) int { return cmp.Compare(len(b), len(a)) })
	var parts []Lit
	for _, in := range shared {
		l := in[0].lit()
		var group [][]Lit
		var members []uint32
		for _, o := range in {
			if terms[o.term()] != nil {
				members = append(members, o.term())
				group = append(group, Difference(terms[o.term()], []Lit{l}))
			}
		}
		if len(group) < 2 {
			continue
		}
		for _, t := range members {
			terms[t] = nil
		}
		parts = append(parts, n.And(l, n.Or(n.factor(ctx, group, depth-1)...)))
	}
	remaining := slices.DeleteFunc(terms, func(term []Lit) bool { return term == nil })
	return append(parts, n.conjunctions(remaining)...)
}

// conjunctions returns the conjunction of each term.
func (n *Network) conjunctions(terms [][]Lit) []Lit {
	lits := make([]Lit, len(terms))
	for t, term := range terms {
		lits[t] = n.And(term...)
	}
	return lits
}

// Difference returns a sorted term without the given sorted literals. The result is not nil.
func Difference(term, lits []Lit) []Lit {
	out := make([]Lit, 0, len(term))
	for _, l := range term {
		if _, found := slices.BinarySearch(lits, l); !found {
			out = append(out, l)
		}
	}
	return out
}

// Intersect deletes from lits the literals that are not in other; both are sorted.
func Intersect(lits, other []Lit) []Lit {
	out := lits[:0]
	for _, l := range lits {
		if _, found := slices.BinarySearch(other, l); found {
			out = append(out, l)
		}
	}
	return out
}

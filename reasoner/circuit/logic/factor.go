package logic

import (
	"cmp"
	"context"
	"slices"
)

// factorDepth bounds how many times what is left of a term is factored again, and
// so work and memory: terms that contain each other could be taken apart as often
// as there are terms.
const factorDepth = 32

// occurrence says that a literal, the upper half, occurs in a term, the lower.
type occurrence uint64

func (o occurrence) lit() Lit { return Lit(o >> 32) }

func (o occurrence) term() uint32 { return uint32(o) }

// Factor rewrites a disjunction of terms, conjunctions of sorted literals. It returns
// the parts of the disjunction: one if literals occur in all terms, and else those of
// the literals that occur in most terms, and the terms that are left.
func (n *Network) Factor(ctx context.Context, terms [][]Lit) []Lit {
	return n.factor(ctx, terms, factorDepth)
}

func (n *Network) factor(ctx context.Context, terms [][]Lit, depth int) []Lit {
	if depth == 0 || ctx.Err() != nil {
		return n.ands(terms)
	}
	var occurrences []occurrence
	for t, term := range terms {
		for _, l := range term {
			occurrences = append(occurrences, occurrence(l)<<32|occurrence(t))
		}
	}
	slices.Sort(occurrences)
	var common []Lit
	var shared [][]occurrence // of literals that some terms have in common
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
	left := slices.DeleteFunc(terms, func(term []Lit) bool { return term == nil })
	return append(parts, n.ands(left)...)
}

// ands builds the conjunctions of terms.
func (n *Network) ands(terms [][]Lit) []Lit {
	lits := make([]Lit, len(terms))
	for t, term := range terms {
		lits[t] = n.And(term...)
	}
	return lits
}

// Without is a sorted term without some sorted literals. It is not nil.
func Difference(term, lits []Lit) []Lit {
	out := make([]Lit, 0, len(term))
	for _, l := range term {
		if _, found := slices.BinarySearch(lits, l); !found {
			out = append(out, l)
		}
	}
	return out
}

// Intersect leaves, of sorted literals, those that other sorted ones contain.
func Intersect(lits, other []Lit) []Lit {
	return slices.DeleteFunc(lits, func(l Lit) bool {
		_, found := slices.BinarySearch(other, l)
		return !found
	})
}

package logic

import (
	"iter"
	"slices"
)

// Direct implications of literals: a conjunction implies its operands, recursively; a disjunction implies the literals
// common to all its cases. There is no search, so the implications are sound but incomplete.

// Implied iterates over a literal and its implications as nested conjunctions, breadth first, each once. After `limit`
// literals it expands no more conjunctions.
func (n *Network) Implied(l Lit, limit int) iter.Seq[Lit] {
	return func(yield func(Lit) bool) {
		list := append(make([]Lit, 0, 16), l)
		for i := 0; i < len(list); i++ {
			if !yield(list[i]) {
				return
			}
			if list[i].Complemented() || len(list) >= limit {
				continue
			}
			known := list // the operands of a gate are distinct
			for _, o := range n.Operands(list[i].Node()) {
				if !slices.Contains(known, o) {
					list = append(list, o)
				}
			}
		}
	}
}

// impliesLimit limits the literals that Implies visits.
const impliesLimit = 1 << 12

// Implies reports whether other occurs in the nested conjunction l. For conjunctions above impliesLimit it may return
// false wrongly.
func (n *Network) Implies(l, other Lit) bool {
	for i := range n.Implied(l, impliesLimit) {
		if i == other {
			return true
		}
	}
	return false
}

// Conjuncts returns the sorted operands of a conjunction; any other literal is its own conjunct.
func (n *Network) Conjuncts(l Lit) []Lit {
	switch {
	case l == True:
		return nil
	case !l.Complemented() && n.op[l.Node()] == OpAnd:
		return n.Operands(l.Node())
	}
	return []Lit{l}
}

// Disjuncts returns the operands of a disjunction; any other literal is its own disjunct.
func (n *Network) Disjuncts(l Lit) []Lit {
	out := slices.Clone(n.Conjuncts(l.Not()))
	for i := range out {
		out[i] = out[i].Not()
	}
	return out
}

// conditionsLimit limits the literals that Conditions and Contradictory visit.
const conditionsLimit = 96

// Conditions returns the sorted leaves and disjunctions of the nested conjunction l, or l itself if l is above
// conditionsLimit.
func (n *Network) Conditions(l Lit) []Lit {
	out := make([]Lit, 0, 16)
	known := 0
	for i := range n.Implied(l, conditionsLimit) {
		if known++; known >= conditionsLimit {
			return []Lit{l}
		}
		if i.Complemented() || n.op[i.Node()] != OpAnd {
			out = append(out, i)
		}
	}
	if l == True {
		return nil
	}
	slices.Sort(out)
	return out
}

// Common returns the sorted literals common to all cases of a disjunction; the disjunction implies them.
func (n *Network) Common(l Lit) (all []Lit) {
	for k, c := range n.Disjuncts(l) {
		if k == 0 {
			all = slices.Clone(n.Conjuncts(c))
		} else {
			all = Intersect(all, n.Conjuncts(c))
		}
	}
	return all
}

// Contradictory reports whether l implies a literal and its complement.
func (n *Network) Contradictory(l Lit) bool {
	implied := slices.Sorted(n.Implied(l, conditionsLimit))
	for i := range len(implied) - 1 {
		if implied[i] == implied[i+1].Not() {
			return true
		}
	}
	return false
}

// Contradict reports whether a conjunct of a is the complement of a conjunct of b.
func (n *Network) Contradict(a, b Lit) bool {
	others := n.Conjuncts(b)
	return slices.ContainsFunc(n.Conjuncts(a), func(c Lit) bool { return slices.Contains(others, c.Not()) })
}

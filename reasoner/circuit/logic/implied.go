package logic

import (
	"iter"
	"slices"
)

// What a literal implies at sight: a conjunction its operands, those theirs, and a disjunction
// what all of its cases have in common. Nothing is searched, so of what follows from a literal
// there may be more.

// Implied visits a literal and all that it implies as a conjunction of conjunctions, the
// nearest first, each once. When limit literals are known no more conjunctions are looked into.
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
			known := list // none of the operands of one gate is another one
			for _, o := range n.Operands(list[i].Node()) {
				if !slices.Contains(known, o) {
					list = append(list, o)
				}
			}
		}
	}
}

// mostImplied bounds the literals that implies looks at.
const impliesLimit = 1 << 12

// Implies tells whether one literal is a conjunction with another, of conjunctions down to what
// is none. Of the largest it may not find out.
func (n *Network) Implies(l, other Lit) bool {
	for i := range n.Implied(l, impliesLimit) {
		if i == other {
			return true
		}
	}
	return false
}

// Conjuncts are the sorted literals whose conjunction a literal is.
func (n *Network) Conjuncts(l Lit) []Lit {
	switch {
	case l == True:
		return nil
	case !l.Complemented() && n.op[l.Node()] == OpAnd:
		return n.Operands(l.Node())
	}
	return []Lit{l}
}

// Disjuncts are the literals whose disjunction a literal is.
func (n *Network) Disjuncts(l Lit) []Lit {
	out := slices.Clone(n.Conjuncts(l.Not()))
	for i := range out {
		out[i] = out[i].Not()
	}
	return out
}

// conditionsLimit bounds the literals of which conditions and contradictory know.
const conditionsLimit = 96

// Conditions are the literals whose conjunction a literal is, down to what is no conjunction,
// sorted. Of a large one it is the literal itself.
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

// Common are the literals that all cases of a disjunction are conjunctions with, sorted: they
// hold where it does.
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

// Contradictory tells whether, of the literals that a literal implies, one is the complement of
// another.
func (n *Network) Contradictory(l Lit) bool {
	implied := slices.Sorted(n.Implied(l, conditionsLimit))
	for i := range len(implied) - 1 {
		if implied[i] == implied[i+1].Not() {
			return true
		}
	}
	return false
}

// Contradict tells whether an operand of one conjunction is the complement of one of another.
func (n *Network) Contradict(a, b Lit) bool {
	others := n.Conjuncts(b)
	return slices.ContainsFunc(n.Conjuncts(a), func(c Lit) bool { return slices.Contains(others, c.Not()) })
}

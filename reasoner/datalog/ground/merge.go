package ground

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
)

// Rules that differ in one literal become one rule, over a relation with a rule for each alternative:
//
//	before  h(X) ← a(X,Y) ∧ b(Y) ∧ p(Y,Z)     h(X) ← a(X,Y) ∧ b(Y) ∧ q(Z,Y)
//	after   h(X) ← a(X,Y) ∧ b(Y) ∧ m(Y,Z)     m(Y,Z) ← p(Y,Z)     m(Y,Z) ← q(Z,Y)
//
// Then the common literals are joined once, however many alternatives there are. In particular, the rules of the
// branches of a disjunction are reunited. Assumption: the differing relations do not recur on h, so the recursion
// of h is preserved.
type merger struct {
	theory *rules.Theory
	inside map[*rules.Relation]int // by relation: the number of its strongly connected component
	made   int                     // number of merged relations
}

// alternative is a rule that may be merged with other rules in one literal.
type alternative struct {
	rule    int     // index of the rule
	literal int     // index of the differing literal
	vars    []int32 // variables of this literal
}

// mergeRules merges dynamic rules until no two of them differ in one open literal only.
func (gr *grounder) mergeRules() error {
	th := gr.Theory
	m := &merger{theory: th, inside: th.ComponentNumbers()}
	for m.merge() {
	}
	return nil
}

// merge merges each group of rules that differ in one literal, and reports whether there was such a group.
func (m *merger) merge() bool {
	th := m.theory
	groups := make(map[string][]alternative)
	var keys []string // in order of their first rule
	for i, r := range th.Rules {
		if !r.Head.Rel.Is(rules.Dynamic) || len(r.Body) < 2 {
			continue
		}
		for k := range r.Body {
			l := &r.Body[k]
			if l.Op != gdl.Holds || l.Implied || !l.Atom.Rel.IsOpen() || m.inside[l.Atom.Rel] == m.inside[r.Head.Rel] {
				continue
			}
			th.Watch.Step()
			key, vars := m.remainder(r, k)
			if groups[key] == nil {
				keys = append(keys, key)
			}
			groups[key] = append(groups[key], alternative{i, k, vars})
		}
	}
	gone := make(map[int]bool)
	var added []*rules.Rule
	for _, key := range keys {
		group := slices.DeleteFunc(groups[key], func(a alternative) bool { return gone[a.rule] })
		if len(group) < 2 {
			continue
		}
		for _, a := range group {
			gone[a.rule] = true
		}
		added = append(added, m.unite(group)...)
	}
	kept := th.Rules[:0]
	for i, r := range th.Rules {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	th.Rules = append(kept, added...)
	return len(added) > 0
}

// remainder returns the canonical text of r without literal k, with the variables of this literal listed at the end.
// vars are these variables in the same order.
func (m *merger) remainder(r *rules.Rule, k int) (key string, vars []int32) {
	c := m.theory.Terms.Canonical(slices.Concat([]rules.Literal{rules.Positive(r.Head)}, r.Body[:k], r.Body[k+1:]))
	numbers := c.Numbers(r.Body[k].Vars())
	for _, n := range numbers {
		vars = append(vars, c.Vars[n])
	}
	return c.Key(numbers), vars
}

// unite returns the united rule of a group, followed by the rules of the new relation.
func (m *merger) unite(group []alternative) []*rules.Rule {
	th := m.theory
	first := th.Rules[group[0].rule]
	m.made++
	rel := th.Auxiliary(fmt.Sprintf("%s|%d", first.Head.Rel.Name, m.made), len(group[0].vars), rules.Dynamic)
	m.inside[rel] = -m.made
	united := *first
	united.Body = slices.Clone(first.Body)
	united.Body[group[0].literal] = rules.Positive(rules.AtomOf(rel, group[0].vars))
	list := []*rules.Rule{th.Terms.Compact(&united)}
	for _, a := range group {
		r := th.Rules[a.rule]
		list = append(list, th.Terms.Compact(&rules.Rule{Head: rules.AtomOf(rel, a.vars), Body: r.Body[a.literal : a.literal+1], Vars: r.Vars, Source: r.Source, Split: true}))
	}
	return list
}

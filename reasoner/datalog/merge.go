package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
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
	theory *theory
	inside map[*relation]int // by relation: the number of its strongly connected component
	made   int               // number of merged relations
}

// alternative is a rule that may be merged with other rules in one literal.
type alternative struct {
	rule    int     // index of the rule
	literal int     // index of the differing literal
	vars    []int32 // variables of this literal
}

// mergeRules merges dynamic rules until no two of them differ in one dynamic literal only.
func (gr *grounder) mergeRules() error {
	th := gr.theory
	m := &merger{theory: th, inside: th.componentNumbers()}
	for m.merge() {
	}
	return nil
}

// merge merges each group of rules that differ in one literal, and reports whether there was such a group.
func (m *merger) merge() bool {
	th := m.theory
	groups := make(map[string][]alternative)
	var keys []string // in order of their first rule
	for i, r := range th.rules {
		if !r.head.rel.is(dynamic) || len(r.body) < 2 {
			continue
		}
		for k := range r.body {
			l := &r.body[k]
			if l.op != gdl.Holds || l.implied || !l.atom.rel.isOpen() || m.inside[l.atom.rel] == m.inside[r.head.rel] {
				continue
			}
			th.watch.Step()
			key, vars := m.remainder(r, k)
			if groups[key] == nil {
				keys = append(keys, key)
			}
			groups[key] = append(groups[key], alternative{i, k, vars})
		}
	}
	gone := make(map[int]bool)
	var added []*rule
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
	kept := th.rules[:0]
	for i, r := range th.rules {
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	th.rules = append(kept, added...)
	return len(added) > 0
}

// remainder returns the canonical text of r without literal k, with the variables of this literal listed at the end.
// vars are these variables in the same order.
func (m *merger) remainder(r *rule, k int) (key string, vars []int32) {
	c := m.theory.terms.canonical(slices.Concat([]literal{positive(r.head)}, r.body[:k], r.body[k+1:]))
	numbers := c.numbers(r.body[k].vars())
	for _, n := range numbers {
		vars = append(vars, c.vars[n])
	}
	return c.key(numbers), vars
}

// unite returns the united rule of a group, followed by the rules of the new relation.
func (m *merger) unite(group []alternative) []*rule {
	th := m.theory
	first := th.rules[group[0].rule]
	m.made++
	rel := th.auxiliary(fmt.Sprintf("%s|%d", first.head.rel.name.name, m.made), len(group[0].vars), dynamic)
	m.inside[rel] = -m.made
	united := *first
	united.body = slices.Clone(first.body)
	united.body[group[0].literal] = positive(atomOf(rel, group[0].vars))
	rules := []*rule{th.terms.compact(&united)}
	for _, a := range group {
		r := th.rules[a.rule]
		rules = append(rules, th.terms.compact(&rule{head: atomOf(rel, a.vars), body: r.body[a.literal : a.literal+1], vars: r.vars, source: r.source, split: true}))
	}
	return rules
}

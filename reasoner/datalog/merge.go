package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
)

// Rules that differ in one condition become one, over a relation of what they differ in:
//
//	before  h(X) ← a(X,Y) ∧ b(Y) ∧ p(Y,Z)     h(X) ← a(X,Y) ∧ b(Y) ∧ q(Z,Y)
//	after   h(X) ← a(X,Y) ∧ b(Y) ∧ m(Y,Z)     m(Y,Z) ← p(Y,Z)     m(Y,Z) ← q(Z,Y)
//
// so that what they share is joined once, however many alternatives there are. Disjunctions,
// which become a rule for each branch, are put together again like that. Assumption: what
// they differ in does not recur on h, so that recursion keeps its shape.
type merger struct {
	theory *theory
	inside map[*relation]int // the number of its component
	made   int
}

// alternative is a rule that may be merged with others in one condition.
type alternative struct {
	rule    int     // its number
	literal int     // the condition
	vars    []int32 // of the condition
}

// mergeRules merges until no two dynamic rules differ in one dynamic condition only.
func (gr *grounder) mergeRules() error {
	th := gr.theory
	m := &merger{theory: th, inside: th.componentNumbers()}
	for m.merge(gr.pending) {
	}
	return nil
}

// merge merges what it finds and tells whether there was something.
func (m *merger) merge(pending map[*relation]bool) bool {
	th := m.theory
	groups := make(map[string][]alternative)
	var keys []string // in order of first mention
	for i, r := range th.rules {
		if !r.head.rel.dynamic || pending[r.head.rel] || len(r.body) < 2 {
			continue
		}
		for k := range r.body {
			l := &r.body[k]
			if l.op != gdl.Holds || l.implied || !l.atom.rel.dynamic || m.inside[l.atom.rel] == m.inside[r.head.rel] {
				continue
			}
			th.watch.Step()
			key, vars := m.rest(r, k)
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

// rest describes r without condition k, with its variables in the order in which they occur
// there; vars are those of the condition, in that order too.
func (m *merger) rest(r *rule, k int) (key string, vars []int32) {
	c := m.theory.terms.canonical(slices.Concat([]literal{holds(r.head)}, r.body[:k], r.body[k+1:]))
	numbers := c.numbers(r.body[k].vars())
	for _, n := range numbers {
		vars = append(vars, c.vars[n])
	}
	return c.key(numbers), vars
}

// unite is the rule that a group becomes, and the rules of what they differ in.
func (m *merger) unite(group []alternative) []*rule {
	th := m.theory
	first := th.rules[group[0].rule]
	m.made++
	rel := th.auxiliary(fmt.Sprintf("%s|%d", first.head.rel.name.name, m.made), len(group[0].vars))
	rel.dynamic = true
	m.inside[rel] = -m.made
	united := *first
	united.body = slices.Clone(first.body)
	united.body[group[0].literal] = holds(atomOf(rel, group[0].vars))
	rules := []*rule{th.terms.compact(&united)}
	for _, a := range group {
		r := th.rules[a.rule]
		rules = append(rules, th.terms.compact(&rule{head: atomOf(rel, a.vars), body: r.body[a.literal : a.literal+1], vars: r.vars, source: r.source, split: true}))
	}
	return rules
}

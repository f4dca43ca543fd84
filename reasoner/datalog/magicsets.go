package datalog

import (
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// Magic sets (Bancilhon, Maier, Sagiv, Ullman 1986) compute only the demanded tuples of a relation. A demand
// relation holds the demanded keys, in the columns bound at the uses of the relation:
//
//	before  h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← e(X,Z) ∧ p(Z,Y)
//	after   h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← asked(X) ∧ e(X,Z) ∧ p(Z,Y)
//	        asked(X) ← a(X)           asked(Z) ← asked(X) ∧ e(X,Z)
//
// Assumption: the demand of a literal is derived from literals that precede it in some order of the body. So each
// instance of a rule with a demanded head finds all its atoms.
//
// Two clients use magic sets. The demand pass (demand.go) rewrites all rules once, before grounding. The evaluator
// (magicCall) computes demanded keys of recursive relations in one position.
type magicSets struct {
	watch *guard.Watch
	terms *termTable
	// restricts reports whether the relation of a literal of r may be demanded by key.
	restricts func(r *rule, l *literal) bool
	// known reports whether a column is part of the key if its argument a is bound.
	known func(r *rule, l *literal, a arg) bool
	// table returns the key and answers of l for the bound columns; nil if the whole relation is needed.
	table func(l *literal, known []int32) *keyed
	// follows reports whether literals like l may occur in the rules that derive demand.
	follows func(l *literal) bool

	seen   map[string]bool // texts of the rules in asking
	asking []*rule
}

// keyed is a relation that is demanded by key.
type keyed struct {
	columns []int32   // of the key
	asked   *relation // the demanded keys
	answers *relation // the tuples with a demanded key
}

// key returns the literal of the demand relation for atom a.
func (k *keyed) key(a atom) literal { return positive(a.project(k.asked, k.columns)) }

// walk visits the body of r in join order, with the given columns of the head bound. visit receives the index of
// each literal and its bound columns. A restricted literal is delayed until a column of its key is bound.
func (m *magicSets) walk(r *rule, columns []int32, visit func(i int, known []int32)) {
	p := planning{watch: m.watch}.newPlanner(r)
	for _, v := range r.head.project(nil, columns).appendVars(nil) {
		p.bound[v] = true
	}
	take := func(i int) {
		l := &r.body[i]
		p.done[i] = true
		if m.restricts(r, l) {
			visit(i, m.columns(p, r, l))
		} else {
			visit(i, nil)
		}
		if l.op == gdl.Holds {
			p.bind(l)
		}
	}
	filters := func() {
		for i := range r.body {
			if !p.done[i] && p.isReady(&r.body[i]) {
				take(i)
			}
		}
	}
	filters()
	for next := m.cheapest(p, r); next >= 0; next = m.cheapest(p, r) {
		take(next)
		filters()
	}
}

// cheapest returns the open positive literal with the fewest expected matches, or -1. Restricted literals without
// a bound column come last.
func (m *magicSets) cheapest(p *planner, r *rule) int {
	var waiting []int
	for i := range r.body {
		if l := &r.body[i]; !p.done[i] && l.op == gdl.Holds && m.restricts(r, l) && len(m.columns(p, r, l)) == 0 {
			waiting = append(waiting, i)
			p.done[i] = true
		}
	}
	next := p.cheapest()
	for _, i := range waiting {
		p.done[i] = false
	}
	if next < 0 {
		return p.cheapest()
	}
	return next
}

// columns returns the columns of l that are bound.
func (m *magicSets) columns(p *planner, r *rule, l *literal) []int32 {
	var known []int32
	for c, a := range l.atom.args {
		if p.isBound(a) && (m.known == nil || m.known(r, l, a)) {
			known = append(known, int32(c))
		}
	}
	return known
}

// rewrite returns r guarded by the demand of its head, or without a guard if head is nil. It adds the rules that
// derive the demand of restricted body literals.
func (m *magicSets) rewrite(r *rule, head *keyed) *rule {
	out := *r
	out.body = slices.Clone(r.body)
	var columns []int32
	var before []literal // the literals that derive further demand
	if head != nil {
		before = append(before, head.key(r.head))
		columns, out.head.rel = head.columns, head.answers
	}
	m.walk(r, columns, func(i int, known []int32) {
		if l := &out.body[i]; m.restricts(r, l) {
			if table := m.table(l, known); table != nil {
				m.addDemand(r, table.key(l.atom), before)
				l.atom.rel = table.answers
			}
		}
		if m.follows(&out.body[i]) {
			before = append(before, out.body[i])
		}
	})
	if head != nil {
		out.body = slices.Insert(out.body, 0, head.key(r.head))
	}
	return &out
}

// addDemand adds the rule that derives a key from literals of r, unless it is a duplicate or a tautology.
func (m *magicSets) addDemand(r *rule, key literal, before []literal) {
	c := m.terms.canonical(append([]literal{key}, before...))
	text := c.key(nil)
	if m.seen[text] || len(before) > 0 && before[0].atom.rel == key.atom.rel && string(before[0].appendKey(nil)) == string(key.appendKey(nil)) {
		return
	}
	m.seen[text] = true
	m.asking = append(m.asking, m.terms.compact(&rule{head: key.atom, body: slices.Clone(before), vars: r.vars, source: r.source}))
}

package join

import (
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog/internal/rules"
)

// MagicSets computes only the demanded tuples of a relation (magic sets; Bancilhon, Maier, Sagiv, Ullman 1986). A demand
// relation holds the demanded keys, in the columns bound at the uses of the relation:
//
//	before  h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← e(X,Z) ∧ p(Z,Y)
//	after   h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← asked(X) ∧ e(X,Z) ∧ p(Z,Y)
//	        asked(X) ← a(X)           asked(Z) ← asked(X) ∧ e(X,Z)
//
// Assumption: the demand of a literal is derived from literals that precede it in some order of the body. So each
// instance of a rule with a demanded head finds all its atoms.
//
// Grounding rewrites all rules once. The Datalog machine computes demanded keys of recursive relations in one position.
type MagicSets struct {
	Watch *guard.Watch
	Terms *rules.TermTable
	// Restricts reports whether the relation of a literal of r may be demanded by key.
	Restricts func(r *rules.Rule, l *rules.Literal) bool
	// Known reports whether a column is part of the key if its argument a is bound.
	Known func(r *rules.Rule, l *rules.Literal, a rules.Arg) bool
	// Table returns the key and answers of l for the bound columns; nil if the whole relation is needed.
	Table func(l *rules.Literal, known []int32) *Keyed
	// Follows reports whether literals like l may occur in the rules that derive demand.
	Follows func(l *rules.Literal) bool

	seen   map[string]bool // texts of the rules in Asking
	Asking []*rules.Rule
}

// Keyed is a relation that is demanded by key.
type Keyed struct {
	Columns []int32         // of the key
	Asked   *rules.Relation // the demanded keys
	Answers *rules.Relation // the tuples with a demanded key
}

// Restart forgets the rules that derive demand.
func (m *MagicSets) Restart() { m.seen, m.Asking = nil, nil }

// key returns the literal of the demand relation for atom a.
func (k *Keyed) key(a rules.Atom) rules.Literal { return rules.Positive(a.Project(k.Asked, k.Columns)) }

// Walk visits the body of r in join order, with the given columns of the head bound. visit receives the index of
// each literal and its bound columns. A restricted literal is delayed until a column of its key is bound.
func (m *MagicSets) Walk(r *rules.Rule, columns []int32, visit func(i int, known []int32)) {
	p := Planning{Watch: m.Watch}.newPlanner(r)
	for _, v := range r.Head.Project(nil, columns).AppendVars(nil) {
		p.bound[v] = true
	}
	take := func(i int) {
		l := &r.Body[i]
		p.done[i] = true
		if m.Restricts(r, l) {
			visit(i, m.columns(p, r, l))
		} else {
			visit(i, nil)
		}
		if l.Op == gdl.Holds {
			p.bind(l)
		}
	}
	filters := func() {
		for i := range r.Body {
			if !p.done[i] && p.isReady(&r.Body[i]) {
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
func (m *MagicSets) cheapest(p *planner, r *rules.Rule) int {
	var waiting []int
	for i := range r.Body {
		if l := &r.Body[i]; !p.done[i] && l.Op == gdl.Holds && m.Restricts(r, l) && len(m.columns(p, r, l)) == 0 {
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
func (m *MagicSets) columns(p *planner, r *rules.Rule, l *rules.Literal) []int32 {
	var known []int32
	for c, a := range l.Atom.Args {
		if p.isBound(a) && (m.Known == nil || m.Known(r, l, a)) {
			known = append(known, int32(c))
		}
	}
	return known
}

// Rewrite returns r guarded by the demand of its head, or without a guard if head is nil. It adds the rules that
// derive the demand of restricted body literals.
func (m *MagicSets) Rewrite(r *rules.Rule, head *Keyed) *rules.Rule {
	out := *r
	out.Body = slices.Clone(r.Body)
	var columns []int32
	var before []rules.Literal // the literals that derive further demand
	if head != nil {
		before = append(before, head.key(r.Head))
		columns, out.Head.Rel = head.Columns, head.Answers
	}
	m.Walk(r, columns, func(i int, known []int32) {
		if l := &out.Body[i]; m.Restricts(r, l) {
			if table := m.Table(l, known); table != nil {
				m.addDemand(r, table.key(l.Atom), before)
				l.Atom.Rel = table.Answers
			}
		}
		if m.Follows(&out.Body[i]) {
			before = append(before, out.Body[i])
		}
	})
	if head != nil {
		out.Body = slices.Insert(out.Body, 0, head.key(r.Head))
	}
	return &out
}

// addDemand adds the rule that derives a key from literals of r, unless it is a duplicate or a tautology.
func (m *MagicSets) addDemand(r *rules.Rule, key rules.Literal, before []rules.Literal) {
	c := m.Terms.Canonical(append([]rules.Literal{key}, before...))
	text := c.Key(nil)
	if m.seen[text] || len(before) > 0 && before[0].Atom.Rel == key.Atom.Rel && string(before[0].AppendKey(nil)) == string(key.AppendKey(nil)) {
		return
	}
	if m.seen == nil {
		m.seen = make(map[string]bool)
	}
	m.seen[text] = true
	m.Asking = append(m.Asking, m.Terms.Compact(&rules.Rule{Head: key.Atom, Body: slices.Clone(before), Vars: r.Vars, Source: r.Source}))
}

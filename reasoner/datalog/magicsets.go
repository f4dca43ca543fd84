package datalog

import (
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// Magic sets (Bancilhon, Maier, Sagiv, Ullman 1986) compute a relation only as far as it is asked
// for. Beside its answers stands a relation of the keys that are asked for, in the columns that are
// known where it is used:
//
//	before  h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← e(X,Z) ∧ p(Z,Y)
//	after   h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← asked(X) ∧ e(X,Z) ∧ p(Z,Y)
//	        asked(X) ← a(X)           asked(Z) ← asked(X) ∧ e(X,Z)
//
// Assumption: what a use asks for follows from literals of its rule that come before it in some
// order; so every instance of a rule whose head is asked for finds all its atoms.
//
// It serves twice: for all possible atoms at once, before these are grounded (demand.go), and for
// recursive relations of one position, as keys are asked for (magicCall).
type magicSets struct {
	watch *guard.Watch
	terms *termTable
	// restricts tells whether the relation of a literal of r may be asked by key.
	restricts func(r *rule, l *literal) bool
	// known tells whether a column counts as known where a has been bound.
	known func(r *rule, l *literal, a arg) bool
	// table is what answers l if these columns are known; nil if its relation is needed as a whole.
	table func(l *literal, known []int32) *keyed
	// follows tells whether literals like l may decide what is asked for.
	follows func(l *literal) bool

	seen   map[string]bool // rules that ask
	asking []*rule
}

// keyed is a relation that is asked by key.
type keyed struct {
	columns []int32   // of the key
	asked   *relation // the keys
	answers *relation // the tuples with these keys
}

// key is what an atom of the relation asks for, or is asked for.
func (k *keyed) key(a atom) literal { return holds(a.project(k.asked, k.columns)) }

// walk goes through the body of r in the order of a join that knows the given columns of the
// head. It tells visit of each literal, and which of its columns are known there. A literal that
// may be asked by key waits until some are.
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

// cheapest is the open positive literal with the fewest expected matches, or -1.
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

// columns are the columns of l that are known.
func (m *magicSets) columns(p *planner, r *rule, l *literal) []int32 {
	var known []int32
	for c, a := range l.atom.args {
		if p.isBound(a) && (m.known == nil || m.known(r, l, a)) {
			known = append(known, int32(c))
		}
	}
	return known
}

// rewrite is r as it answers the keys of head, or as it is where head is nil. It adds the rules
// that ask for what r needs.
func (m *magicSets) rewrite(r *rule, head *keyed) *rule {
	out := *r
	out.body = slices.Clone(r.body)
	var columns []int32
	var before []literal // those that decide what is asked for next
	if head != nil {
		before = append(before, head.key(r.head))
		columns, out.head.rel = head.columns, head.answers
	}
	m.walk(r, columns, func(i int, known []int32) {
		if l := &out.body[i]; m.restricts(r, l) {
			if table := m.table(l, known); table != nil {
				m.ask(r, table.key(l.atom), before)
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

// ask adds the rule that asks for a key, given literals of r, unless there is one already.
func (m *magicSets) ask(r *rule, key literal, before []literal) {
	c := m.terms.canonical(append([]literal{key}, before...))
	text := c.key(nil)
	if m.seen[text] || len(before) > 0 && before[0].atom.rel == key.atom.rel && string(before[0].appendKey(nil)) == string(key.appendKey(nil)) {
		return
	}
	m.seen[text] = true
	m.asking = append(m.asking, m.terms.compact(&rule{head: key.atom, body: slices.Clone(before), vars: r.vars, source: r.source}))
}

// magicCall compiles what answers d, which is recursive, by key: the answers and the keys grow
// together, semi-naively, from every new key. The tables persist within a position, so a key costs
// work once only.
func (e *evaluator) magicCall(d *derived, columns []int32) *call {
	var todo []adorned
	tables := make(map[adornment]*keyed)
	c := &component{}
	add := func(rel *relation) *relation {
		rel.dynamic = true
		e.derived[rel] = &derived{rel: rel, component: c, lifetime: d.lifetime}
		c.members = append(c.members, e.derived[rel])
		return rel
	}
	table := func(of *derived, columns []int32) *keyed {
		key := adornment{of, packed(columns)}
		if tables[key] == nil {
			number := -int32(len(tables) + 1) // no relation of the rules or of a rewriting has one below 0
			k := &keyed{
				columns, newRelation(predicate{name: "asked " + of.rel.name.name, auxiliary: number}, len(columns)),
				newRelation(predicate{name: of.rel.name.name, shapes: of.rel.name.shapes, auxiliary: number}, of.rel.arity),
			}
			k.answers.profile, k.asked.profile = of.rel.profile, of.rel.profile.project(columns)
			add(k.answers)
			add(k.asked)
			tables[key] = k
			todo = append(todo, adorned{of, k})
		}
		return tables[key]
	}
	m := &magicSets{watch: e.meter.watch, terms: e.terms, seen: make(map[string]bool)}
	m.restricts = func(_ *rule, l *literal) bool {
		of := e.derived[l.atom.rel]
		return l.op == gdl.Holds && of != nil && of.component == d.component
	}
	m.follows = func(*literal) bool { return true }
	m.table = func(l *literal, known []int32) *keyed {
		if len(known) == 0 {
			return nil
		}
		return table(e.derived[l.atom.rel], known)
	}
	root := table(d, columns)
	var rules []*rule
	for len(todo) > 0 {
		a := todo[0]
		todo = todo[1:]
		for _, r := range a.of.rules {
			rules = append(rules, m.rewrite(r, a.keyed))
		}
	}
	c.fixpoint = e.fixpoint(append(rules, m.asking...), d.component, root.asked)
	return &call{to: e.derived[root.answers], answers: root.answers, columns: columns, asked: root.asked, magic: c}
}

// adornment is a relation and the columns by which it is asked, adorned what answers it.
type (
	adornment struct {
		of      *derived
		columns string // packed
	}
	adorned struct {
		of *derived
		*keyed
	}
)

// project is the profile of the keys of a relation.
func (p *profile) project(columns []int32) *profile {
	if p == nil {
		return nil
	}
	out := &profile{tuples: p.tuples}
	for _, c := range columns {
		out.distinct = append(out.distinct, p.distinct[c])
	}
	return out
}

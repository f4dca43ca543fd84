package datalog

import (
	"slices"

	"stackmate/gdl"
)

// Recursive relations are answered by key through magic sets (Bancilhon, Maier,
// Sagiv, Ullman 1986): beside the answers p^b, whose arguments b are known at the
// call, stands a relation of the keys that are asked for,
//
//	before  p(X,Z) ← e(X,Y) ∧ p(Y,Z)              called with X known
//	after   p^X(X,Z) ← asked(X) ∧ e(X,Y) ∧ p^X(Y,Z)
//	        asked(Y) ← asked(X) ∧ e(X,Y)
//
// and both grow together, semi-naively, from every new key. Within a position the
// tables persist, so a key costs work once only. Assumption: what the rules ask
// of relations outside of the recursion, negated or not, does not depend on it;
// stratification and the choice of the component give that.
type magic struct {
	evaluator *evaluator
	component *component // of the original relations
	tables    map[adornment]*answering
	todo      []*answering
	rules     []*rule
}

// adornment is a relation and the columns by which it is called.
type adornment struct {
	of      *derived
	columns string // packed
}

// answering is an adorned relation: its answers and the keys asked for.
type answering struct {
	of      *derived
	columns []int32
	answers *derived
	asked   *derived
}

// demand compiles what answers d, which is recursive, by key.
func (e *evaluator) demand(d *derived, columns []int32) *call {
	m := &magic{evaluator: e, component: d.component, tables: make(map[adornment]*answering)}
	root := m.table(d, columns)
	c := &component{}
	for len(m.todo) > 0 {
		a := m.todo[0]
		m.todo = m.todo[1:]
		c.members = append(c.members, a.answers, a.asked)
		for _, r := range a.of.rules {
			m.rewrite(a, r)
		}
	}
	for _, x := range c.members {
		x.component = c
		x.lifetime = d.lifetime
		e.derived[x.rel] = x
	}
	inside := insideOf{e, c, m.component}
	for _, r := range m.rules {
		c.addUses(r, inside)
	}
	return &call{to: root.answers, columns: columns, asked: root.asked.rel, demand: c}
}

// table finds or makes the adorned relation of d.
func (m *magic) table(d *derived, columns []int32) *answering {
	key := adornment{d, packed(columns)}
	a := m.tables[key]
	if a == nil {
		a = &answering{of: d, columns: columns}
		a.answers = &derived{rel: newRelation(d.rel.name, d.rel.arity)}
		a.asked = &derived{rel: newRelation(predicate{name: "asked " + d.rel.name.name}, len(columns))}
		a.answers.rel.dynamic, a.asked.rel.dynamic = true, true
		a.answers.rel.profile = d.rel.profile
		a.asked.rel.profile = d.rel.profile.project(columns)
		m.tables[key] = a
		m.todo = append(m.todo, a)
	}
	return a
}

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

// rewrite adds the rules that r becomes when it answers a. The literals are put
// into the order of a plan for the known columns, and each recursive literal asks
// for what the literals before it bind.
func (m *magic) rewrite(a *answering, r *rule) {
	seed := literal{op: gdl.Holds, atom: atom{rel: a.asked.rel}}
	for _, c := range a.columns {
		seed.atom.args = append(seed.atom.args, r.head.args[c])
	}
	out := &rule{head: atom{a.answers.rel, r.head.args}, body: []literal{seed}, vars: r.vars, source: r.source}
	bound := seed.appendVars(nil)
	for _, i := range m.order(a, r) {
		l := r.body[i]
		d := m.evaluator.derived[l.atom.rel]
		if l.op == gdl.Holds && d != nil && d.component == m.component {
			if columns := boundColumns(&l.atom, bound); len(columns) > 0 {
				l.atom.rel = m.ask(d, columns, &l.atom, out)
			} else {
				l.atom.rel = d.rel // all of it, computed beforehand
			}
		}
		out.body = append(out.body, l)
		if l.op == gdl.Holds {
			bound = l.appendVars(bound)
		}
	}
	m.rules = append(m.rules, out)
}

// ask adds the rule that asks for the known columns of x, given the body so far,
// and returns the relation of the answers.
func (m *magic) ask(d *derived, columns []int32, x *atom, sofar *rule) *relation {
	a := m.table(d, columns)
	head := atom{rel: a.asked.rel}
	for _, c := range columns {
		head.args = append(head.args, x.args[c])
	}
	m.rules = append(m.rules, &rule{head: head, body: slices.Clone(sofar.body), vars: sofar.vars, source: sofar.source})
	return a.answers.rel
}

// order lists the literals of r in the order of a plan in which the columns of a
// are known, and recursive literals come last where that is possible.
func (m *magic) order(a *answering, r *rule) []int {
	plan := newCallPlan(m.evaluator.meter.watch, r, -1, a.columns, insideOf{m.evaluator, m.component, m.component})
	var order []int
	for _, s := range plan.steps {
		if s.literal >= 0 {
			order = append(order, s.literal)
		}
	}
	return order
}

// boundColumns are the columns of x whose variables are all bound.
func boundColumns(x *atom, bound []int32) []int32 {
	var columns []int32
	for c, a := range x.args {
		known := true
		for _, v := range a.appendVars(nil) {
			known = known && slices.Contains(bound, v)
		}
		if known {
			columns = append(columns, int32(c))
		}
	}
	return columns
}

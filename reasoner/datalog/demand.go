package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// Large relations are computed only as far as they are asked for. Beside each stands a
// relation of the keys that are asked for, which its rules look into first:
//
//	before  h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← e(X,Z) ∧ p(Z,Y)
//	after   h(X) ← a(X) ∧ p(X,Y)      p(X,Y) ← asked(X) ∧ e(X,Z) ∧ p(Z,Y)
//	        asked(X) ← a(X)           asked(Z) ← asked(X) ∧ e(X,Z)
//
// These are magic sets (Bancilhon, Maier, Sagiv, Ullman 1986) over possible atoms, for
// all positions at once, with two differences. A relation has one kind of key, the
// columns that all its uses know, so it stays one relation and grounds to each atom
// once. And what is asked for only decides which atoms there are: the ground rules do
// not speak of it. Assumption: what a use asks for follows from literals of its rule
// that come before it in some order; so every instance of a rule whose head is asked
// for finds all its atoms, negated ones too.
type demand struct {
	theory  *theory
	when    threshold
	columns map[*relation][]int32 // by relation that is restricted: the columns of its key
	inside  map[*relation]int     // the number of its component
	asked   map[*relation]*relation
	seen    map[string]bool // rules that ask

	plain, guarded []*rule // the rules without and with a look at what is asked for
	forget         func()  // takes the profiles away
}

// newDemand finds the keys of the dynamic relations that may have many tuples, without
// those that are excluded. Until apply or forget it gives relations their profiles.
func (th *theory) newDemand(when threshold, exclude map[*relation]bool) *demand {
	d := &demand{theory: th, when: when, columns: make(map[*relation][]int32), inside: make(map[*relation]int)}
	for i, component := range components(th.relations, th.rulesOf(nil)) {
		for _, rel := range component {
			d.inside[rel] = i
		}
	}
	d.forget = th.estimate(th.rules)
	d.findCandidates(exclude)
	if len(d.columns) == 0 {
		return d
	}
	for d.findKeys(); d.dropUseless(); d.findKeys() {
	}
	return d
}

// findCandidates finds the relations that may be large: not those that the game is
// asked for or given, nor those of which each rule has one literal that bounds them.
// The parts of rules are among them only where they hand on what is asked for.
func (d *demand) findCandidates(exclude map[*relation]bool) {
	parts := make(map[*relation]bool)
	for _, r := range d.theory.rules {
		rel := r.head.rel
		switch {
		case !rel.dynamic || rel.size() <= d.when.above || exclude[rel] || isInterface(rel):
		case r.split:
			parts[rel] = true
		case !r.isBounded():
			d.columns[rel] = rel.all.columns
		}
	}
	for found := true; found; {
		found = false
		for _, r := range d.theory.rules {
			hands := func(l literal) bool { return l.op == gdl.Holds && d.restricts(l) }
			if rel := r.head.rel; parts[rel] && d.columns[rel] == nil && slices.ContainsFunc(r.body, hands) {
				d.columns[rel], found = rel.all.columns, true
			}
		}
	}
}

// isBounded tells whether one literal, of a relation that is not derived, binds all
// variables of the head.
func (r *rule) isBounded() bool {
	vars := r.head.appendVars(nil)
	return slices.ContainsFunc(r.body, func(l literal) bool {
		if l.op != gdl.Holds || l.atom.rel.dynamic && !isInterface(l.atom.rel) {
			return false
		}
		return covers(l.vars(), vars)
	})
}

// findKeys takes from the keys what some use does not know, until all do.
func (d *demand) findKeys() {
	for changed := true; changed; {
		changed = false
		for _, r := range d.theory.dynamicRules() {
			if !slices.ContainsFunc(r.body, d.restricts) {
				continue
			}
			d.follow(r, func(l *literal, known []int32, _ []int) {
				rel := l.atom.rel
				if both := intersect(d.columns[rel], known); len(both) < len(d.columns[rel]) {
					d.columns[rel], changed = both, true
				}
			})
		}
		maps.DeleteFunc(d.columns, func(_ *relation, c []int32) bool { return len(c) == 0 })
	}
}

// dropUseless leaves relations unrestricted of which nearly everything seems to be asked
// for, and tells whether there was one.
func (d *demand) dropUseless() bool {
	all := make(map[*relation]*profile)
	for rel := range d.columns {
		all[rel] = rel.profile
	}
	guarded, asking := d.rules()
	forget := d.theory.estimate(slices.Concat(guarded, asking))
	before := len(d.columns)
	for rel, p := range all {
		keys := 1.0 // that are asked for, of those that there are
		for i, c := range d.columns[rel] {
			keys *= min(d.relation(rel).distinct(int32(i)), p.distinct[c])
		}
		if d.when.gain*keys > p.tuples {
			delete(d.columns, rel)
		}
	}
	forget()
	d.forget = d.theory.estimate(d.theory.rules)
	return len(d.columns) < before
}

// restricts tells whether the relation of l is one of those that are restricted.
func (d *demand) restricts(l literal) bool { return d.columns[l.atom.rel] != nil }

// rulesOf lists rules by head: those of the given relations, or all with nil.
func (th *theory) rulesOf(some map[*relation]bool) map[*relation][]*rule {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if some == nil || some[r.head.rel] {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	return byHead
}

// follow goes through the body of r in the order of a join that knows the key of the
// head, and tells visit of each literal whose relation is restricted, which of its
// columns are known there, and of the literals before it.
func (d *demand) follow(r *rule, visit func(l *literal, known []int32, before []int)) {
	w := d.theory.watch
	w.step()
	p := &planner{watch: w, plan: &plan{rule: r}, bound: make([]bool, r.vars), done: make([]bool, len(r.body))}
	for _, c := range d.columns[r.head.rel] {
		for _, v := range r.head.args[c].appendVars(nil) {
			p.bound[v] = true
		}
	}
	var before []int
	take := func(i int) {
		l := &r.body[i]
		p.done[i] = true
		if d.restricts(*l) {
			visit(l, d.known(p, r, l), before)
		}
		before = append(before, i)
		if l.op == gdl.Holds {
			for _, v := range l.appendVars(nil) {
				p.bound[v] = true
			}
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
	for next := d.cheapest(p, r); next >= 0; next = d.cheapest(p, r) {
		take(next)
		filters()
	}
}

// cheapest is the open positive literal with the fewest expected matches, or -1. One
// whose relation is restricted waits until something of it is known.
func (d *demand) cheapest(p *planner, r *rule) int {
	held := make([]int, 0, len(r.body))
	for i := range r.body {
		if l := &r.body[i]; !p.done[i] && l.op == gdl.Holds && d.restricts(*l) && len(d.known(p, r, l)) == 0 {
			held = append(held, i)
			p.done[i] = true
		}
	}
	next := p.cheapest()
	for _, i := range held {
		p.done[i] = false
	}
	if next < 0 {
		return p.cheapest()
	}
	return next
}

// known are the columns of l that are bound. Function terms of a recursion do not
// count: what is asked for could grow without end.
func (d *demand) known(p *planner, r *rule, l *literal) []int32 {
	var known []int32
	for c, a := range l.atom.args {
		if p.isBound(a) && !(a.kind == compound && d.inside[l.atom.rel] == d.inside[r.head.rel]) {
			known = append(known, int32(c))
		}
	}
	return known
}

// apply adds the relations of what is asked for, and the rules that ask, and lets the
// rules of restricted relations look into them.
func (d *demand) apply() {
	th := d.theory
	var asking []*rule
	d.plain = th.rules
	d.guarded, asking = d.rules()
	th.rules = slices.Concat(d.guarded, asking)
	d.forget()
}

// rules are those of the theory, which look at what is asked for, and those that ask.
func (d *demand) rules() (guarded, asking []*rule) {
	d.seen, d.asked = make(map[string]bool), make(map[*relation]*relation)
	for _, r := range d.theory.rules {
		if r.head.rel.dynamic {
			d.follow(r, func(l *literal, _ []int32, before []int) {
				if a := d.ask(r, l, before); a != nil {
					asking = append(asking, a)
				}
			})
		}
		guarded = append(guarded, d.guard(r))
	}
	return guarded, asking
}

// close makes what was asked for part of what is known, and with it the relations that
// differ between positions in nothing else, but for those that were computed with open
// negations: they may have tuples too many. It tells whether no others do: a relation of
// which no rule that differs between positions is left is known, and so is its negation.
func (d *demand) close() (exact bool) {
	th := d.theory
	var inexact, negated []*relation
	for _, r := range d.plain {
		for i := range r.body {
			if l := &r.body[i]; isOpenNegation(l) {
				inexact, negated = append(inexact, r.head.rel), append(negated, l.atom.rel)
			}
		}
	}
	for _, rel := range th.relations {
		rel.dynamic = false
	}
	th.rules = d.plain
	th.markDynamic(inexact...)
	th.rules = d.guarded
	return !slices.ContainsFunc(negated, func(rel *relation) bool { return !rel.dynamic })
}

// relation is what is asked for of a relation.
func (d *demand) relation(of *relation) *relation {
	rel := d.asked[of]
	if rel == nil {
		rel = d.theory.auxiliary("asked "+of.name.name, len(d.columns[of]))
		rel.dynamic = true
		d.asked[of] = rel
	}
	return rel
}

// key is the atom that asks for what an atom of a restricted relation needs.
func (d *demand) key(of *atom) atom {
	return of.project(d.relation(of.rel), d.columns[of.rel])
}

// ask is the rule that asks for what l needs, given the literals before it; nil if
// there is one already, or if it asks for the key of its own head.
func (d *demand) ask(r *rule, l *literal, before []int) *rule {
	a := &rule{head: d.key(&l.atom), vars: r.vars, source: r.source}
	if d.columns[r.head.rel] != nil {
		own := d.key(&r.head)
		if own.rel == a.head.rel && slices.EqualFunc(own.args, a.head.args, sameArg) {
			return nil
		}
		a.body = append(a.body, literal{op: gdl.Holds, atom: own})
	}
	for _, i := range before {
		if !isOpenNegation(&r.body[i]) {
			a.body = append(a.body, r.body[i])
		}
	}
	a = d.theory.terms.compact(a)
	c := d.theory.terms.canonical(append([]literal{holds(a.head)}, a.body...))
	if key := c.key(nil); d.seen[key] {
		return nil
	} else {
		d.seen[key] = true
	}
	return a
}

func sameArg(a, b arg) bool {
	return a.kind == b.kind && a.id == b.id && slices.EqualFunc(a.args, b.args, sameArg)
}

// guard is r, asking first whether its head is asked for.
func (d *demand) guard(r *rule) *rule {
	if d.columns[r.head.rel] == nil {
		return r
	}
	out := *r
	out.body = append([]literal{{op: gdl.Holds, atom: d.key(&r.head)}}, r.body...)
	return &out
}

// isInterface tells whether the game is asked for a relation, or given it.
func isInterface(rel *relation) bool {
	name := rel.name.name
	return name == "true" || name == "does" || slices.ContainsFunc(outputs, func(k functorKey) bool { return k.name == name })
}

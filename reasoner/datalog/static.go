package datalog

import (
	"errors"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/scc"
)

// evaluateStatic computes the relations that depend on neither true nor does exactly. It computes one
// strongly connected component after the other, so negated relations are complete.
//
// A component with too many tuples is left pending: it and its dependents count as dynamic. Relations of
// roles and of the initial position are always computed.
func (gr *grounder) evaluateStatic() error {
	gr.markDynamic()
	gr.pending = make(map[*relation]bool)
	byHead := gr.rulesOf(func(rel *relation) bool { return !rel.dynamic })
	atOnce := gr.neededAtOnce(byHead)
	for _, component := range components(gr.relations, byHead) {
		gr.watch.Step()
		var rules []*rule
		for _, rel := range component {
			rules = append(rules, byHead[rel]...)
		}
		if len(rules) == 0 {
			continue
		}
		if slices.ContainsFunc(component, func(rel *relation) bool { return atOnce[rel] }) {
			_ = gr.joiner.fixpoint(rules)
		} else if dependsOnDynamic(rules) || !gr.joiner.tryFixpoint(rules, gr.lightly) {
			for _, rel := range component {
				rel.release()
				rel.dynamic = true
				gr.pending[rel] = true
			}
		}
		if gr.joiner.meter.err != nil {
			return gr.joiner.meter.err
		}
	}
	return nil
}

// computePending computes the pending relations that are needed, and drops the rules of other pending relations. Relations that demand
// can restrict stay pending.
func (gr *grounder) computePending() error {
	if len(gr.pending) == 0 {
		return nil
	}
	var start []*relation
	for _, rel := range gr.relations {
		if isInterface(rel) {
			start = append(start, rel)
		}
	}
	for _, r := range gr.rules {
		if !gr.pending[r.head.rel] {
			start = append(start, r.uses()...)
		}
	}
	byHead := gr.rulesOf(func(rel *relation) bool { return gr.pending[rel] })
	needed := closure(start, below(byHead))
	gr.rules = slices.DeleteFunc(gr.rules, func(r *rule) bool { return gr.pending[r.head.rel] && !needed[r.head.rel] })
	var now []*relation
	waiting := gr.canBeAsked()
	for rel := range gr.pending {
		if needed[rel] && !waiting[rel] {
			now = append(now, rel)
		}
	}
	computed := closure(now, below(byHead))
	for rel := range computed {
		rel.dynamic = rel.dynamic && !gr.pending[rel]
		delete(waiting, rel)
	}
	gr.pending = waiting
	for _, component := range components(gr.relations, byHead) {
		var rules []*rule
		for _, rel := range component {
			if computed[rel] {
				rules = append(rules, byHead[rel]...)
			}
		}
		if err := gr.joiner.fixpoint(rules); err != nil {
			return err
		}
	}
	return gr.reduce()
}

// canBeAsked returns the pending relations with a key at all uses. Negated relations are excluded, because reach
// takes negated incomplete relations as true.
func (gr *grounder) canBeAsked() map[*relation]bool {
	negated := make(map[*relation]bool)
	for _, r := range gr.rules {
		for i := range r.body {
			if l := &r.body[i]; l.op == gdl.Not && gr.pending[l.atom.rel] {
				negated[l.atom.rel] = true
			}
		}
	}
	d := gr.newDemand(gr.asking, negated)
	d.forget()
	can := make(map[*relation]bool)
	for rel := range d.columns {
		can[rel] = gr.pending[rel]
	}
	return can
}

// neededAtOnce returns the relations on which roles and the initial position depend.
func (th *theory) neededAtOnce(byHead map[*relation][]*rule) map[*relation]bool {
	var start []*relation
	for _, rel := range th.relations {
		if rel.name.name == "init" || rel.name.name == "role" {
			start = append(start, rel)
		}
	}
	return closure(start, below(byHead))
}

func dependsOnDynamic(rules []*rule) bool {
	isDynamic := func(l literal) bool { return l.isDynamic() }
	return slices.ContainsFunc(rules, func(r *rule) bool { return slices.ContainsFunc(r.body, isDynamic) })
}

// tryFixpoint is fixpoint with limits of its own on the number of tuples and on the
// work. It returns false if one was hit, having forgotten the terms made on the way.
func (j *joiner) tryFixpoint(rules []*rule, maxTuples int) bool {
	m := j.meter
	tuples, terms, limit := m.tuples, len(j.terms.head), m.limits.MaxTuples
	m.limits.MaxTuples = min(limit, tuples+maxTuples)
	m.work, m.stop = 0, eagerWork
	err := j.fixpoint(rules)
	m.limits.MaxTuples, m.stop = limit, 0
	if !errors.Is(err, ErrLimit) && !errors.Is(err, errTooMuchWork) {
		return true // the meter keeps an error of the context
	}
	m.err, m.tuples = nil, tuples
	j.terms.truncate(terms)
	return false
}

// components returns the strongly connected components of the dependency graph, dependencies first.
func components(relations []*relation, byHead map[*relation][]*rule) [][]*relation {
	number := make(map[*relation]int, len(relations))
	for i, rel := range relations {
		number[rel] = i
	}
	below := make([][]int, len(relations))
	for i, rel := range relations {
		for _, r := range byHead[rel] {
			for k := range r.body {
				if to, ok := number[r.body[k].atom.rel]; ok {
					below[i] = append(below[i], to)
				}
			}
		}
	}
	var found [][]*relation
	for _, component := range scc.Components(len(relations), func(i int) []int { return below[i] }) {
		members := make([]*relation, len(component))
		for i, n := range component {
			members[i] = relations[n]
		}
		found = append(found, members)
	}
	return found
}

// componentNumbers returns the number of each relation's strongly connected component.
func (th *theory) componentNumbers() map[*relation]int {
	inside := make(map[*relation]int)
	for i, component := range components(th.relations, th.rulesOf(nil)) {
		for _, rel := range component {
			inside[rel] = i
		}
	}
	return inside
}

// reduce removes literals that static relations make true, and rules with a literal that they make false.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (gr *grounder) reduce() error {
	if !slices.Contains(gr.without, "reduce") {
		gr.rules = slices.DeleteFunc(gr.rules, func(r *rule) bool { return r.head.rel.dynamic && !r.reduce() })
	}
	return nil
}

// reduce drops the literals of r that are known to hold; it returns false if one
// is known to fail.
func (r *rule) reduce() bool {
	var body []literal
	for _, l := range r.body {
		holds, known := l.constant()
		if known && !holds {
			return false
		}
		if !known {
			body = append(body, l)
		}
	}
	r.body = body
	return true
}

// constant returns the truth value of l, if it is known without a join.
func (l *literal) constant() (holds, known bool) {
	switch l.op {
	case gdl.Distinct, gdl.Equal:
		if l.left.kind == constant && l.right.kind == constant {
			return (l.left.id == l.right.id) == (l.op == gdl.Equal), true
		}
		return false, false
	}
	if l.atom.rel.dynamic {
		return false, false
	}
	if l.atom.rel.n == 0 {
		return l.op == gdl.Not, true
	}
	tuple := make([]int32, 0, len(l.atom.args))
	for _, a := range l.atom.args {
		if a.kind != constant {
			return false, false
		}
		tuple = append(tuple, a.id)
	}
	return (l.atom.rel.find(tuple) >= 0) == (l.op == gdl.Holds), true
}

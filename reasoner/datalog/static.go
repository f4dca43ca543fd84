package datalog

import (
	"slices"

	"stackmate/gdl"
)

// evaluateStatic computes the relations that depend on neither true nor does exactly. It computes one
// strongly connected component after the other, so negated relations are complete.
//
// A component with too many tuples is left pending: it and its dependents count as dynamic. Relations of
// roles and of the initial position are always computed.
func (gr *grounder) evaluateStatic() error {
	gr.classify()
	byHead := gr.rulesOf(func(rel *relation) bool { return !rel.isOpen() })
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
		} else if readsOpen(rules) || !gr.joiner.tryFixpoint(rules, gr.lightly) {
			for _, rel := range component {
				rel.become(pending)
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
	isPending := func(rel *relation) bool { return rel.is(pending) }
	if !slices.ContainsFunc(gr.relations, isPending) {
		return nil
	}
	var start []*relation
	for _, rel := range gr.relations {
		if rel.isInterface() {
			start = append(start, rel)
		}
	}
	for _, r := range gr.rules {
		if !isPending(r.head.rel) {
			start = append(start, r.uses()...)
		}
	}
	byHead := gr.rulesOf(isPending)
	needed := closure(start, below(byHead))
	gr.rules = slices.DeleteFunc(gr.rules, func(r *rule) bool { return isPending(r.head.rel) && !needed[r.head.rel] })
	var now []*relation
	waiting := gr.canBeAsked()
	for _, rel := range gr.relations {
		if isPending(rel) && needed[rel] && !waiting[rel] {
			now = append(now, rel)
		}
	}
	computed := closure(now, below(byHead))
	for rel := range computed {
		rel.become(static)
	}
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
			if l := &r.body[i]; l.op == gdl.Not && l.atom.rel.is(pending) {
				negated[l.atom.rel] = true
			}
		}
	}
	d := gr.newDemand(gr.asking, negated)
	d.forget()
	can := make(map[*relation]bool)
	for rel := range d.columns {
		can[rel] = rel.is(pending)
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

func readsOpen(rules []*rule) bool {
	isOpen := func(l literal) bool { return l.isOpen() }
	return slices.ContainsFunc(rules, func(r *rule) bool { return slices.ContainsFunc(r.body, isOpen) })
}

// reduce removes literals that static relations make true, and rules with a literal that they make false.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (gr *grounder) reduce() error {
	if !slices.Contains(gr.without, "reduce") {
		gr.rules = slices.DeleteFunc(gr.rules, func(r *rule) bool { return r.head.rel.isOpen() && !r.reduce() })
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
	if l.atom.rel.isOpen() {
		return false, false
	}
	if l.atom.rel.len() == 0 {
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

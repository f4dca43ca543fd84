package ground

import (
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
)

// evaluateStatic computes the relations that depend on neither true nor does exactly. It computes one
// strongly connected component after the other, so negated relations are complete.
//
// A component with too many tuples is left pending: it and its dependents are open. Relations of
// roles and of the initial position are always computed.
func (gr *grounder) evaluateStatic() error {
	gr.Classify()
	byHead := gr.RulesOf(func(rel *rules.Relation) bool { return !rel.IsOpen() })
	atOnce := neededAtOnce(gr.Theory, byHead)
	for _, component := range rules.Components(gr.Relations, byHead) {
		gr.Watch.Step()
		var list []*rules.Rule
		for _, rel := range component {
			list = append(list, byHead[rel]...)
		}
		if len(list) == 0 {
			continue
		}
		if slices.ContainsFunc(component, func(rel *rules.Relation) bool { return atOnce[rel] }) {
			_ = gr.joiner.Fixpoint(list)
		} else if readsOpen(list) || !gr.joiner.TryFixpoint(list, gr.lightly) {
			for _, rel := range component {
				rel.Become(rules.Pending)
			}
		}
		if gr.joiner.Meter.Err != nil {
			return gr.joiner.Meter.Err
		}
	}
	return nil
}

// computePending computes the pending relations that are needed, and drops the rules of other pending relations. Relations that demand
// can restrict stay pending.
func (gr *grounder) computePending() error {
	isPending := func(rel *rules.Relation) bool { return rel.Is(rules.Pending) }
	if !slices.ContainsFunc(gr.Relations, isPending) {
		return nil
	}
	var start []*rules.Relation
	for _, rel := range gr.Relations {
		if rel.IsInterface() {
			start = append(start, rel)
		}
	}
	for _, r := range gr.Rules {
		if !isPending(r.Head.Rel) {
			start = append(start, r.Uses()...)
		}
	}
	byHead := gr.RulesOf(isPending)
	needed := rules.Closure(start, rules.Below(byHead))
	gr.Rules = slices.DeleteFunc(gr.Rules, func(r *rules.Rule) bool { return isPending(r.Head.Rel) && !needed[r.Head.Rel] })
	var now []*rules.Relation
	waiting := gr.canBeAsked()
	for _, rel := range gr.Relations {
		if isPending(rel) && needed[rel] && !waiting[rel] {
			now = append(now, rel)
		}
	}
	computed := rules.Closure(now, rules.Below(byHead))
	for rel := range computed {
		rel.Become(rules.Static)
	}
	for _, component := range rules.Components(gr.Relations, byHead) {
		var rules []*rules.Rule
		for _, rel := range component {
			if computed[rel] {
				rules = append(rules, byHead[rel]...)
			}
		}
		if err := gr.joiner.Fixpoint(rules); err != nil {
			return err
		}
	}
	return gr.reduce()
}

// canBeAsked returns the pending relations with a key at all uses. Negated relations are excluded, because reach
// takes negated incomplete relations as true.
func (gr *grounder) canBeAsked() map[*rules.Relation]bool {
	negated := make(map[*rules.Relation]bool)
	for _, r := range gr.Rules {
		for i := range r.Body {
			if l := &r.Body[i]; l.Op == gdl.Not && l.Atom.Rel.Is(rules.Pending) {
				negated[l.Atom.Rel] = true
			}
		}
	}
	d := newDemand(gr.Theory, gr.asking, negated)
	d.forget()
	can := make(map[*rules.Relation]bool)
	for rel := range d.columns {
		can[rel] = rel.Is(rules.Pending)
	}
	return can
}

// neededAtOnce returns the relations on which roles and the initial position depend.
func neededAtOnce(th *rules.Theory, byHead map[*rules.Relation][]*rules.Rule) map[*rules.Relation]bool {
	var start []*rules.Relation
	for _, rel := range th.Relations {
		if rel.Name.Name == "init" || rel.Name.Name == "role" {
			start = append(start, rel)
		}
	}
	return rules.Closure(start, rules.Below(byHead))
}

func readsOpen(list []*rules.Rule) bool {
	isOpen := func(l rules.Literal) bool { return l.IsOpen() }
	return slices.ContainsFunc(list, func(r *rules.Rule) bool { return slices.ContainsFunc(r.Body, isOpen) })
}

// reduce removes literals that static relations make true, and rules with a literal that they make false.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (gr *grounder) reduce() error {
	if !slices.Contains(gr.without, "reduce") {
		gr.Rules = slices.DeleteFunc(gr.Rules, func(r *rules.Rule) bool { return r.Head.Rel.IsOpen() && !reduceRule(r) })
	}
	return nil
}

// reduceRule drops the literals of r that are known to hold; it returns false if one
// is known to fail.
func reduceRule(r *rules.Rule) bool {
	var body []rules.Literal
	for _, l := range r.Body {
		holds, known := valueOf(&l)
		if known && !holds {
			return false
		}
		if !known {
			body = append(body, l)
		}
	}
	r.Body = body
	return true
}

// valueOf returns the truth value of l, if it is known without a join.
func valueOf(l *rules.Literal) (holds, known bool) {
	switch l.Op {
	case gdl.Distinct, gdl.Equal:
		if l.Left.Kind == rules.Constant && l.Right.Kind == rules.Constant {
			return (l.Left.Id == l.Right.Id) == (l.Op == gdl.Equal), true
		}
		return false, false
	}
	if l.Atom.Rel.IsOpen() {
		return false, false
	}
	if l.Atom.Rel.Len() == 0 {
		return l.Op == gdl.Not, true
	}
	tuple := make([]int32, 0, len(l.Atom.Args))
	for _, a := range l.Atom.Args {
		if a.Kind != rules.Constant {
			return false, false
		}
		tuple = append(tuple, a.Id)
	}
	return (l.Atom.Rel.Find(tuple) >= 0) == (l.Op == gdl.Holds), true
}

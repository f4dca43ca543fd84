package ground

import (
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
)

// computePending computes the pending relations that are needed, and drops the rules of other pending relations.
// Relations that demand can restrict stay pending.
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

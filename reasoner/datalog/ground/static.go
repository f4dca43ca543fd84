package ground

import (
	"slices"

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

// neededAtOnce returns the relations on which roles and the initial position depend.
func neededAtOnce(th *rules.Theory, byHead map[*rules.Relation][]*rules.Rule) map[*rules.Relation]bool {
	var start []*rules.Relation
	for _, rel := range th.Relations {
		if rel.Name == "init" || rel.Name == "role" {
			start = append(start, rel)
		}
	}
	return rules.Closure(start, rules.Below(byHead))
}

func readsOpen(list []*rules.Rule) bool {
	isOpen := func(l rules.Literal) bool { return l.IsOpen() }
	return slices.ContainsFunc(list, func(r *rules.Rule) bool { return slices.ContainsFunc(r.Body, isOpen) })
}

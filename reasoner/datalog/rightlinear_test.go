package datalog

import (
	"slices"
	"testing"
)

// A right-linear rule is factored only if its other conditions bind the variables of the recursive literal. Valid rules
// of a rulesheet do (finding E027); rules that passes have rewritten may not.
func TestRightLinearRulesThatBindByRecursionAloneAreNotSafe(t *testing.T) {
	g := load(t, "factored", `(role x) (goal x 0) (place a) (place b) (link a b) (link b a) (init (on a)) (number 0) (number 1)
		(<= (legal x (see ?n)) (reach a ?n)) (<= (next (on ?p)) (true (on ?p))) (<= terminal (reach b 1))
		(<= (reach b ?n) (number ?n) (true (on ?p))) (<= (reach ?p ?n) (link ?p ?q) (true (on ?p)) (reach ?q ?n))`)
	gr := newGrounder(t.Context(), g, Limits{})
	at := slices.IndexFunc(gr.theory.rules, func(r *rule) bool { return r.count(r.head.rel) == 1 })
	recursive := gr.theory.rules[at]
	tail := &rightLinear{theory: gr.theory, rel: recursive.head.rel, rules: []*rule{recursive}}
	if !tail.findColumns() || !tail.isSafe() {
		t.Fatalf("columns %v are handed on, safe: %v; want the second one, and safe", tail.kept, tail.isSafe())
	}
	recursive.body = slices.DeleteFunc(recursive.body, func(l literal) bool { return l.atom.rel != nil && l.atom.rel.name.name == "link" })
	if tail.isSafe() {
		t.Error("a rule is safe without the condition that binds the place to which it goes on")
	}
}

package ground

import (
	"slices"
	"testing"

	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

// A right-linear rule is factored only if its other conditions bind the variables of the recursive literal. Valid rules
// of a rulesheet do (finding E027); rules that passes have rewritten may not.
func TestRightLinearRulesThatBindByRecursionAloneAreNotSafe(t *testing.T) {
	g := gametest.Load(t, "factored", `(role x) (goal x 0) (place a) (place b) (link a b) (link b a) (init (on a)) (number 0) (number 1)
		(<= (legal x (see ?n)) (reach a ?n)) (<= (next (on ?p)) (true (on ?p))) (<= terminal (reach b 1))
		(<= (reach b ?n) (number ?n) (true (on ?p))) (<= (reach ?p ?n) (link ?p ?q) (true (on ?p)) (reach ?q ?n))`)
	gr := newGrounder(t.Context(), g, datalog.Limits{})
	at := slices.IndexFunc(gr.Theory.Rules, func(r *rules.Rule) bool { return r.Count(r.Head.Rel) == 1 })
	recursive := gr.Theory.Rules[at]
	tail := &rightLinear{theory: gr.Theory, rel: recursive.Head.Rel, rules: []*rules.Rule{recursive}}
	if !tail.findColumns() || !tail.isSafe() {
		t.Fatalf("columns %v are handed on, safe: %v; want the second one, and safe", tail.kept, tail.isSafe())
	}
	recursive.Body = slices.DeleteFunc(recursive.Body, func(l rules.Literal) bool { return l.Atom.Rel != nil && l.Atom.Rel.Name == "link" })
	if tail.isSafe() {
		t.Error("a rule is safe without the condition that binds the place to which it goes on")
	}
}

// Moves that a role shares with another role are legal, although legal recurs on itself last and no body reads it otherwise.
func TestOutputsAreNotRewrittenAsRightLinear(t *testing.T) {
	g := gametest.Load(t, "shared", `(role a) (role b) (mate b a) (x 0) (x 1) (init (row 0)) (goal a 0) (goal b 0)
		(<= (legal a (mark ?x ?y)) (true (row ?x)) (x ?y))
		(<= (legal ?p (mark ?x ?y)) (mate ?p ?q) (legal ?q (mark ?x ?y)))
		(<= (next (row ?y)) (does b (mark ?x ?y))) (<= terminal (true (row 1)))`)
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newProgramMachine(groundBy(t, g, always))}, 1, 4)
}

// A relation is rewritten with the rules that earlier rewritings have left: the uses of a rewritten relation are replaced.
func TestRightLinearRelationsReadEachOther(t *testing.T) {
	g := gametest.Load(t, "chain", `(role x) (place a) (place b) (place c) (link a b) (link b c) (number 0) (number 1) (init (on 0)) (goal x 0)
		(<= (one ?p ?n) (link ?p ?q) (not (true (on 7))) (one ?q ?n)) (<= (one c ?n) (number ?n) (not (true (on ?n))))
		(<= (two ?p ?n) (link ?p ?q) (not (true (on 7))) (two ?q ?n)) (<= (two c ?n) (one b ?n)) (<= (two b 0) (true (on 1)) (one c 0))
		(<= (legal x (go ?n)) (two a ?n)) (<= (next (on ?n)) (does x (go ?n))) (<= terminal (true (on 7)))`)
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newProgramMachine(groundBy(t, g, always))}, 1, 4)
}

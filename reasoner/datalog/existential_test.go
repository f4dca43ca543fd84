package datalog

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

// handing draws a game of relations that pass their columns on to each other. Some relations
// read them: by constants, other domains, inequalities, fluents and negation.
func handing(t *rapid.T) string {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("(role x) (bit 0) (bit 1) (digit 0) (digit 1) (digit 2) (init (at 0)) (init (at 2)) (step 0 1) (step 1 2) (step 2 0)")
	line("(<= (p ?a ?b) (bit ?a) %s %s)", pick("domain", "(bit ?b)", "(digit ?b)"),
		pick("p looks", "(true (at 0))", "(not (true (at 1)))", "(true (at ?b))", "(distinct ?a ?b)", "(not (true (at ?a)))"))
	line("(<= (p %s) (bit ?a) (bit ?b) (q ?a %s) (q %s))", pick("head", "?a ?b", "?b ?a", "?a ?a", "1 ?b"),
		pick("given", "?b 0", "?a ?b", "1 ?b", "?a 2"), pick("also", "?b ?a 1", "?a ?b ?b", "?b ?b 1"))
	line("(<= (q ?a ?b ?c) (bit ?a) (bit ?b) %s %s)", pick("third", "(bit ?c)", "(digit ?c)"),
		pick("q looks", "(true (at 1))", "(true (at ?d))", "(p ?b ?a)", "(not (true (at ?c)))", "(step ?a ?b)"))
	line("(<= (q ?a ?b ?c) (%s ?a ?b) %s)", pick("from", "p", "step"), pick("bound", "(bit ?c)", "(digit ?c) (true (at ?c))"))
	line("(<= (legal x (go ?a)) (digit ?a) %s)", pick("uses", "(p 0 ?a)", "(p ?a ?a)", "(q 0 1 ?a)", "(q ?a ?b 1) (p 2 ?b)", "(true (at 0))"))
	line("(legal x wait)")
	line("(<= (next (at ?b)) (true (at ?a)) (step ?a ?b) %s)", pick("when", "(p 0 1)", "(q 1 1 0)", "(q ?a 0 ?b)", "(does x wait)"))
	line("(<= (next (at ?b)) (does x (go ?a)) (step ?a ?b))")
	line("(<= (goal x 100) %s)", pick("wins", "(q 0 0 0)", "(p 1 2)", "(not (p 1 1))"))
	line("(<= terminal (p 0 0) %s)", pick("ends", "(true (at 1))", "(q 1 ?b ?b)"))
	return b.String()
}

func TestFreeColumnsSayNothing(t *testing.T) {
	checkUntil(t, "columns that are free", func(t *rapid.T) bool {
		g, oracle := drawGame(t, handing)
		gr := newGrounder(t.Context(), g, Limits{})
		agree(t, []machine.Machine{oracle, newProgramMachine(grounded(t, gr))}, 1, 12)
		return made(gr, func(rel *relation) bool { return strings.HasPrefix(rel.name.name, "some ") }) > 0
	})
}

func TestConditionsThatDoubleAreGroundedOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("(role x) (legal x wait) (init (at 1)) (<= (next (at ?b)) (true (at ?a)) (step ?a ?b)) (goal x 0) (bit 0) (bit 1) (<= terminal (need1 0))")
	vars, bits := "", ""
	const depth = 22
	for i := 1; i <= depth; i++ {
		vars, bits = fmt.Sprintf("%s ?v%d", vars, i), fmt.Sprintf("%s (bit ?v%d)", bits, i)
		fmt.Fprintf(&b, "(step %d %d) (<= (need%d%s) %s (true (at %d)))", i, i+1, i, vars, bits, i)
		if i < depth {
			fmt.Fprintf(&b, "(<= (need%d%s) %s (not (true (at %d))) (need%d%s 0) (need%d%s 1))", i, vars, bits, i, i+1, vars, i+1, vars)
		}
	}
	p := ground(t, load(t, "doubling", b.String()))
	if rules := len(p.Head); rules > 100 {
		t.Errorf("%d rules, as if there were one for each row of bits", rules)
	}
}

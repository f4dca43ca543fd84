package ground

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

func TestFreeColumnsSayNothing(t *testing.T) {
	gametest.CheckUntil(t, "columns that are free", func(t *rapid.T) bool {
		g, oracle := gametest.DrawGame(t, gametest.Handing)
		gr := newGrounder(t.Context(), g, datalog.Limits{})
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(grounded(t, gr))}, 1, 12)
		return made(gr, func(rel *rules.Relation) bool { return strings.HasPrefix(rel.Name, "some ") }) > 0
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
	p := ground(t, gametest.Load(t, "doubling", b.String()))
	if rules := len(p.Head); rules > 100 {
		t.Errorf("%d rules, as if there were one for each row of bits", rules)
	}
}

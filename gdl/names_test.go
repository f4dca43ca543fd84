package gdl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
)

// Auxiliary relations have names that no rule mentions: an undefined relation has no rules in the game, and a relation of the
// rulesheet has its own rules alone.
func TestAuxiliaryRelationsHaveUnusedNames(t *testing.T) {
	var ors []string
	for i := range 10 {
		ors = append(ors, fmt.Sprintf("(or (true (f %d)) (true (g %d)))", i, i))
	}
	for name, c := range map[string]struct {
		rules string
		want  int // rules with the name as head
	}{
		"or/legal":       {"(goal p 0) (<= (legal p bad) or/legal) (<= (legal p m) " + strings.Join(ors, " ") + ")", 0},
		"goal/0":         {"(<= (goal ?r 100) (role ?r) (true b) (goal/0 ?r 0)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))", 0},
		"goal/any":       {"(<= (goal p 50) (true a)) (<= (goal p 20) (true b)) (<= (legal p m) (goal/any p 50)) (<= (legal p k) (goal p 50))", 0},
		"free/b/asked":   {"(goal p 0) (place 1) (<= (free ?x) (not (true (taken ?x)))) (<= (legal p (take ?y)) (place ?y) (free ?y)) (free/b/asked 3)", 1},
		"terminal/still": {"(goal p 0) (<= terminal (not (does p n)) (not terminal/still))", 0},
		"init/asked":     {"(goal p 0) (<= terminal (init a) init/asked)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			frame := "(role p) (role q) (init a) (legal p n) (legal q n) (<= terminal (true a)) "
			g, _ := must.Get2(gdl.LoadToPlay(t.Context(), "test", []byte(frame+c.rules)))(t)
			for _, g := range []*gdl.Game{g, g.FirstGoals()} {
				rules := slices.DeleteFunc(slices.Clone(g.Rules), func(r gdl.Rule) bool { return r.Head.Name != name })
				if len(rules) != c.want {
					t.Errorf("%d rules, want %d: %v", len(rules), c.want, rules)
				}
			}
		})
	}
}

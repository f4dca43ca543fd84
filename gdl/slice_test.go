package gdl_test

import (
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
)

func TestTheSliceOfAGame(t *testing.T) {
	const common = `(role r) (legal r a) (legal r b) (goal r 100) (init (n 0)) (succ 0 1)
		(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 1)))
		(init (s 0)) (<= (next (s ?x)) (true (s ?x)) (does r a)) `
	for name, c := range map[string]struct {
		more     string
		keeps    bool // the rules of s
		everyone bool // nothing is left out
	}{
		"nobody asks":               {"", false, false},
		"somebody asks":             {"(<= (legal r c) (p 0)) (<= (p ?x) (true (s ?x)))", true, true},
		"somebody asks for all":     {"(<= (legal r c) (true ?f) (distinct ?f (n 0)))", true, true},
		"only what nobody asks for": {"(<= (next (t ?x)) (true (s ?x)))", false, false},
		"a fluent that is asked":    {"(<= (next (n ?x)) (true (s ?x)))", true, true},
		"negated":                   {"(<= (legal r c) (not (true (s 1))))", true, true},
		"a rule for all fluents":    {"(<= (next ?f) (keeps ?f) (true ?f)) (keeps (n 0))", true, true},
		"one that asks for others":  {"(<= (next ?f) (true ?g) (leads ?g ?f)) (leads (s 0) (n 1))", true, true},
		"another arity":             {"(<= (legal r c) (true (s 1 1)))", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := must.Get2(gdl.Load(t.Context(), name, []byte(common+c.more)))(t)
			got, left := g.Slice("legal", "goal", "terminal")
			var text strings.Builder
			for _, r := range got.Rules {
				text.WriteString(r.Head.String() + "\n")
			}
			if keeps := strings.Contains(text.String(), "(next (s "); keeps != c.keeps || left == c.everyone {
				t.Errorf("keeps %v, left out %v; rules of\n%s", keeps, left, text.String())
			}
			for _, head := range []string{"(legal r a)", "(goal r 100)", "terminal", "(next (n ", "(init (n 0))", "(role r)"} {
				if !strings.Contains(text.String(), head) {
					t.Errorf("no %s in\n%s", head, text.String())
				}
			}
		})
	}
}

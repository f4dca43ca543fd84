package gdl

import (
	"fmt"
	"testing"

	"stackmate/internal/must"
)

func TestDigestsTellRulesApartAndNotTheirLayout(t *testing.T) {
	digest := func(src string) string {
		g, _ := must.Get2(Load(t.Context(), "game", []byte(src)))(t)
		return g.ExactDigest()
	}
	const valid = `(role a) (init (s 1)) (<= (legal a (go ?x)) (true (s ?x)) (distinct ?x 2)) (<= (next (s 2)) (does a (go 1))) (<= terminal (true (s 2))) (goal a 100)`
	same := digest("; a comment\n(ROLE a)\n(init (s 1))(<= (legal a (go ?x)) (true (s ?x)) (distinct ?x 2))\n(<= (next (s 2)) (does a (go 1))) (<= terminal (true (s 2))) (goal a 100)")
	if len(same) != 64 || digest(valid) != same {
		t.Errorf("layout changes the digest: %s and %s", digest(valid), same)
	}
	const other = `(role a) (init (s 1)) (<= (legal a (go ?x)) (true (s ?x)) (not (true (s 2)))) (<= (next (s 2)) (does a (go 1))) (<= terminal (true (s 2))) (goal a 100)`
	if digest(other) == same {
		t.Error("other rules have the same digest")
	}
	const pair = "(role r) (legal r a) (legal r A) (init (n 0)) (<= (next (n 1)) (does r %s)) (<= terminal (true (n 1))) (goal r 0)"
	if digest(fmt.Sprintf(pair, "a")) == digest(fmt.Sprintf(pair, "A")) {
		t.Error("games that differ in the case of a symbol have the same digest")
	}
}

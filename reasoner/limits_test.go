package reasoner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// tooMany is a game in which a move makes a million fluents true; more are rules.
func tooMany(more string) string {
	var b strings.Builder
	b.WriteString(`(role r) (legal r a) (legal r b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
		(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 3)))
		(<= (next (s ?a ?b ?c)) (d ?a) (d ?b) (d ?c) (not (true (s ?c ?b ?a))) (does r a)) `)
	for i := range 200 {
		fmt.Fprintf(&b, "(d %d) ", i)
	}
	return b.String() + more
}

func TestAPositionThatDoesNotFitIsNoFaultOfTheGame(t *testing.T) {
	for name, more := range map[string]string{
		"its legal moves": "(goal r 100) (<= (legal r c) (true (s 1 2 3)))",
		"its end":         "(goal r 100) (<= terminal (true (s 0 0 1)))",
		"its goals":       "(<= (goal r 100) (true (s 1 1 1))) (<= (goal r 50) (not (true (s 1 1 1))))",
	} {
		g := readRules(t, name, tooMany(more))
		m := newMachine(t, g, reasoner.Options{Engine: "datalog", Memory: exhaustive.Choose[int64](24<<20, 64<<20)})
		if counts, err := machine.Perft(t.Context(), m, m.Initial(), 3); !errors.Is(err, machine.ErrLost) {
			t.Errorf("%s are not known: %+v, %v; want %v", name, counts, err, machine.ErrLost)
		}
	}
}

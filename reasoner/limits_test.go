package reasoner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/trace"
	"stackmate/reasoner/wellformed"
)

// tooMany returns a game in which a move makes a million fluents true, with further rules.
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

func TestFluentsThatNobodyAsksForDoNotStopAGame(t *testing.T) {
	g := readRules(t, "slice", tooMany("(goal r 100) (base (s 1 2 3)) (base (n 0)) (base (n 1)) (base (n 2)) (base (n 3))"))
	engines := []string{"auto"}
	if exhaustive.On() {
		engines = append(engines, "datalog")
	}
	for _, engine := range engines {
		m := newMachine(t, g, reasoner.Options{Engine: engine, Memory: 256 << 20})
		if reason := m.Info().Reason; !strings.Contains(reason, "without fluents") {
			t.Errorf("%s: the reason %q says nothing of it", engine, reason)
		}
		counts, err := play.Perft(t.Context(), m, m.Initial(), 3)
		if err != nil || counts[1].JointMoves != 4 || counts[2].JointMoves != 8 || counts[2].Terminals != 8 {
			t.Errorf("%s: %+v, %v", engine, counts, err)
		}
		s, err := m.Names().State([]string{"(n 0)", "(s 1 2 3)"})
		if err != nil || !s.Equal(m.Initial()) {
			t.Errorf("%s: a fluent that is left out: %v, %v", engine, s, err)
		}
		if _, err := m.Names().State([]string{"(t 1)"}); engine == "auto" && err == nil {
			t.Errorf("%s: a fluent that there is not is taken for one", engine)
		}
		match := &trace.Match{
			Roles: []string{"r"}, Final: trace.Final{State: []string{"(n 1)", "(s 1 2 3)"}},
			Steps: []trace.Step{{State: []string{"(n 0)"}, Legal: [][]string{{"a", "b"}}, Joint: []string{"a"}}},
		}
		if err := trace.Replay(m, match); err != nil {
			t.Errorf("%s: a record of all fluents: %v", engine, err)
		}
		if match.Final.State[1] = "(t 1 2 3)"; trace.Replay(m, match) == nil {
			t.Errorf("%s: a record with a fluent that there is not is replayed", engine)
		}
		report, err := wellformed.Simulate(t.Context(), g, m, wellformed.Options{Matches: 2})
		if err != nil || len(report.Faults) != 0 {
			t.Errorf("%s: %v, %v", engine, report.Faults, err)
		}
	}
}

func TestAPositionThatDoesNotFitIsNoFaultOfTheGame(t *testing.T) {
	for name, more := range map[string]string{
		"its legal moves": "(goal r 100) (<= (legal r c) (true (s 1 2 3)))",
		"its end":         "(goal r 100) (<= terminal (true (s 0 0 1)))",
		"its goals":       "(<= (goal r 100) (true (s 1 1 1))) (<= (goal r 50) (not (true (s 1 1 1))))",
	} {
		g := readRules(t, name, tooMany(more))
		m := newMachine(t, g, reasoner.Options{Engine: "datalog", Memory: exhaustive.Choose[int64](24<<20, 64<<20)})
		if counts, err := play.Perft(t.Context(), m, m.Initial(), 3); !errors.Is(err, machine.ErrLost) {
			t.Errorf("%s are not known: %+v, %v; want %v", name, counts, err, machine.ErrLost)
		}
	}
}

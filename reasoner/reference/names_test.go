package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// fork is a game whose second position depends on the first move.
const fork = `(role p) (init (at 0)) (succ 0 1) (succ 1 2)
	(legal p stay) (<= (legal p (go ?y)) (true (at ?x)) (succ ?x ?y))
	(<= (next (at ?y)) (does p (go ?y))) (<= (next (at ?x)) (does p stay) (true (at ?x)))
	(<= terminal (true (at 2))) (goal p 0)`

// named makes the machine of fork with the fluents and moves of others.
func named(t *testing.T, names *machine.Names) (machine.Machine, error) {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), "test", []byte(fork))
	if err != nil {
		t.Fatal(err)
	}
	return reference.NewWithNames(g, names)
}

func TestGivenNamesAreKeptInTheirOrder(t *testing.T) {
	names := &machine.Names{
		Roles: []string{"p"}, Fluents: []string{"(at 2)", "(at 0)", "(at 1)"},
		Moves: [][]string{{"stay", "(go 2)", "(go 1)"}},
	}
	m, err := named(t, names)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append(names.Fluents, reference.Outside), m.Names().Fluents); d != "" {
		t.Errorf("fluents, -want +got:\n%s", d)
	}
	want := position{"(at 1)", false, []string{"stay (go 2)"}, []int32{0}}
	if d := cmp.Diff(want, look(m, after(t, m, m.Initial(), "(go 1)"))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestFluentsAndMovesThatTheNamesLackShow(t *testing.T) {
	m, err := named(t, &machine.Names{
		Roles: []string{"p"}, Fluents: []string{"(at 0)"}, Moves: [][]string{{"(go 1)"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := position{"(at 0)", false, []string{"(go 1) " + reference.Outside}, []int32{0}}
	if d := cmp.Diff(want, look(m, m.Initial())); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got := look(m, after(t, m, m.Initial(), "(go 1)")).Fluents; got != reference.Outside {
		t.Errorf("fluents %q, want %q", got, reference.Outside)
	}
}

func TestNamesOfAnotherGameAreRefused(t *testing.T) {
	for problem, names := range map[string]*machine.Names{
		"other roles": {Roles: []string{"q"}, Moves: [][]string{{}}},
		"no term":     {Roles: []string{"p"}, Moves: [][]string{{"(go"}}},
	} {
		if _, err := named(t, names); err == nil {
			t.Errorf("%s: no error", problem)
		}
	}
}

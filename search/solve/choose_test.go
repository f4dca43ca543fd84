package solve_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

func TestWhatASearchMeetsCorrectsTheChoice(t *testing.T) {
	atOnce := fmt.Errorf("a position: %w", search.ErrNotSequential)
	otherSum := fmt.Errorf("a position: %w", search.ErrNotZeroSum)
	turns := solve.Class{Players: 2, ConstantSum: true}
	simultaneous := solve.Class{Players: 2, ConstantSum: true, Simultaneous: true}
	for name, test := range map[string]struct {
		class solve.Class
		err   error
		want  []string
	}{
		"two choose at once after all":     {turns, atOnce, []string{solve.SimultaneousAlphaBeta}},
		"no constant sum after all":        {turns, otherSum, nil},
		"no constant sum, at once":         {simultaneous, otherSum, nil},
		"nothing left":                     {simultaneous, atOnce, nil},
		"an error that says nothing of it": {turns, machine.ErrStuck, nil},
	} {
		class, methods := solve.Instead(test.class, test.err)
		if !slices.Equal(methods, test.want) {
			t.Errorf("%s: %v, want %v", name, methods, test.want)
		}
		if methods != nil && !slices.Equal(methods, solve.Choose(class)) {
			t.Errorf("%s: %v, but %v for its class", name, methods, solve.Choose(class))
		}
	}
}

func TestEveryMethodThatIsChosenSolvesGamesOfItsClass(t *testing.T) {
	roles := []string{"a", "b"}
	for _, test := range []struct {
		class solve.Class
		game  toys.Wide
	}{
		{solve.Class{Players: 1, ConstantSum: true}, toys.Wide{Roles: roles[:1], Moves: []int{3}, Depth: 5}},
		{solve.Class{Players: 2, ConstantSum: true}, toys.Wide{Roles: roles, Moves: []int{3, 3}, Depth: 4, InTurn: true}},
		{solve.Class{Players: 2, ConstantSum: true, Chance: true}, toys.Wide{Roles: []string{"a", "b", machine.RandomRole}, Moves: []int{3, 3, 1}, Depth: 4, InTurn: true}},
		{solve.Class{Players: 2, ConstantSum: true, Simultaneous: true}, toys.Wide{Roles: roles, Moves: []int{3, 3}, Depth: 3}},
	} {
		m := test.game.Machine()
		methods := solve.Choose(test.class)
		if len(methods) == 0 {
			t.Errorf("%s: nothing chosen", test.class)
		}
		for _, method := range methods {
			switch method {
			case solve.Plans: // toys have no rules to read; see reasoner/prove_test.go
				continue
			case solve.ThreatSpace: // finds some wins; see search/sequential/threats_test.go
				continue
			}
			s, err := solve.NewSearcher(method, solve.Default())
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{}); err != nil || !r.Solved() {
				t.Errorf("%s by %s: %v, error %v", test.class, method, r.Values, err)
			}
		}
	}
}

func TestAutoSaysThatGamesOfThreeHaveNoValue(t *testing.T) {
	m := toys.Wide{Roles: []string{"a", "b", "c"}, Moves: []int{2, 2, 2}, Depth: 2}.Machine()
	if _, err := solver(t, solve.Options{Method: solve.Auto}).Solve(t.Context(), m, nil); !errors.Is(err, search.ErrNotZeroSum) {
		t.Errorf("error %v, want %v", err, search.ErrNotZeroSum)
	} else if !strings.Contains(err.Error(), solve.Lattice) {
		t.Errorf("%v: no method is named for such games", err)
	}
}

func TestAutoNamesMethodsForGoalsOfOtherSums(t *testing.T) {
	m := toys.Bimatrix([][][2]int32{{{100, 100}}, {{100, 30}}}).Machine()
	for _, method := range []string{solve.Auto, solve.BoundedAlphaBeta} {
		_, err := solver(t, solve.Options{Method: method}).Solve(t.Context(), m, nil)
		if !errors.Is(err, search.ErrNotZeroSum) || !strings.Contains(err.Error(), solve.Paranoid) {
			t.Errorf("%s: error %v, want one that names %s", method, err, solve.Paranoid)
		}
	}
}

func TestPlansAreFoundWithoutSymmetries(t *testing.T) {
	o := solve.Default()
	o.Symmetries = solve.Off
	s, err := solve.NewSearcher(solve.Plans, o)
	if err != nil {
		t.Fatal(err)
	}
	m := gamestest.Machine(t, "slidingPuzzle-2x2-5")
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Unfinished != nil || r.Values[0] != (search.Interval{Lower: 100, Upper: 100}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhereTheMachineKnowsNoPlansTheirSearchProvesNothing(t *testing.T) {
	m := toys.Wide{Roles: []string{"a"}, Moves: []int{3}, Depth: 5}.Machine()
	s, err := solve.NewSearcher(solve.Plans, solve.Default())
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Unfinished == nil || r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) || r.Line != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

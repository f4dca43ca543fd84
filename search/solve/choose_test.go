package solve_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
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
		"an error that says nothing of it": {turns, play.ErrStuck, nil},
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
			s := must.Get(solve.NewSearcher(method, solve.Default()))(t)
			if r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{}); err != nil || !r.Solved() {
				t.Errorf("%s by %s: %v, error %v", test.class, method, r.Values, err)
			}
		}
	}
}

// Each role of three chooses at once, and its guarantee is the one in pure strategies.
func TestAutoFindsGuaranteesOfMoreThanTwoRoles(t *testing.T) {
	for _, test := range []struct {
		game    toys.Wide
		concept search.Concept
		method  string
	}{
		{toys.Wide{Roles: []string{"a", "b", "c"}, Moves: []int{2, 2, 2}, Depth: 2}, search.PureGuarantee, solve.Lattice},
		{toys.Wide{Roles: []string{"a", "b", "c"}, Moves: []int{2, 2, 2}, Depth: 2, InTurn: true}, search.Guarantee, solve.Paranoid},
	} {
		s, err := solver(t, solve.Options{Method: solve.Auto}).Solve(t.Context(), test.game.Machine(), nil)
		if err != nil || s.Concept != test.concept || s.Method != test.method || !s.Solved {
			t.Errorf("in turns %t: %+v, error %v; want a %s by %s", test.game.InTurn, s, err, test.concept, test.method)
		}
	}
	atOnce := toys.Wide{Roles: []string{"a", "b", "c", machine.RandomRole}, Moves: []int{2, 2, 2, 2}, Depth: 2}.Machine()
	if _, err := solver(t, solve.Options{Method: solve.Auto}).Solve(t.Context(), atOnce, nil); !errors.Is(err, search.ErrNotZeroSum) || !strings.Contains(err.Error(), solve.MonteCarlo) {
		t.Errorf("three roles at once with chance: error %v, want one that names %s", err, solve.MonteCarlo)
	}
}

// Other methods are named only where the class of the game is the reason of the error.
func TestFaultsOfTheRulesNameNoOtherMethods(t *testing.T) {
	for name, c := range map[string]struct {
		rules, method string
		want          error
		text          string
	}{
		"no legal move": {`(role x) (init (s 0)) (<= (legal x ?m) (true (s 0)) (move ?m)) (move a) (move b) (<= (next (s ?m)) (does x ?m))
			(<= terminal (true (s b))) (goal x 50)`, solve.BoundedAlphaBeta, play.ErrStuck, "no legal move"},
		"two goals at an end of a puzzle": {
			`(role x) (init (s 0)) (<= (legal x ?m) (true (s 0)) (move ?m)) (move a) (move b) (<= (next (s ?m)) (does x ?m))
			(<= terminal (true (s ?m)) (distinct ?m 0)) (<= (goal x 50) (true (s a))) (<= (goal x 40) (true (s b))) (<= (goal x 30) (true (s b)))`,
			solve.Plans, search.ErrGoals, "x has no such goal, or several",
		},
		"no player": {
			`(role random) (init a) (legal random l) (<= (next b) (does random l)) (<= terminal (true b)) (goal random 0)`,
			solve.BoundedAlphaBeta, nil, "expected a role besides random",
		},
	} {
		s := solver(t, solve.Options{Method: c.method})
		_, err := s.Solve(t.Context(), gamestest.Compiled(t, c.rules), nil)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), solve.MonteCarlo) {
			t.Errorf("%s: error %v, want %q", name, err, c.text)
		}
	}
	alone := gamestest.Compiled(t, `(role random) (init a) (legal random l) (<= (next b) (does random l)) (<= terminal (true b)) (goal random 0)`)
	s := solver(t, solve.Options{Method: solve.MonteCarlo})
	solution := must.Get(s.Solve(t.Context(), alone, nil))(t)
	if _, err := s.Answers(alone, solution); err == nil || !strings.Contains(err.Error(), "besides random") {
		t.Errorf("strategies of a game without a player: error %v", err)
	}
}

// Every method names the concept of its values in a general-sum game, and none calls them the value of the game.
func TestNoMethodFindsTheValueOfAGameOfGeneralSum(t *testing.T) {
	hidden := &toys.Tree{Roles: []string{"x", "o"}, Nodes: []toys.Node{ // o ends the game, or both get 100
		{Moves: []int{1, 2}, Kids: []int{1, 2}},
		{Goals: []int32{0, 20}},
		{Moves: []int{1, 2}, Kids: []int{3, 3}},
		{Goals: []int32{100, 100}},
	}}
	for method, want := range map[string]struct {
		concept search.Concept
		x, o    float64
	}{
		solve.Auto:             {search.Equilibrium, 100, 100},
		solve.Equilibrium:      {search.Equilibrium, 100, 100},
		solve.BoundedAlphaBeta: {search.Guarantee, 0, 100},
		solve.DepthFirst:       {search.Guarantee, 0, 100},
		"bi":                   {search.Guarantee, 0, 100},
		"smab":                 {search.Guarantee, 0, 100},
		"biab":                 {search.Guarantee, 0, 100},
		"do":                   {search.Guarantee, 0, 100},
		solve.Paranoid:         {search.Guarantee, 0, 100},
		solve.Lattice:          {search.Guarantee, 0, 100},
		solve.MaxN:             {search.Equilibrium, 100, 100},
	} {
		s, err := solver(t, solve.Options{Method: method, Table: solve.On, Moves: "dynamic"}).Solve(t.Context(), hidden.Machine(), nil)
		x, o := [2]float64{want.x, want.x}, [2]float64{want.o, want.o}
		if err != nil || s.Concept != want.concept || s.Value["x"] != x || s.Value["o"] != o {
			t.Errorf("%s: %s %v, error %v; want the %s %v", method, s.Concept, s.Value, err, want.concept, want)
		}
	}
	for _, method := range []string{solve.Layers, solve.ThreatSpace, solve.MonteCarlo} { // proves nothing false
		s, err := solver(t, solve.Options{Method: method, Table: solve.On}).Search(t.Context(), hidden.Machine(), machine.State{0}, search.Limits{MaxNodes: 100})
		if err == nil && s.Proved && (s.Concept == search.Value || s.Values[1].Upper < 100 || s.Values[0].Lower > 0) {
			t.Errorf("%s: %s %v", method, s.Concept, s.Values)
		}
	}
}

func TestPlansAreFoundWithoutSymmetries(t *testing.T) {
	o := solve.Default()
	o.Symmetries = solve.Off
	s := must.Get(solve.NewSearcher(solve.Plans, o))(t)
	m := gamestest.Machine(t, "slidingPuzzle-2x2-5")
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Unfinished != nil || r.Values[0] != (search.Interval{Lower: 100, Upper: 100}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhereTheMachineKnowsNoPlansTheirSearchProvesNothing(t *testing.T) {
	m := toys.Wide{Roles: []string{"a"}, Moves: []int{3}, Depth: 5}.Machine()
	s := must.Get(solve.NewSearcher(solve.Plans, solve.Default()))(t)
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Unfinished == nil || r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) || r.Line != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

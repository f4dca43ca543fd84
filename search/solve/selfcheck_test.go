package solve_test

import (
	"errors"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/reference"
	"stackmate/search"
	"stackmate/search/solve"
)

// choice returns a move of left, then one of right, whose ends have the goals of left given.
func choice(goals ...int32) *toys.Tree {
	t := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Moves: []int{1, 2}, Kids: []int{3, 4}}, {Moves: []int{1, 2}, Kids: []int{5, 6}},
	}}
	for _, g := range goals {
		t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{g, 100 - g}})
	}
	return t
}

// Faults are planted in the machine of the search, and in the claims of the solution.
func TestSelfCheckFindsPlantedFaults(t *testing.T) {
	shorter := choice(30, 60, 20, 90)
	shorter.Nodes[2] = toys.Node{Goals: []int32{20, 80}}
	narrow := choice(30, 60, 20, 90)
	narrow.Nodes[1] = toys.Node{Moves: []int{1, 1}, Kids: []int{4}}
	claims := func(left float64) func(*solve.Solution) {
		return func(s *solve.Solution) {
			s.Result.Values = []search.Interval{search.Exact(left), search.Exact(100 - left)}
			s.Value = map[string][2]float64{"left": {left, left}, "right": {100 - left, 100 - left}}
		}
	}
	for name, c := range map[string]struct {
		searched *toys.Tree
		change   func(*solve.Solution)
		want     string // part of the contradiction; empty if there is none
	}{
		"no fault":           {choice(30, 60, 20, 90), func(*solve.Solution) {}, ""},
		"a wrong goal":       {choice(70, 60, 20, 90), func(*solve.Solution) {}, "the rules [30 70]"},
		"an early end":       {shorter, func(*solve.Solution) {}, "terminal position: true, the rules: false"},
		"a move too few":     {narrow, func(*solve.Solution) {}, "legal moves [m0] of right"},
		"too high a value":   {choice(30, 60, 20, 90), claims(60), "points"},
		"too low a value":    {choice(30, 60, 20, 90), claims(10), "points"},
		"an unsolved result": {choice(70, 60, 20, 90), func(s *solve.Solution) { s.Solved = false }, ""},
	} {
		solver := solver(t, solve.Options{Method: solve.BoundedAlphaBeta, Table: solve.On})
		m := c.searched.Machine()
		s, err := solver.Solve(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		err = solver.SelfCheck(t.Context(), m, choice(30, 60, 20, 90).Machine(), s)
		var wrong *solve.Contradiction
		if errors.As(err, &wrong) != (c.want != "") || wrong != nil && !strings.Contains(wrong.What, c.want) {
			t.Errorf("%s: %v, want a contradiction with %q", name, err, c.want)
		}
	}
}

func TestSelfCheckFindsNoFaultInRightSolutions(t *testing.T) {
	for _, game := range []string{"ticTacToe", "goofspiel-4", "pig-4-2", "nim-2.3.3", "slidingPuzzle-2x2-5", "prisonersDilemma", "trio-3x3"} {
		solver := solver(t, solve.Options{Method: solve.Auto, Table: solve.On})
		m := gamestest.Machine(t, game)
		s, err := solver.Solve(t.Context(), m, nil)
		if err != nil || !s.Solved {
			t.Fatalf("%s: %+v, error %v", game, s, err)
		}
		second := must.Get(reference.New(t.Context(), gamestest.Rules(t, game)))(t)
		if err := solver.SelfCheck(t.Context(), m, second, s); err != nil {
			t.Errorf("%s: %v", game, err)
		}
	}
}

package montecarlo

import (
	"math"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// completed returns the result of a search without a limit, which ends by itself.
func completed(t *testing.T, m machine.Machine, workers int) search.Result {
	t.Helper()
	r, err := New(Config{Rule: RegretMatching, Workers: workers}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestASearchEndsWhereNothingIsLeftToSearch(t *testing.T) {
	for name, want := range map[string]float64{"matchingPennies": 50, "rockPaperScissors": 50, "goofspiel-4": 50} {
		m := gamestest.Machine(t, name)
		for _, workers := range []int{1, 2} {
			r := completed(t, m, workers)
			if r.Proved || r.Unfinished == nil || math.Abs(r.Values[0].Lower-want) > 1e-6 {
				t.Errorf("%s, %d workers: %v, proved %v, unfinished %v; want %g", name, workers, r.Values, r.Proved, r.Unfinished, want)
			}
		}
	}
}

func TestTheStrategiesOfACompleteTreeAreInEquilibrium(t *testing.T) {
	m := toys.Matrix([][]int32{{20, 100}, {70, 0}}) // 20x + 70(1-x) = 100x: x = 70/150
	for _, workers := range []int{1, 2} {
		r := completed(t, m.Machine(), workers)
		if x := r.Strategies[0]; len(x) != 2 || math.Abs(x[0].Probability-70./150) > 1e-6 || math.Abs(r.Values[0].Lower-7000./150) > 1e-6 {
			t.Errorf("left plays %v for %v", x, r.Values)
		}
	}
}

func TestACompleteTreeOfGeneralSumTakesTheBestMove(t *testing.T) {
	g := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}},
		{Moves: []int{1, 2}, Kids: []int{3, 4}},
		{Moves: []int{1, 2}, Kids: []int{5, 6}},
		{Goals: []int32{90, 10}},
		{Goals: []int32{30, 20}},
		{Goals: []int32{40, 80}},
		{Goals: []int32{100, 0}},
	}}
	r := completed(t, g.Machine(), 1)
	if s := r.Strategies[0]; len(s) != 1 || s[0].Move != 1 {
		t.Errorf("left plays %v for %v, want move 1 for 40", s, r.Values)
	}
	if r.Unfinished == nil || strings.Contains(r.Unfinished.Error(), "simultaneous") {
		t.Errorf("the reason of an unfinished search by turns: %v", r.Unfinished)
	}
}

func TestACompleteTreeHasTheMeanOverChance(t *testing.T) {
	// Chance draws one of two matrix games of value 50 and 7000/150.
	g := &toys.Tree{Roles: []string{"left", "right", machine.RandomRole}, Nodes: []toys.Node{
		{Moves: []int{1, 1, 2}, Kids: []int{1, 2}},
		{Moves: []int{2, 2, 1}, Kids: []int{3, 4, 4, 3}},
		{Moves: []int{2, 2, 1}, Kids: []int{5, 3, 6, 4}},
		{Goals: []int32{100, 0, 0}},
		{Goals: []int32{0, 100, 0}},
		{Goals: []int32{20, 80, 0}},
		{Goals: []int32{70, 30, 0}},
	}}
	r := completed(t, g.Machine(), 1)
	if want := (50 + 7000./150) / 2; math.Abs(r.Values[0].Lower-want) > 1e-6 {
		t.Errorf("values %v, want %g", r.Values, want)
	}
}

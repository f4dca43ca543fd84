package search_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestTheGuessIsTheEstimateElseTheMiddle(t *testing.T) {
	wide := search.Interval{Lower: 20, Upper: 80}
	for name, c := range map[string]struct {
		result search.Result
		want   float64
	}{
		"an estimate":           {search.Result{Values: []search.Interval{wide}, Estimates: []float64{70}}, 70},
		"no estimate":           {search.Result{Values: []search.Interval{wide}}, 50},
		"a value beats a guess": {search.Result{Values: []search.Interval{search.Exact(30)}, Estimates: []float64{70}}, 30},
	} {
		if got := c.result.Guess(0); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestIntervalsMeetTurnRoundAndHoldANumber(t *testing.T) {
	a, b := search.Interval{Lower: 10, Upper: 60}, search.Interval{Lower: 40, Upper: 90}
	if got := a.Meet(b); got != (search.Interval{Lower: 40, Upper: 60}) || b.Meet(a) != got {
		t.Errorf("%v and %v meet in %v", a, b, got)
	}
	if got := a.Opposite(100); got != (search.Interval{Lower: 40, Upper: 90}) {
		t.Errorf("the other player has %v of 100 beside %v", got, a)
	}
	for v, want := range map[float64]float64{0: 10, 10: 10, 33: 33, 61: 60} {
		if got := a.Clamp(v); got != want {
			t.Errorf("%g in %v: %g, want %g", v, a, got, want)
		}
	}
}

// claims maps positions of a toy to the moves that a solution claims for role 0; other positions have no claim.
type claims map[uint64]machine.Move

func (c claims) At(_ context.Context, q machine.State) (search.Claim, error) {
	move, ok := c[q[0]]
	if !ok {
		return search.Claim{}, errNoClaim
	}
	return search.Claim{Strategies: [][]search.Weighted{{{Move: 1 - move, Probability: 0.3}, {Move: move, Probability: 0.7}}}}, nil
}

var errNoClaim = errors.New("no claim")

func TestALineFollowsTheMostProbableMovesUntilItRepeats(t *testing.T) {
	tree := toys.Tree{Roles: []string{"x", "y"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}},
		{Moves: []int{1, 1}, Kids: []int{0}},
		{Moves: []int{2, 1}, Kids: []int{3, 0}},
		{Goals: []int32{100, 0}},
	}}
	for name, c := range map[string]struct {
		solution claims
		line     [][]machine.Move
		over     bool
		err      error
	}{
		"to the end": {claims{0: 1, 2: 0}, [][]machine.Move{{1, 0}, {0, 0}}, true, nil},
		"a circle":   {claims{0: 0}, [][]machine.Move{{0, 0}, {0, 0}}, false, nil}, // position 1 has no choice and no claim
		"no claim":   {claims{0: 1}, [][]machine.Move{{1, 0}}, false, errNoClaim},
	} {
		line, over, err := search.Line(t.Context(), tree.Machine(), c.solution, machine.State{0})
		if !reflect.DeepEqual(line, c.line) || over != c.over || !errors.Is(err, c.err) {
			t.Errorf("%s: line %v, over %v, error %v", name, line, over, err)
		}
	}
}

func TestMistakesAreProvedToBeWorse(t *testing.T) {
	known := func(bounds ...search.Interval) (moves []search.Known) {
		for i, b := range bounds {
			moves = append(moves, search.Known{Move: machine.Move(i), Bounds: b})
		}
		return moves
	}
	for name, c := range map[string]struct {
		moves []search.Known
		want  []machine.Move
	}{
		"below a sure goal":            {known(search.Interval{Lower: 0, Upper: 49}, search.Interval{Lower: 50, Upper: 60}, search.Interval{Lower: 10, Upper: 50}), []machine.Move{0}},
		"lost, and others may win":     {known(search.Exact(0), search.Interval{Lower: 0, Upper: 1}), []machine.Move{0}},
		"lost beside other lost moves": {known(search.Exact(0), search.Exact(0)), nil},
	} {
		if got := search.Mistakes(c.moves, 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: mistakes %v, want %v", name, got, c.want)
		}
	}
	strategy := []search.Weighted{{Move: 1, Probability: 0.5}, {Move: 2, Probability: 0.125}, {Move: 3, Probability: 0.375}}
	want := []search.Weighted{{Move: 2, Probability: 0.25}, {Move: 3, Probability: 0.75}}
	if got := search.Without(strategy, []machine.Move{1}); !slices.Equal(got, want) {
		t.Errorf("without move 1: %v, want %v", got, want)
	}
}

func TestASolvedResultIsProvedExactAndComplete(t *testing.T) {
	exact := []search.Interval{search.Exact(10), search.Exact(90)}
	for name, c := range map[string]struct {
		result search.Result
		want   bool
	}{
		"exact":      {search.Result{Proved: true, Values: exact, Outcomes: &search.Outcomes{Complete: true}}, true},
		"incomplete": {search.Result{Proved: true, Values: exact, Outcomes: &search.Outcomes{}}, false},
		"estimated":  {search.Result{Values: exact}, false},
		"bounds":     {search.Result{Proved: true, Values: []search.Interval{search.Exact(10), search.GoalRange}}, false},
		"no values":  {search.Result{Proved: true}, false},
	} {
		if got := c.result.Solved(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAQuarterOfTheMemoryIsForTheStack(t *testing.T) {
	for _, c := range []struct{ limit, batches, tables, stack int64 }{
		{0, 5, 0, 0}, {100 << 20, 20 << 20, 60 << 20, 20 << 20}, {100 << 20, 90 << 20, 37.5 * (1 << 20), 12.5 * (1 << 20)}, {1, 0, 1, 1 << 20},
	} {
		if tables, stack := search.Divide(c.limit, c.batches); tables != c.tables || stack != c.stack {
			t.Errorf("%d bytes, batches %d: tables %d, stack %d, want %d, %d", c.limit, c.batches, tables, stack, c.tables, c.stack)
		}
	}
}

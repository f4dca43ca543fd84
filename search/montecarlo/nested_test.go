package montecarlo

import (
	"context"
	"slices"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Of 3^40 lines of a lock one opens it, and each move tells whether it is on it: a search that
// keeps its best line follows it to the end.
func TestNestedSearchOpensADeepLock(t *testing.T) {
	m := newLock(40)
	var interim float64
	r, err := NewNested().Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 200_000, Seed: 3, Progress: func(r search.Result) {
		if r.Values[0].Lower <= interim && interim > 0 {
			t.Errorf("no progress: %v after %v", r.Values[0], interim)
		}
		interim = r.Values[0].Lower
	}})
	if err != nil || !r.Solved() || r.Values[0].Lower != 100 || interim != 100 || len(r.Line) != 40 || r.Strategies[0][0].Move != r.Line[0][0] {
		t.Fatalf("%v, line of %d, progress to %v, %v", r.Values, len(r.Line), interim, err)
	}
	if over, goals := toys.Follow(m, m.Initial(), r.Line); !over || goals[0] != 100 {
		t.Errorf("the line gives %v", goals)
	}
}

// Lines give what they promise, whatever ends the search, and equal limits equal results.
func TestTheLineOfNestedSearchGivesItsGoal(t *testing.T) {
	for _, game := range []toys.Wide{
		{Roles: []string{"a"}, Moves: []int{7}, Depth: 12},
		{Roles: []string{"a"}, Moves: []int{300}, Depth: 3}, // more moves than lanes
	} {
		m := game.Machine()
		for _, nodes := range []int64{1, 100, 5000} {
			a, err := NewNested().Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: nodes, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			over, goals := toys.Follow(m, m.Initial(), a.Line)
			if !over || float64(goals[0]) != a.Values[0].Lower {
				t.Errorf("%d nodes: the line gives %v, not %v", nodes, goals, a.Values)
			}
			b, _ := NewNested().Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: nodes, Seed: 1})
			if !slices.EqualFunc(a.Line, b.Line, slices.Equal) || a.Nodes != b.Nodes {
				t.Errorf("%d nodes: another line, or %d and %d nodes", nodes, a.Nodes, b.Nodes)
			}
		}
	}
}

func TestNestedSearchEnds(t *testing.T) {
	for _, pass := range []int64{1, 2, 3, 10, 100, 1000, 1234} {
		m := toys.Wide{Roles: []string{"a"}, Moves: []int{50}, Depth: 60}.Machine()
		passes := toys.PassesAfterEnd(m, pass, func(ctx context.Context, counted machine.Machine) {
			r, err := NewNested().Search(ctx, counted, m.Initial(), search.Limits{})
			if err != nil {
				t.Error(err)
			}
			if over, _ := toys.Follow(m, m.Initial(), r.Line); len(r.Line) > 0 && !over {
				t.Error("the line does not end the game")
			}
		})
		if passes > 5 {
			t.Errorf("ended in pass %d: %d passes more", pass, passes)
		}
	}
	two := toys.Matrix([][]int32{{1, 2}, {3, 4}}).Machine()
	if _, err := NewNested().Search(t.Context(), two, two.Initial(), search.Limits{}); err == nil {
		t.Error("a game of two was searched")
	}
	lock := newLock(1)
	over := machine.State{1}
	if r, err := NewNested().Search(t.Context(), lock, over, search.Limits{}); err != nil || !r.Solved() || r.Values[0].Lower != 100 || r.Strategies[0] != nil {
		t.Errorf("a position where all is over: %v, strategies %v, %v", r.Values, r.Strategies, err)
	}
}

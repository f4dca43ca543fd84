package simultaneous

import (
	"context"
	"errors"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// crowded returns a search on several threads that all work from the first node on.
func crowded(t *testing.T, threads int) *Searcher {
	t.Helper()
	s := must.Get(New(Config{Table: true, Threads: threads}))(t)
	s.config.alone = 0
	return s
}

func TestAnyNumberOfThreadsFindsTheSameValue(t *testing.T) {
	for name, m := range map[string]machine.Machine{
		"win, tie, loss": newGoofspiel(descending(6), false), "points": newGoofspiel([]int{3, 1, 5, 2, 4}, true),
		"wide": toys.Wide{Roles: two, Moves: []int{8, 9}, Depth: 3}.Machine(),
	} {
		want := solve(t, Config{Table: true}, m)
		for threads := 2; threads <= 4; threads++ {
			for range 3 {
				r := solveWith(t, crowded(t, threads), m)
				if r.Values[0] != want.Values[0] || len(r.Moves) != 2 || len(r.Line) == 0 || r.Nodes == 0 {
					t.Errorf("%s on %d threads: %+v, want %v", name, threads, r, want.Values)
				}
			}
		}
	}
}

func TestOthersShareTheWork(t *testing.T) {
	m := newGoofspiel(descending(7), true)
	alone := solve(t, Config{Table: true}, m)
	r := solveWith(t, crowded(t, 2), m)
	if alone.Nodes < 10_000 || r.Nodes > alone.Nodes*3/2 {
		t.Errorf("%d nodes on two threads together, %d on one", r.Nodes, alone.Nodes)
	}
}

func TestSeveralThreadsEndWithTheirContextAndWithErrors(t *testing.T) {
	endless := toys.Wide{Roles: two, Moves: []int{4, 4}, Depth: 40}.Machine()
	var r search.Result
	var err error
	passes := toys.PassesAfterEnd(endless, 1000, func(ctx context.Context, m machine.Machine) {
		r, err = crowded(t, 3).Search(ctx, m, m.Initial(), search.Limits{})
	})
	if err != nil || passes < 0 || r.Solved() || r.Nodes == 0 {
		t.Errorf("stopped: %+v, error %v", r, err)
	}
	leaf := func(a, b int32) toys.Node { return toys.Node{Goals: []int32{a, b}} }
	general := &toys.Tree{Roles: two, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, leaf(0, 100), leaf(100, 100)}}
	m := general.Machine()
	if _, err := crowded(t, 3).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotZeroSum) {
		t.Errorf("general sum: error %v", err)
	}
}

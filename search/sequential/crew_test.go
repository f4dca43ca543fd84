package sequential

import (
	"context"
	"errors"
	"slices"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/threads"
)

// crowded returns a solver whose threads all work from the first node on, and check the results of other threads at every node.
func crowded(c Config) *Solver {
	v := New(c)
	v.alone, v.tick = 0, 1
	return v
}

func TestAnyNumberOfThreadsFindsTheSameValue(t *testing.T) {
	games := map[string]machine.Machine{
		"ticTacToe": parallel{newTicTacToe()}, "subtraction": subtraction(21),
		"tree": parallel{randomTrees(4, 7, 1).Machine()}, "another tree": randomTrees(3, 8, 2).Machine(),
	}
	for name, m := range games {
		want := solve(t, Config{}, m, search.Limits{})
		for threads := 2; threads <= 4; threads++ {
			for _, s := range []search.Searcher{
				crowded(Config{Threads: threads}), crowded(Config{Threads: threads, Without: Deepening}),
				New(Config{Threads: threads}),
			} {
				r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
				if err != nil || !r.Solved() || r.Values[0] != want.Values[0] || len(r.Line) == 0 {
					t.Errorf("%s on %d threads: %v, line %v, error %v; want %v", name, threads, r.Values, r.Line, err, want.Values)
				}
			}
		}
	}
}

func TestSeveralThreadsEndWithTheirContextAndWithErrors(t *testing.T) {
	endless := toys.Wide{Roles: roles, Moves: []int{5, 5}, InTurn: true, Depth: 40}.Machine()
	var r search.Result
	var err error
	passes := toys.PassesAfterEnd(endless, 1000, func(ctx context.Context, m machine.Machine) {
		r, err = crowded(Config{Threads: 3}).Search(ctx, m, m.Initial(), search.Limits{})
	})
	if err != nil || passes < 0 || r.Solved() || r.Nodes == 0 {
		t.Errorf("stopped: %+v, error %v", r, err)
	}
	leaf := func(a, b int32) toys.Node { return toys.Node{Goals: []int32{a, b}} }
	general := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, leaf(0, 100), leaf(100, 100)}}
	m := general.Machine()
	if _, err := crowded(Config{Threads: 3}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotZeroSum) {
		t.Errorf("general sum: error %v", err)
	}
}

func TestProgressOfLongIterationsIsTold(t *testing.T) {
	m := toys.Wide{Roles: roles, Moves: []int{5, 5}, InTurn: true, Depth: 40}.Machine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := 0
	v := crowded(Config{Threads: 2, Without: Deepening})
	_, err := v.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: 1 << 40, Progress: func(r search.Result) {
		if told++; r.Nodes == 0 || r.Depth == 0 || r.PeakBytes == 0 || !r.Proved {
			t.Errorf("progress tells %+v", r)
		}
		cancel()
	}})
	if err != nil || told == 0 {
		t.Errorf("told %d times, error %v", told, err)
	}
}

func TestABrokenOffSearchKeepsTheBestMoveUnlessItProvesSomething(t *testing.T) {
	v := New(Config{})
	must.OK(t, v.prepare(newTicTacToe(), 1<<20))
	p := v.packing
	won := unknown.tightened(search.Interval{Lower: 100, Upper: 100})
	for _, c := range []struct {
		what string
		now  entry
		best machine.Move
	}{
		{"broken off with nothing new", entry{value: unknown, best: 3}, 5},
		{"broken off with a proof", entry{value: won, best: 3}, 3},
		{"completed", entry{value: unknown, depth: 4, best: 3}, 3},
	} {
		now, before := make([]uint64, v.table.ValueWords()), make([]uint64, v.table.ValueWords())
		p.pack(before, entry{value: unknown, depth: 4, best: 5})
		p.pack(now, c.now)
		p.merge(now, before)
		if e := p.unpack(now); e.best != c.best || e.depth != 4 {
			t.Errorf("%s: best move %d, depth %d; want %d, 4", c.what, e.best, e.depth, c.best)
		}
	}
}

func TestChildrenArePutOffOnlyWhereAllAreExpectedToBeSearched(t *testing.T) {
	m := newTicTacToe()
	v := New(Config{})
	must.OK(t, v.prepare(m, 1<<20))
	r := v.worker(&crew{busy: new(threads.Busy)}, m, 1<<20, 0)
	f := r.frame(0)
	f.scores, f.keys = make([]int64, 2), make([]key, 2)
	f.children = &play.Expansion{Moves: [][]machine.Move{{0, 1}, {0}}, Terminal: make([]bool, 2)}
	f.Turn, _ = f.children.Turn(machine.NoRole)
	for c := range f.keys {
		position := slices.Clone(m.Initial())
		position[0] ^= uint64(c+1) << 1
		f.keys[c].Key = v.table.Key(make([]uint64, len(m.Initial())), position)
	}
	r.enter(f, 1)
	for _, expectAll := range []bool{false, true} {
		if f.ahead.expectAll = expectAll; r.defers(f, 1) != expectAll || r.defers(f, 0) {
			t.Errorf("all expected to be searched %v: what another worker is at is put off if and only if they are", expectAll)
		}
	}
}

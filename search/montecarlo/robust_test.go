package montecarlo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/guard"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
)

func roles(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("r", i)
	}
	return names
}

func many(roles, moves int) []int {
	legal := make([]int, roles)
	for r := range legal {
		legal[r] = moves
	}
	return legal
}

// within gives up a search that does not come to its end by itself.
func within(t *testing.T, c Config, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := New(c).Search(ctx, m, q, lim)
	if ctx.Err() != nil {
		t.Errorf("the search does not come to its end")
	}
	return r, err
}

func TestPlayoutsThatNeverEndAreCutOffAndCountAsDrawn(t *testing.T) {
	m := toys.Wide{Roles: roles(2), Moves: []int{3, 3}, InTurn: true}.Machine()
	r, err := within(t, Config{}, m, m.Initial(), search.Limits{MaxNodes: 20})
	if err != nil || r.Nodes != 20 || r.Values[0] != search.Exact(drawnGoal) || r.Proved {
		t.Errorf("%+v, error %v; want 20 nodes worth %v", r, err, drawnGoal)
	}
}

func TestAPlanIsNoneWhereGamesNeverEnd(t *testing.T) {
	m := toys.Wide{Roles: roles(1), Moves: []int{3}}.Machine()
	r, err := within(t, Config{}, m, m.Initial(), search.Limits{MaxNodes: 10})
	if err != nil || r.Values[0] != search.GoalRange || len(r.Strategies[0]) != 1 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A position without a legal move is no end: its goal is worth nothing to a plan.
func TestAPlanEndsInATerminalPosition(t *testing.T) {
	m := gamestest.Compiled(t, `(role x) (init (s 0)) (<= (legal x a) (true (s 0))) (<= (legal x b) (true (s 0)))
		(<= (next (s ?m)) (does x ?m)) (<= terminal (true (s b))) (<= (goal x 100) (true (s a))) (<= (goal x 50) (true (s b)))`)
	r, err := within(t, Config{}, m, m.Initial(), search.Limits{MaxNodes: 200})
	if err != nil || r.Values[0] != (search.Interval{Lower: 50, Upper: 100}) || len(r.Line) != 1 || m.Names().MoveText(0, r.Line[0][0]) != "b" {
		t.Errorf("%+v, error %v", r, err)
	}
}

func TestOddGamesGiveAMoveAndNoPanic(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for name, g := range map[string]toys.Wide{
		"one legal move for everybody": {Roles: roles(2), Moves: []int{1, 1}, Depth: 4},
		"no goals":                     {Roles: roles(2), Moves: []int{3, 3}, Depth: 4, NoGoal: true},
		"no goals for one":             {Roles: roles(1), Moves: []int{3}, Depth: 4, NoGoal: true},
		"stuck later":                  {Roles: roles(2), Moves: []int{3, 3}, Depth: 9, Stuck: 2},
		"stuck after any move":         {Roles: roles(1), Moves: []int{3}, Depth: 9, Stuck: 1},
		"a hundred thousand moves":     {Roles: roles(1), Moves: []int{100_000}, Depth: 2},
		"as many for each of two":      {Roles: roles(2), Moves: []int{100_000, 100_000}, Depth: 2},
		"sixty-five roles":             {Roles: roles(65), Moves: many(65, 2), Depth: 5},
		"eight roles of 256 moves":     {Roles: roles(8), Moves: many(8, 256), Depth: 3},
		"chance alone":                 {Roles: []string{machine.RandomRole}, Moves: []int{3}, Depth: 3},
		"long states":                  {Roles: roles(2), Moves: []int{4, 4}, Depth: 3, Words: 5000},
	} {
		m := g.Machine()
		for _, c := range []Config{{}, {Rule: RegretMatching}, {Workers: 2}} {
			r, err := within(t, c, m, m.Initial(), search.Limits{MaxNodes: 24, MaxBytes: 8 << 20})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for role, s := range r.Strategies {
				if g.Roles[role] != machine.RandomRole && len(s) == 0 {
					t.Errorf("%s, %+v: no move for role %d", name, c, role)
				}
				if v := r.Values[role]; !(v.Lower >= 0 && v.Lower <= v.Upper && v.Upper <= 100) {
					t.Errorf("%s, %+v: value %v of role %d", name, c, v, role)
				}
			}
		}
	}
}

func TestATerminalRootHasItsGoalsAndNoStrategies(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 5)
	r, err := within(t, Config{Workers: 2}, m, machine.State{0}, search.Limits{})
	if err != nil || !r.Solved() || r.Values[0] != search.Exact(0) || r.Values[1] != search.Exact(100) {
		t.Errorf("%+v, error %v", r, err)
	}
	for role, s := range r.Strategies {
		if s != nil {
			t.Errorf("role %d plays %v at the end of the game", role, s)
		}
	}
	none := toys.Wide{Roles: roles(2), Moves: many(2, 2), Depth: 1, NoGoal: true}.Machine()
	over := machine.State{1, 0}
	if r, err := within(t, Config{}, none, over, search.Limits{}); err != nil || r.Values[0] != search.Exact(0) {
		t.Errorf("without goals: %+v, error %v", r, err)
	}
}

func TestARoleWithoutAMoveAtTheRootIsAnError(t *testing.T) {
	g := toys.Wide{Roles: roles(2), Moves: []int{3, 3}, Depth: 9, Stuck: 1}
	m := g.Machine()
	after := machine.State{1, 0}
	if _, err := within(t, Config{Workers: 2}, m, after, search.Limits{MaxNodes: 10}); !errors.Is(err, play.ErrStuck) {
		t.Errorf("error %v", err)
	}
	// The searcher is as good as new after that.
	s := New(Config{})
	_, first := s.Search(t.Context(), m, after, search.Limits{MaxNodes: 10})
	if _, again := s.Search(t.Context(), m, after, search.Limits{MaxNodes: 10}); !errors.Is(again, play.ErrStuck) {
		t.Errorf("the second time: error %v", again)
	}
	if r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 10}); first == nil || err != nil || len(r.Strategies[0]) == 0 {
		t.Errorf("%+v, errors %v and %v", r, first, err)
	}
}

// faulty panics at some depth.
type faulty struct{ scalar.Stepper }

func (f faulty) Next(dst machine.State, joint []machine.Move) {
	f.Stepper.Next(dst, joint)
	if dst[0] > 3 {
		panic("beyond repair")
	}
}

func TestAPanicOfAWorkerIsAnErrorOfTheSearch(t *testing.T) {
	names := toys.Names(roles(1), 3)
	m := scalar.New(names, machine.State{0}, machine.Info{}, func() scalar.Stepper { return faulty{toys.Lock{Depth: 9}.Stepper()} })
	for _, workers := range []int{1, 3} {
		_, err := within(t, Config{Workers: workers}, m, m.Initial(), search.Limits{})
		var fault *guard.Panic
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), "beyond repair") {
			t.Errorf("%d workers: error %v", workers, err)
		}
	}
}

// TestNothingOfASearchStopsTheNext runs searches one after the other, each ended by
// its context or by the proof of one of two workers, and wants work of the next one,
// which has all the time it needs.
func TestNothingOfASearchStopsTheNext(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 60)
	s := New(Config{Workers: 2, Lanes: 8})
	for i := range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		switch i % 4 {
		case 0:
			cancel()
			_, _ = s.Search(ctx, m, m.Initial(), search.Limits{})
			continue
		case 2:
			_, _ = s.Search(ctx, m, machine.State{2}, search.Limits{})
			cancel()
			continue
		}
		r, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: 4})
		cancel()
		if err != nil || r.Nodes != 4 {
			t.Fatalf("search %d: %d nodes, want 4; error %v", i, r.Nodes, err)
		}
	}
}

func TestASearchEndsWithinAFewPassesOfItsContext(t *testing.T) {
	for name, g := range map[string]toys.Wide{
		"playouts without end": {Roles: roles(2), Moves: []int{3, 3}},
		"a puzzle":             {Roles: roles(1), Moves: []int{3}, Depth: 200},
		"a wide puzzle":        {Roles: roles(1), Moves: []int{1000}, Depth: 3},
		"a deep game of turns": {Roles: roles(2), Moves: []int{5, 5}, InTurn: true, Depth: 60},
		"three roles":          {Roles: roles(3), Moves: []int{3, 3, 3}, Depth: 10},
	} {
		for _, pass := range []int64{1, 2, 3, 10, 100, 1000, 1234} {
			passes := toys.PassesAfterEnd(g.Machine(), pass, func(ctx context.Context, m machine.Machine) {
				if _, err := New(Config{Lanes: 64}).Search(ctx, m, m.Initial(), search.Limits{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			// One root to open, or one indivisible unit: evaluate, step, evaluate.
			if passes > 5 {
				t.Errorf("%s, ended in pass %d: %d passes more", name, pass, passes)
			}
		}
	}
}

func TestTheHeapStaysWithinTheLimit(t *testing.T) {
	exhaustive.NotUnderRace(t, "measures the heap, of which the detector takes several times as much")
	const limit = 2 << 20
	for name, g := range map[string]toys.Wide{
		"many small nodes": {Roles: roles(2), Moves: []int{5, 5}, InTurn: true, Depth: 9},
		"wide nodes":       {Roles: roles(2), Moves: []int{900, 900}, InTurn: true, Depth: 3},
		"wide matrices":    {Roles: roles(2), Moves: []int{50, 50}, Depth: 3},
		"long states":      {Roles: roles(2), Moves: []int{5, 5}, InTurn: true, Depth: 8, Words: 100},
		"one player":       {Roles: roles(1), Moves: []int{50}, Depth: 4},
		"a dozen of roles": {Roles: roles(12), Moves: many(12, 3), Depth: 4},
	} {
		m := g.Machine()
		for _, workers := range []int{1, 2} {
			var r search.Result
			bytes := toys.Heap(func() any {
				s := New(Config{Workers: workers, Lanes: 1, Rule: RegretMatching})
				var err error
				if r, err = s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: exhaustive.Choose[int64](8_000, 20_000), MaxBytes: limit}); err != nil {
					t.Error(err)
				}
				return s
			})
			// The constant: the memory of the goroutines and of the result.
			if bytes > limit+limit/2+1<<20 {
				t.Errorf("%s, %d workers: %d bytes on the heap, limit %d", name, workers, bytes, limit)
			}
			if r.PeakBytes > limit {
				t.Errorf("%s, %d workers: %d bytes by its own account, limit %d", name, workers, r.PeakBytes, limit)
			}
		}
	}
}

func TestATreeWithoutRoomStillLearnsAndFreesRoomForTheNextMove(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	g := toys.Wide{Roles: roles(2), Moves: []int{30, 30}, InTurn: true, Depth: 20}
	m := g.Machine()
	s := New(Config{Lanes: 1})
	lim := search.Limits{MaxNodes: 10_000, MaxBytes: 1 << 20}
	q := m.Initial()
	x := play.NewExpander(m)
	var e play.Expansion
	for step := range 12 {
		r, err := s.Search(t.Context(), m, q, lim)
		if err != nil || r.Nodes != lim.MaxNodes {
			t.Fatalf("step %d: %d nodes, error %v", step, r.Nodes, err)
		}
		w := s.workers[0]
		if b := w.tree.bytes(); b > w.tree.room {
			t.Errorf("step %d: a tree of %d bytes in a room of %d", step, b, w.tree.room)
		}
		checkLinks(t, w.tree)
		if nodes := countNodes(w.tree); nodes < 1000 {
			t.Errorf("step %d: a tree of %d nodes", step, nodes)
		}
		if err := x.Expand(&e, q); err != nil {
			t.Fatal(err)
		}
		q = append(machine.State(nil), e.Child(step%e.Children)...)
	}
}

func TestMovesThatTheTreeDoesNotKnowLeaveItWithinItsRoom(t *testing.T) {
	m := toys.Wide{Roles: roles(1), Moves: []int{30}, Depth: 1 << 20}.Machine()
	tree := newTree(1, len(m.Initial()), -1, 1<<16, true)
	for q := range 2000 {
		s := machine.State{uint64(q), 0}
		tree.reroot(tree.below(s))
		tree.plant(s)
		n := tree.root
		moves := [][]machine.Move{make([]machine.Move, 20+q%30)}
		if !tree.open(n, moves) {
			t.Fatal("the root is not opened")
		}
		for cell := range int64(20) {
			if l := tree.grow(n, cell, machine.State{1<<40 + uint64(q)<<10 + uint64(cell), 0}); l == none || !tree.open(tree.links.at(l).to, moves) {
				break
			}
		}
		checkLinks(t, tree)
	}
	if tree.bytes() > tree.room+tree.room/4 {
		t.Errorf("%d bytes in a room of %d", tree.bytes(), tree.room)
	}
}

// countNodes returns the number of nodes at and below the root.
func countNodes(t *tree) int {
	seen := map[int32]bool{t.root: true}
	for open := []int32{t.root}; len(open) > 0; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for l := t.at(n).out; l != none; l = t.links.at(l).sibling {
			if k := t.links.at(l).to; !seen[k] {
				seen[k] = true
				open = append(open, k)
			}
		}
	}
	return len(seen)
}

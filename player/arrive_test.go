package player

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/arrival"
)

// corridor returns a game in which white waits (move 0) or walks (move 1) the given steps to its goal; black has two
// moves that change nothing.
func corridor(steps int, goal int32) *toys.Tree {
	g := &toys.Tree{Roles: []string{"white", "black"}}
	for i := range steps {
		g.Nodes = append(g.Nodes,
			toys.Node{Moves: []int{2, 1}, Kids: []int{2*i + 1, 2*i + 3}}, toys.Node{Moves: []int{1, 2}, Kids: []int{2 * i, 2 * i}})
	}
	return &toys.Tree{Roles: g.Roles, Nodes: append(g.Nodes, toys.Node{Goals: []int32{goal, 100 - goal}}, toys.Node{Goals: []int32{goal, 100 - goal}})}
}

// waiting is a search that proves a goal and keeps it by waiting, with a line that is shorter than the way.
type waiting struct{ goal float64 }

func (w waiting) Search(_ context.Context, _ machine.Machine, _ machine.State, _ search.Limits) (search.Result, error) {
	r := pure(0, search.Exact(w.goal), true)
	r.Moves = [][]search.Known{{{Move: 0, Bounds: search.Exact(w.goal)}, {Move: 1, Bounds: search.Exact(w.goal)}}, nil}
	return r, nil
}

// walks lets a thinker whose exact search waits play white, and returns the joint moves until the end, or -1.
func walks(t *testing.T, g *toys.Tree, goal float64, most int) int {
	t.Helper()
	m := g.Machine()
	p := newThinker(setting{spec: spec{threads: 1, without: []string{learning}}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	p.prepare(t.Context(), position{machine: m, state: m.Initial(), role: 0, legal: []machine.Move{0, 1}})
	p.exact, p.sampler = []search.Searcher{waiting{goal}}, nil
	x, e, q := play.NewExpander(m), new(play.Expansion), append(machine.State(nil), m.Initial()...)
	for made := 1; made <= most; made++ {
		if err := x.Expand(e, q); err != nil {
			t.Fatal(err)
		}
		c := 0
		if len(e.Moves[0]) > 1 {
			c = int(p.choose(t.Context(), position{machine: m, state: q, role: 0, legal: e.Moves[0]}).move)
		}
		if e.Terminal[c] {
			return made
		}
		copy(q, e.Child(c))
	}
	return -1
}

func TestAGoalIsRoundedUpToWholePointsBeyondTheErrorOfPrograms(t *testing.T) {
	for goal, want := range map[float64]int32{50: 50, 50.0004: 50, 49.9996: 50, 49.5: 50, 100: 100, 0: 0, 33.34: 34} {
		if got := wholePoints(goal); got != want {
			t.Errorf("%g: %d, want %d", goal, got, want)
		}
	}
}

func TestAProvedWinIsMadeInTheFewestMoves(t *testing.T) {
	if made := walks(t, corridor(9, 100), 100, 100); made != 17 {
		t.Errorf("%d joint moves, want 17", made)
	}
}

// Until a position comes up again, the move that keeps the value may as well be another one.
func TestAProvedGoalIsReachedOncePositionsRepeat(t *testing.T) {
	if made := walks(t, corridor(9, 60), 60, 100); made < 17 || made > 17+2*9 {
		t.Errorf("%d joint moves, want 17, and two more for each step at most", made)
	}
}

// Where the way is too long to be found, a move that has led back is not made again.
func TestAMoveThatLedBackIsNotMadeAgain(t *testing.T) {
	r := &root{moves: bounded(search.Exact(60), search.Exact(60), search.Exact(50)), waits: []machine.Move{1}}
	if v := r.unwaiting(verdict{strategy: []search.Weighted{{Move: 1, Probability: 1}}}); v.strategy[0].Move != 2 {
		t.Errorf("move %d, want 2", v.strategy[0].Move)
	}
	r.waits = []machine.Move{1, 2}
	if v := r.unwaiting(verdict{strategy: []search.Weighted{{Move: 1, Probability: 1}}}); v.strategy[0].Move != 1 {
		t.Errorf("move %d instead of one that is proved to be better", v.strategy[0].Move)
	}
}

// A better value may still be possible: the move that led back stays, and a lower goal is not forced.
func TestAGoalIsKeptAndForcedOnlyIfNothingBetterIsPossible(t *testing.T) {
	m := (&toys.Tree{Roles: []string{"white", "black"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{30, 30}}, // cash, offer
		{Moves: []int{1, 2}, Kids: []int{0, 3}}, {Goals: []int32{100, 100}}, // decline, accept
	}}).Machine()
	cash, offer := search.Exact(30), search.Interval{Lower: 30, Upper: 100}
	mixed := pure(1, search.Exact(50), true)
	mixed.Strategies[0] = []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
	for name, c := range map[string]struct {
		moves  [2]search.Interval
		exact  *search.Result
		made   int // times that offer was made before, or 1
		forced bool
		again  machine.Move // replaces offer
	}{
		"offer may get more":                 {moves: [2]search.Interval{cash, offer}, again: 1},
		"offer has been declined often":      {moves: [2]search.Interval{cash, offer}, made: openTries, forced: true, again: 1},
		"a mixed strategy is declined often": {moves: [2]search.Interval{cash, offer}, exact: &mixed, made: openTries, again: 1},
		"nothing may get more":               {moves: [2]search.Interval{cash, cash}, forced: true},
		"cash may get more":                  {moves: [2]search.Interval{offer, cash}},
		"a pure strategy has the value":      {moves: [2]search.Interval{offer, offer}, exact: new(pure(1, cash, true)), forced: true},
		"a mixed strategy has the value":     {moves: [2]search.Interval{cash, offer}, exact: &mixed, again: 1},
	} {
		p := onOneThread(0, 64<<20)
		r := newRoot(position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
		r.bound(0, c.moves[0])
		r.bound(1, c.moves[1])
		r.exact = c.exact
		for range max(1, c.made) {
			p.remember(r, 1)
		}
		if p.arrive(t.Context(), r); (r.arrives != nil) != c.forced {
			t.Errorf("%s: a goal of 30 is forced: %v", name, r.arrives != nil)
		}
		r.avoid([]machine.Move{1})
		if v := r.unwaiting(verdict{strategy: []search.Weighted{{Move: 1, Probability: 1}}}); v.strategy[0].Move != c.again {
			t.Errorf("%s: move %d instead of offer: %s", name, v.strategy[0].Move, v.why)
		}
	}
}

// Means over chance may exceed the whole goal that is forced.
func TestTheMoveOfTheWayIsMadeBesideAMoveWithAHigherMean(t *testing.T) {
	m := toys.Matrix([][]int32{{66}, {67}, {0}}).Machine()
	r := newRoot(position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}})
	r.bound(0, search.Interval{Lower: 50.0005, Upper: 100})
	r.arrive(arrival.Way{Move: 1, Plies: 1}, 50)
	if v := r.decide(""); v.strategy[0].Move != 1 {
		t.Errorf("move %d, want 1", v.strategy[0].Move)
	}
}

func TestAProvedGoalIsReachedAlsoIfTheSearchesUseTheWholeClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := corridor(3, 60).Machine()
		p := onOneThread(0, 64<<20, learning)
		p.prepare(t.Context(), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
		found, _ := waiting{60}.Search(t.Context(), nil, nil, search.Limits{})
		searchBy(p, nil, &patient{result: found})
		for turn := range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}, give: time.Now().Add(200 * time.Millisecond)}
			c := p.choose(ctx, at)
			if cancel(); (c.root.arrives != nil) != (turn == 1) {
				t.Errorf("turn %d: move %d: %s", turn, c.move, c.why)
			}
			if !time.Now().Before(at.give) {
				t.Error("the choice is late")
			}
		}
	})
}

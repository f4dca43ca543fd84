package sequential

import (
	"context"
	"errors"
	"math"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
	"stackmate/search/exact"
)

func TestASearchEndsWithinAFewPassesOfItsContext(t *testing.T) {
	for name, g := range map[string]toys.Wide{
		"turns":                {Roles: roles, Moves: []int{5, 5}, InTurn: true, Depth: 40},
		"turns, wide":          {Roles: roles, Moves: []int{500, 500}, InTurn: true, Depth: 4},
		"a puzzle without end": {Roles: []string{"alone"}, Moves: []int{3}},
		"no choice, no end":    {Roles: roles, Moves: []int{1, 1}},
	} {
		for _, without := range []Refinement{0, Deepening, Literal} {
			for _, pass := range []int64{1, 2, 4, 100, 1234} {
				passes := toys.PassesAfterEnd(g.Machine(), pass, func(ctx context.Context, m machine.Machine) {
					if _, err := New(Config{Without: without}).Search(ctx, m, m.Initial(), search.Limits{}); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
				// The expansion in progress, the root for its moves, and the grace of the line.
				if passes > 12 {
					t.Errorf("%s without %b, ended in pass %d: %d passes more", name, without, pass, passes)
				}
			}
		}
	}
}

func TestTheHeapStaysWithinTheLimit(t *testing.T) {
	exhaustive.NotUnderRace(t, "measures the heap, of which the detector takes several times as much")
	const limit = 2 << 20
	for name, g := range map[string]toys.Wide{
		"many positions": {Roles: roles, Moves: []int{3, 3}, InTurn: true, Depth: 40},
		"long states":    {Roles: roles, Moves: []int{3, 3}, InTurn: true, Depth: 40, Words: 50},
		"wide positions": {Roles: roles, Moves: []int{200, 200}, InTurn: true, Depth: 200},
	} {
		m, nodes := g.Machine(), int64(20_000)
		if g.Moves[0] > 3 {
			nodes = 200
		}
		for _, without := range []Refinement{0, Deepening} {
			bytes := toys.Heap(func() any {
				v := New(Config{Without: without})
				r, err := v.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: nodes, MaxBytes: limit})
				if err != nil && !errors.Is(err, play.ErrTooWide) || r.PeakBytes > limit {
					t.Errorf("%s: %d bytes by its own account, error %v", name, r.PeakBytes, err)
				}
				return v
			})
			if bytes > limit+limit/2+1<<20 {
				t.Errorf("%s: %d bytes on the heap, limit %d", name, bytes, limit)
			}
		}
	}
}

func TestASmallLimitOfMemoryIsNoFault(t *testing.T) {
	m := toys.Wide{Roles: roles, Moves: []int{20, 20}, InTurn: true, Depth: 3, Words: 100}.Machine()
	want, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || !want.Solved() {
		t.Fatalf("%+v, error %v", want, err)
	}
	for _, limit := range []int64{1, 1 << 10, 1 << 20} {
		r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: limit})
		if err != nil || !r.Solved() || r.Values[0] != want.Values[0] {
			t.Errorf("%d bytes: %v, error %v; want %v", limit, r.Values, err, want.Values)
		}
	}
}

func TestARootTooWideIsAnError(t *testing.T) {
	m := toys.Wide{Roles: roles, Moves: []int{100_000, 1}, Depth: 2, Words: 200}.Machine()
	if _, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, play.ErrTooWide) {
		t.Errorf("error %v", err)
	}
}

// fog is a game whose first position takes too much memory: no legal move of it is known.
type fog struct{ flare }

func (*fog) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move { return dst }
func (*fog) Err() error                                                    { return machine.ErrLost }

func TestARootThatTakesTooMuchMemoryIsAnError(t *testing.T) {
	names := &machine.Names{Roles: []string{"alone"}, Moves: [][]string{{"a", "b"}}}
	m := scalar.New(names, machine.State{0}, machine.Info{}, func() scalar.Stepper { return new(fog) })
	if _, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, machine.ErrLost) {
		t.Errorf("error %v, want %v", err, machine.ErrLost)
	}
}

// flare is a game of one role: first it has two moves, then a million after the
// first of them; the second ends the game with 50 points.
type flare struct{ at uint64 }

func (g *flare) SetState(s machine.State) { g.at = s[0] }
func (g *flare) Terminal() bool           { return g.at > 1 }
func (g *flare) Goal(machine.Role) int32  { return 50 }
func (g *flare) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move {
	n := 2
	if g.at == 1 {
		n = 1<<20 + 1
	}
	for m := range n {
		dst = append(dst, machine.Move(m))
	}
	return dst
}

func (g *flare) Next(dst machine.State, joint []machine.Move) { dst[0] = g.at + 1 + uint64(joint[0]) }

func TestPositionsTooWideCountAsUnknown(t *testing.T) {
	names := &machine.Names{Roles: []string{"alone"}, Moves: [][]string{make([]string, 1<<20+1)}}
	m := scalar.New(names, machine.State{0}, machine.Info{}, func() scalar.Stepper { return new(flare) })
	r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || !errors.Is(r.Unfinished, play.ErrTooWide) {
		t.Errorf("error %v, unfinished: %v", err, r.Unfinished)
	}
	if v := r.Values[0]; v != (search.Interval{Lower: 50, Upper: 100}) {
		t.Errorf("value %v, want what the other move proves", v)
	}
}

// A path of exact.MaxPly positions fills a small stack. The bounds of the ends near the root stay.
func TestAFullStackLeavesTheProvedBounds(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	g := &toys.Tree{Roles: roles, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Moves: []int{1, 2}, Kids: []int{0, 3}}, {Goals: []int32{30, 70}}, {Goals: []int32{60, 40}},
	}}
	m, want := parallel{g.Machine()}, search.Interval{Lower: 30, Upper: 60}
	for _, c := range []struct {
		threads int
		bytes   int64
		reason  error
	}{{1, 128 << 20, exact.ErrTooDeep}, {8, 128 << 20, exact.ErrTooDeep}, {1, 1 << 20, play.ErrTooWide}, {8, 1 << 20, play.ErrTooWide}} {
		r, err := New(Config{Threads: c.threads}).Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: c.bytes})
		if err != nil || r.Values[0] != want || !errors.Is(r.Unfinished, c.reason) {
			t.Errorf("%d threads, %d bytes: %v, unfinished: %v, error %v; want %v, %v", c.threads, c.bytes, r.Values, r.Unfinished, err, want, c.reason)
		}
	}
}

// chain returns a game in which the first move of left ends with 50, and the second leads to so many forced moves and an
// end with 100.
func chain(forced int) *toys.Tree {
	g := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{50, 50}}}}
	for i := range forced {
		g.Nodes = append(g.Nodes, toys.Node{Moves: []int{1, 1}, Kids: []int{i + 3}})
	}
	g.Nodes = append(g.Nodes, toys.Node{Goals: []int32{100, 0}})
	return g
}

func TestAChainOfForcedMovesIsFollowed(t *testing.T) {
	for _, without := range []Refinement{0, Deepening} {
		if r := solve(t, Config{Without: without}, chain(1500).Machine(), search.Limits{}); !r.Solved() || r.Values[0] != search.Exact(100) {
			t.Errorf("without %b: %v, unfinished: %v", without, r.Values, r.Unfinished)
		}
	}
}

func TestALimitOfNodesBoundsChainsOfForcedMoves(t *testing.T) {
	if r := solve(t, Config{}, chain(1500).Machine(), search.Limits{MaxNodes: 10}); r.Solved() || r.Nodes != 10 {
		t.Errorf("%v after %d nodes", r.Values, r.Nodes)
	}
}

// All leaves of a binary tree but one lead to a circle of three positions without a choice.
func TestForcedMovesInACircleAreLeftAtOnce(t *testing.T) {
	const leaves, circle = 32, 3
	g := &toys.Tree{Roles: roles}
	for i := range leaves - 1 {
		g.Nodes = append(g.Nodes, toys.Node{Moves: []int{2, 1}, Kids: []int{2*i + 1, 2*i + 2}})
	}
	for i := range (1 + circle) * leaves {
		next := len(g.Nodes) + leaves
		if i >= circle*leaves {
			next -= circle * leaves
		}
		g.Nodes = append(g.Nodes, toys.Node{Moves: []int{1, 1}, Kids: []int{next}})
	}
	g.Nodes[leaves] = toys.Node{Goals: []int32{50, 50}}
	const enough = 50_000
	passes := toys.PassesAfterEnd(g.Machine(), enough, func(ctx context.Context, m machine.Machine) {
		r, err := New(Config{}).Search(ctx, m, m.Initial(), search.Limits{})
		if want := (search.Interval{Lower: 50, Upper: 100}); err != nil || r.Values[0] != want {
			t.Errorf("%v, error %v; want %v", r.Values, err, want)
		}
	})
	if passes >= 0 {
		t.Errorf("more than %d passes", enough)
	}
}

// Two means of the same values, added up in another order, may differ by rounding.
func TestBoundsThatMeetStayInOrder(t *testing.T) {
	const least = 59.15826738858808
	v := exactly(math.Nextafter(least, 100)).tightened(search.Exact(least))
	if v.proved.Lower > v.proved.Upper || v.guess.Lower > v.guess.Upper || v.proved.Upper != least {
		t.Errorf("%+v", v)
	}
}

func TestALineIsFoundUnlessItIsNotWanted(t *testing.T) {
	for _, noLine := range []bool{false, true} {
		if r := solve(t, Config{}, newTicTacToe(), search.Limits{NoLine: noLine}); !r.Solved() || (r.Line == nil) != noLine || len(r.Strategies[0]) != 1 {
			t.Errorf("not wanted: %t, line %v, strategies %v", noLine, r.Line, r.Strategies)
		}
	}
}

package sequential

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

var roles = []string{"first", "second"}

func solve(t testing.TB, c Config, m machine.Machine, lim search.Limits) search.Result {
	t.Helper()
	return must.Get(New(c).Search(context.Background(), m, m.Initial(), lim))(t)
}

func TestTicTacToeIsADraw(t *testing.T) {
	for _, without := range []Refinement{0, Literal, Table, Ordering, Lookahead, NullWindow, Deepening, Ahead} {
		r := solve(t, Config{Without: without}, newTicTacToe(), search.Limits{})
		if !r.Solved() || r.Values[0].Lower != 50 || r.Values[1].Lower != 50 {
			t.Errorf("without %b: values %v, proved %v; want 50", without, r.Values, r.Proved)
		}
	}
}

func TestSubtractionIsLostExactlyOnMultiplesOfMostPlusOne(t *testing.T) {
	for start := 1; start <= 24; start++ {
		m := subtraction(start)
		r := solve(t, Config{}, m, search.Limits{})
		want := 100.0
		if start%4 == 0 {
			want = 0
		}
		if !r.Solved() || r.Values[0].Lower != want {
			t.Errorf("%d counters: %v, want %g", start, r.Values[0], want)
		}
		if want == 100 && start%4 != int(r.Strategies[0][0].Move) {
			t.Errorf("%d counters: takes %d, want %d", start, r.Strategies[0][0].Move, start%4)
		}
	}
}

// parallel is a machine that says that it is parallel.
type parallel struct{ machine.Machine }

func (m parallel) Info() machine.Info {
	info := m.Machine.Info()
	info.Parallel = true
	return info
}

func TestTheIntervalContainsTheMinimaxValueAndIsNoWiderThanEpsilon(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		c := Config{
			Epsilon: rapid.SampledFrom([]float64{0, 0, 1, 7.5, 30, 100}).Draw(rt, "epsilon"),
			Without: Refinement(rapid.IntRange(0, int(Literal)).Draw(rt, "without")),

			ShareEpsilon: rapid.Bool().Draw(rt, "share epsilon"),
			Threads:      rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		m := machineOf(game, drawn(rt))
		r := must.Get(crowded(c).Search(context.Background(), m, m.Initial(), search.Limits{}))(rt)
		want := minimax(game, 0)
		v := r.Values[0]
		if !r.Proved || v.Lower > want+1e-9 || v.Upper < want-1e-9 {
			rt.Fatalf("%v (proved %v) does not contain %g", v, r.Proved, want)
		}
		if v.Upper-v.Lower > c.Epsilon {
			rt.Fatalf("%v is wider than %g", v, c.Epsilon)
		}
	})
}

func TestTheMoveChosenGuaranteesTheLowerBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		if len(game.Nodes[0].Kids) == 0 {
			return
		}
		c := Config{
			Epsilon: rapid.SampledFrom([]float64{0, 5, 20}).Draw(rt, "epsilon"),
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		m := machineOf(game, drawn(rt))
		r := must.Get(crowded(c).Search(context.Background(), m, m.Initial(), search.Limits{}))(rt)
		root := &game.Nodes[0]
		for role := range min(2, len(game.Roles)) {
			if game.Roles[role] == machine.RandomRole || root.Moves[role] == 1 {
				continue
			}
			fixed := *game
			fixed.Nodes = append([]toys.Node(nil), game.Nodes...)
			fixed.Nodes[0] = restrict(*root, role, int(r.Strategies[role][0].Move))
			got := minimax(&fixed, 0)
			if role == 0 && got < r.Values[0].Lower-1e-9 || role == 1 && got > r.Values[0].Upper+1e-9 {
				rt.Fatalf("role %d's move is worth %g to the first role, promised %v", role, got, r.Values[0])
			}
		}
	})
}

// restrict leaves role only one of its moves at n.
func restrict(n toys.Node, role, move int) toys.Node {
	out := toys.Node{Moves: append([]int(nil), n.Moves...)}
	out.Moves[role] = 1
	step := 1
	for r := role + 1; r < len(n.Moves); r++ {
		step *= n.Moves[r]
	}
	for c, kid := range n.Kids {
		if c/step%n.Moves[role] == move {
			out.Kids = append(out.Kids, kid)
		}
	}
	return out
}

func TestWhatIsKnownWhenStoppedContainsTheValue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		c := Config{Threads: rapid.IntRange(1, 2).Draw(rt, "threads")}
		stopAndGoOn(rt, crowded(c), machineOf(game, drawn(rt)), minimax(game, 0))
	})
}

// stopAndGoOn searches with limits that double until m, of value want, is solved: the proved bounds hold after each.
func stopAndGoOn(rt *rapid.T, s search.Searcher, m machine.Machine, want float64) {
	for limit := int64(1); ; limit *= 2 {
		r := must.Get(s.Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: limit}))(rt)
		if v := r.Values[0]; !r.Proved || v.Lower > want+1e-9 || v.Upper < want-1e-9 {
			rt.Fatalf("after %d nodes: %v does not contain %g", limit, v, want)
		}
		if r.Nodes > max(limit, 2) { // one for each thread
			rt.Fatalf("%d nodes, limit %d", r.Nodes, limit)
		}
		if r.Nodes < limit/2 { // no thread has come to its own
			if !r.Solved() {
				rt.Fatalf("gave up unsolved: %v", r.Values)
			}
			return
		}
	}
}

func TestTheSameLimitGivesTheSameSearch(t *testing.T) {
	m := newTicTacToe()
	for _, limit := range []int64{0, 100, 1000} {
		a := solve(t, Config{}, m, search.Limits{MaxNodes: limit})
		b := solve(t, Config{}, m, search.Limits{MaxNodes: limit})
		a.Elapsed, b.Elapsed = 0, 0
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
}

func TestADoneContextStillGivesAnAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := newTicTacToe()
	r, err := New(Config{}).Search(ctx, m, m.Initial(), search.Limits{})
	if err != nil || !r.Proved || r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) || len(r.Strategies[0]) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestMovesProvedToBeMistakesAreListed(t *testing.T) {
	for _, c := range []struct {
		start int
		want  []machine.Move
	}{
		{9, []machine.Move{2, 3}}, // one leaves eight, which is lost for the other
		{8, nil},                  // all moves lose
	} {
		m := subtraction(c.start)
		v := New(Config{})
		r := must.Get(v.Search(context.Background(), m, m.Initial(), search.Limits{}))(t)
		for _, bad := range search.Mistakes(r.Moves[0], 0) {
			if !slices.Contains(c.want, bad) {
				t.Errorf("%d counters: %d is listed, mistakes are %v", c.start, bad, c.want)
			}
		}
	}
	// The first move loses at once, the others are out of reach of the limit.
	trap := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{0, 100}}}}
	for i := 2; i < 40; i++ {
		trap.Nodes = append(trap.Nodes, toys.Node{Moves: []int{1, 2}, Kids: []int{i + 1, i + 1}})
	}
	trap.Nodes = append(trap.Nodes, toys.Node{Goals: []int32{50, 50}})
	m := trap.Machine()
	v := New(Config{})
	r := must.Get(v.Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 10}))(t)
	if got := search.Mistakes(r.Moves[0], 0); !slices.Equal(got, []machine.Move{0}) {
		t.Errorf("refuted %v, want the move that loses at once", got)
	}
}

func TestAWarmTableAnswersWithTheSameMove(t *testing.T) {
	m := subtraction(21)
	solver := New(Config{})
	for range 3 {
		r, err := solver.Search(context.Background(), m, m.Initial(), search.Limits{})
		if err != nil || r.Strategies[0][0].Move != 1 || r.Values[0].Lower != 100 {
			t.Fatalf("got %+v, %v", r, err)
		}
	}
}

func TestTheLineLeadsToTheValue(t *testing.T) {
	m := subtraction(14)
	r := solve(t, Config{}, m, search.Limits{})
	over, goals := toys.Follow(m, m.Initial(), r.Line)
	if !over || float64(goals[0]) != r.Values[0].Lower {
		t.Errorf("after %d joint moves terminal is %v with goals %v; the value is %v", len(r.Line), over, goals, r.Values[0])
	}
}

func TestTheLineOfAResumedSearchWithAToleranceLeadsToTheValue(t *testing.T) {
	ended := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := shape{
			roles: []string{"max", "min"}, depth: 4 + rng.IntN(3), choosers: [][]int{{0}, {1}}, share: 0.3,
			branch: func(rng *rand.Rand) int { return 1 + rng.IntN(4) },
			leaf:   func(rng *rand.Rand) int32 { return int32(10 * rng.IntN(11)) },
		}.grow(rng).Machine()
		c := Config{Epsilon: float64(5 * rng.IntN(5)), Halves: rng.IntN(2) == 0}
		first, next := New(c), New(c)
		must.Get(first.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 1 + rng.Int64N(60)}))(t)
		must.OK(t, next.Keep(m, 0, func(yield func([]uint64, error) bool) {
			for record := range first.Kept() {
				if !yield(record, nil) {
					return
				}
			}
		}))
		r := must.Get(next.Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
		over, goals := toys.Follow(m, m.Initial(), r.Line)
		if v := r.Values[0]; over && (float64(goals[0]) < v.Lower || float64(goals[0]) > v.Upper) {
			t.Errorf("seed %d: the line %v ends with %v; the value is in %v", seed, r.Line, goals, v)
		} else if over {
			ended++
		}
	}
	if ended < 370 {
		t.Errorf("%d of 500 lines lead to the end", ended)
	}
}

func TestGamesOfAnotherKindAreRefused(t *testing.T) {
	leaf := func(a, b int32) toys.Node { return toys.Node{Goals: []int32{a, b}} }
	for name, c := range map[string]struct {
		game *toys.Tree
		want error
	}{
		"both choose": {&toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 2}, Kids: []int{1, 1, 1, 1}}, leaf(0, 100)}}, search.ErrNotSequential},
		"general sum": {&toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, leaf(0, 100), leaf(100, 100)}}, search.ErrNotZeroSum},
		"three roles": {&toys.Tree{Roles: []string{"a", "b", "c"}, Nodes: []toys.Node{{Moves: []int{1, 1, 1}, Kids: []int{1}}, {Goals: []int32{0, 0, 0}}}}, search.ErrNotZeroSum},
	} {
		m := c.game.Machine()
		if _, err := New(Config{}).Search(context.Background(), m, m.Initial(), search.Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	stuck := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 1}}, {Moves: []int{0, 1}, Kids: []int{0}}}}
	m := stuck.Machine()
	if _, err := New(Config{}).Search(context.Background(), m, m.Initial(), search.Limits{}); err == nil {
		t.Error("a position without a legal move goes unnoticed")
	}
}

func TestAGameWithoutEndIsSearchedInBoundedMemory(t *testing.T) {
	for name, circle := range map[string]*toys.Tree{
		"choices": {Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 1}}, {Moves: []int{1, 2}, Kids: []int{0, 0}}}},
		"forced":  {Roles: roles, Nodes: []toys.Node{{Moves: []int{1, 1}, Kids: []int{1}}, {Moves: []int{1, 1}, Kids: []int{0}}}},
	} {
		m := circle.Machine()
		r := solve(t, Config{Without: Deepening}, m, search.Limits{})
		if r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) {
			t.Errorf("%s: values %v, want nothing known", name, r.Values)
		}
	}
}

func TestSearchDoesNotAllocatePerNode(t *testing.T) {
	m := parallel{newTicTacToe()}
	v := New(Config{Without: Table})
	must.OK(t, v.prepare(m, 0))
	r := v.crew(t.Context(), m, m.Initial(), search.Limits{}).workers[0]
	for range 20 { // until the ordering has settled, and every frame has met its widest position
		r.search(m.Initial(), 6, window{0, 100, 0})
	}
	allocs := testing.AllocsPerRun(5, func() {
		r.search(m.Initial(), 6, window{0, 100, 0})
	})
	if allocs > 0 {
		t.Errorf("%g allocations in a search of %d nodes", allocs, r.nodes)
	}
}

// randomTrees returns the first domain of the paper: branching factor b, leaves
// uniform in [0, 100].
func randomTrees(b, depth int, seed uint64) *toys.Tree {
	return shape{
		roles: roles, depth: depth, choosers: [][]int{{0}, {1}}, inTurn: true,
		branch: func(*rand.Rand) int { return b },
		leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
	}.grow(rand.New(rand.NewPCG(seed, 1)))
}

// BenchmarkExpansionRatio repeats Fig. 4 of the paper (b = 4): expansions
// relative to ε = 0 (ER) and the actual bound (AMB), mean of 50 trees.
func BenchmarkExpansionRatio(b *testing.B) {
	for _, kind := range []struct {
		name    string
		without Refinement
	}{{"literal", Literal}, {"refined", 0}} {
		for _, depth := range []int{3, 5, 7, 9} {
			for _, epsilon := range []float64{0, 32, 64} {
				b.Run(fmt.Sprintf("%s/depth=%d/eps=%g", kind.name, depth, epsilon), func(b *testing.B) {
					for range b.N {
						ratio, bound, nodes := 0.0, 0.0, 0.0
						const trees = 50
						for seed := range uint64(trees) {
							m := randomTrees(4, depth, seed).Machine()
							safe := solve(b, Config{Without: kind.without}, m, search.Limits{})
							r := solve(b, Config{Without: kind.without, Epsilon: epsilon}, m, search.Limits{})
							ratio += float64(r.Nodes) / float64(safe.Nodes)
							bound += r.Values[0].Upper - r.Values[0].Lower
							nodes += float64(r.Nodes)
						}
						b.ReportMetric(ratio/trees, "ER")
						b.ReportMetric(bound/trees, "AMB")
						b.ReportMetric(math.Round(nodes/trees), "nodes/tree")
					}
				})
			}
		}
	}
}

// BenchmarkShareEpsilon compares the two ways to hand ε to the children of a
// chance toys.Node, on 30 trees of depth 5 with 3 moves and 3 replies of chance.
func BenchmarkShareEpsilon(b *testing.B) {
	for _, epsilon := range []float64{0, 5, 10, 30} {
		for _, share := range []bool{false, true} {
			b.Run(fmt.Sprintf("eps=%g/share=%v", epsilon, share), func(b *testing.B) {
				nodes := 0.0
				for range b.N {
					for seed := range uint64(30) {
						game := shape{
							roles: []string{"first", "second", machine.RandomRole}, depth: 5, inTurn: true,
							choosers: [][]int{{0, 2}, {1, 2}},
							branch:   func(*rand.Rand) int { return 3 },
							leaf:     func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
						}.grow(rand.New(rand.NewPCG(seed, 1)))
						c := Config{Epsilon: epsilon, ShareEpsilon: share, Without: Deepening}
						nodes += float64(solve(b, c, game.Machine(), search.Limits{}).Nodes)
					}
				}
				b.ReportMetric(nodes/float64(b.N), "nodes")
			})
		}
	}
}

// BenchmarkRefinements counts the nodes that solving takes with all refinements
// and without each of them.
func BenchmarkRefinements(b *testing.B) {
	graph := shape{
		roles: roles, depth: 9, choosers: [][]int{{0}, {1}}, inTurn: true, share: 0.6,
		branch: func(*rand.Rand) int { return 4 },
		leaf:   func(rng *rand.Rand) int32 { return int32(50 * rng.IntN(3)) },
	}.grow(rand.New(rand.NewPCG(3, 1)))
	dice := shape{
		roles: []string{"first", "second", machine.RandomRole}, depth: 6, inTurn: true, share: 0.5,
		choosers: [][]int{{0, 2}, {1, 2}},
		branch:   func(*rand.Rand) int { return 3 },
		leaf:     func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
	}.grow(rand.New(rand.NewPCG(4, 1)))
	for _, game := range []struct {
		name    string
		machine machine.Machine
	}{
		{"ticTacToe", newTicTacToe()},
		{"tree", randomTrees(4, 7, 1).Machine()},
		{"graph", graph.Machine()},
		{"dice", dice.Machine()},
		{"connectFour-5x4", gamestest.Machine(b, "connectFour-5x4")},
		{"breakthrough-3x5", gamestest.Machine(b, "breakthrough-3x5")},
		{"breakthrough-4x5", gamestest.Machine(b, "breakthrough-4x5")},
	} {
		for _, r := range []struct {
			name    string
			without Refinement
		}{
			{"all", 0},
			{"noTable", Table},
			{"noOrdering", Ordering},
			{"noLookahead", Lookahead},
			{"noNullWindow", NullWindow},
			{"noDeepening", Deepening},
			{"noAhead", Ahead},
			{"noProbing", Probing},
			{"noForesight", Foresight},
			{"none", Literal},
		} {
			for _, epsilon := range []float64{0, 10} {
				b.Run(fmt.Sprintf("%s/%s/eps=%g", game.name, r.name, epsilon), func(b *testing.B) {
					nodes := 0.0
					for range b.N {
						nodes += float64(solve(b, Config{Epsilon: epsilon, Without: r.without}, game.machine, search.Limits{MaxNodes: 5_000_000}).Nodes)
					}
					b.ReportMetric(nodes/float64(b.N), "nodes")
				})
			}
		}
	}
}

package montecarlo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func sample(t testing.TB, c Config, m machine.Machine, nodes int64) search.Result {
	t.Helper()
	r, err := New(c).Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: nodes, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func probability(s []search.Weighted, m machine.Move) float64 {
	for _, w := range s {
		if w.Move == m {
			return w.Probability
		}
	}
	return 0
}

func TestForcedWinsAndLossesAreProved(t *testing.T) {
	for start := 1; start <= 12; start++ {
		m := newSubtraction([]string{"left", "right"}, start)
		r := sample(t, Config{}, m, 20_000)
		want := 100.0
		if start%4 == 0 {
			want = 0
		}
		if !r.Solved() || r.Values[0].Lower != want || r.Values[1].Lower != 100-want {
			t.Errorf("%d counters: %v, proved %v; want %g", start, r.Values, r.Proved, want)
		}
		if want == 100 && r.Strategies[0][0].Move != machine.Move(start%4) {
			t.Errorf("%d counters: takes %d, want %d", start, r.Strategies[0][0].Move, start%4)
		}
	}
}

// overdue is a context whose timer has not gone off yet.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

func TestASearchStopsByTheClockBeforeTheTimerGoesOff(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 40)
	r, err := New(Config{}).Search(overdue{t.Context()}, m, m.Initial(), search.Limits{MaxNodes: 10_000})
	if err != nil || r.Nodes != 0 {
		t.Errorf("%d nodes, error %v", r.Nodes, err)
	}
}

func TestRegretMatchingComesNearTheEquilibrium(t *testing.T) {
	for name, c := range map[string]struct {
		rows  [][]int32
		want  []float64
		value float64
	}{
		"matching pennies": {[][]int32{{100, 0}, {0, 100}}, []float64{0.5, 0.5}, 50},
		"rock paper scissors": {
			[][]int32{{50, 0, 100}, {100, 50, 0}, {0, 100, 50}}, []float64{1. / 3, 1. / 3, 1. / 3}, 50,
		},
		// Rock that beats scissors wins twice as much: (1/4, 1/2, 1/4).
		"biased rock paper scissors": {
			[][]int32{{50, 25, 100}, {75, 50, 25}, {0, 75, 50}}, []float64{0.25, 0.5, 0.25}, 50,
		},
		"dominated row": {[][]int32{{60, 40}, {40, 60}, {10, 10}}, []float64{0.5, 0.5, 0}, 50},
	} {
		r := sample(t, Config{Rule: RegretMatching}, toys.Matrix(c.rows).Machine(), 40_000)
		for i, p := range c.want {
			if got := probability(r.Strategies[0], machine.Move(i)); math.Abs(got-p) > 0.08 {
				t.Errorf("%s: row %d with probability %.3f, want %.3f", name, i, got, p)
			}
		}
		if math.Abs(r.Values[0].Lower-c.value) > 4 {
			t.Errorf("%s: value %v, want %g", name, r.Values[0], c.value)
		}
	}
}

func TestASaddlePointIsProved(t *testing.T) {
	r := sample(t, Config{Exploration: 50}, toys.Matrix([][]int32{{30, 40}, {20, 90}}).Machine(), 1000)
	if !r.Solved() || r.Values[0] != search.Exact(30) || r.Strategies[0][0].Move != 0 || r.Strategies[1][0].Move != 0 {
		t.Errorf("got %+v, want 30 with both first moves", r)
	}
}

func TestTheMovesBeginWithTheMovePlayed(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 101)
	s := New(Config{})
	r, err := s.Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if moves := r.Moves[0]; len(moves) != 3 || moves[0].Move != r.Strategies[0][0].Move {
		t.Errorf("%v is known of three moves, played is %v", moves, r.Strategies[0])
	}
}

func TestThreeRolesEachPlayForThemselves(t *testing.T) {
	// With four counters a takes one, two or three; then the next player takes the remaining three or fewer. So a loses by every move unless it
	// takes all, and with three counters it wins at once.
	m := newSubtraction([]string{"a", "b", "c"}, 3)
	if r := sample(t, Config{}, m, 2000); r.Strategies[0][0].Move != 3 || r.Values[0].Lower != 100 {
		t.Errorf("three counters: %+v, want all three taken", r)
	}
	// Five counters: after a takes 1, b has 4 and must leave 1 to 3 for c, so c wins; after 2 or 3, b wins. Nothing helps a; b, asked at 4,
	// cannot win.
	m = newSubtraction([]string{"a", "b", "c"}, 5)
	r := sample(t, Config{}, m, 5000)
	if r.Values[0].Lower > 20 {
		t.Errorf("five counters: a expects %v, want little", r.Values[0])
	}
}

func TestAPuzzleIsSolvedAndItsLineGivesTheGoal(t *testing.T) {
	m := newLock(9)
	r := sample(t, Config{}, m, 50_000)
	if !r.Proved || r.Values[0].Lower != 100 || len(r.Line) != 9 {
		t.Fatalf("got %v with a line of %d moves, want 100 with 9", r.Values[0], len(r.Line))
	}
	for i, joint := range r.Line {
		if int(joint[0]) != i%3 {
			t.Errorf("move %d is %d, want %d", i, joint[0], i%3)
		}
	}
}

func TestTheBestLineOfAPuzzleIsWorthItsLowerBound(t *testing.T) {
	m := newLock(40)
	r := sample(t, Config{}, m, 300)
	over, goals := toys.Follow(m, m.Initial(), r.Line)
	if !over || float64(goals[0]) != r.Values[0].Lower || !r.Proved {
		t.Errorf("the line ends with %v, the result says %v (proved %v)", goals, r.Values[0], r.Proved)
	}
}

func TestChanceCountsWithItsMean(t *testing.T) {
	// The robot bets on one of two dice; chance shows 1 of 4 faces.
	game := &toys.Tree{Roles: []string{"robot", machine.RandomRole}, Nodes: []toys.Node{{Moves: []int{2, 4}}}}
	for _, g := range []int32{0, 0, 0, 100 /* mean 25 */, 20, 40, 30, 50 /* mean 35 */} {
		game.Nodes[0].Kids = append(game.Nodes[0].Kids, len(game.Nodes))
		game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{g, 0}})
	}
	r := sample(t, Config{}, game.Machine(), 2000)
	if !r.Solved() || r.Values[0] != search.Exact(35) || r.Strategies[0][0].Move != 1 {
		t.Errorf("got %+v, want 35 by the second bet", r)
	}
}

func TestGeneralSumIsNotTakenForZeroSum(t *testing.T) {
	// Both gain by meeting: the first move of both gives 100 to each.
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{{Moves: []int{2, 2}}}}
	for _, g := range [][]int32{{100, 100}, {0, 0}, {0, 0}, {60, 60}} {
		game.Nodes[0].Kids = append(game.Nodes[0].Kids, len(game.Nodes))
		game.Nodes = append(game.Nodes, toys.Node{Goals: g})
	}
	r := sample(t, Config{}, game.Machine(), 3000)
	if r.Strategies[0][0].Move != r.Strategies[1][0].Move {
		t.Errorf("the roles do not meet: %+v", r.Strategies)
	}
	if r.Values[0].Upper < 50 {
		t.Errorf("value %v: the other role is taken for an enemy", r.Values[0])
	}
}

// TestARoleTakesWhatIsProvedUnlessItHopesForMore: b may take 50, which leaves a nothing, or hope that a gives it 100,
// where a would rather keep 100. So a takes 60 at once.
func TestARoleTakesWhatIsProvedUnlessItHopesForMore(t *testing.T) {
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{3, 1}},
		{Moves: []int{1, 4}, Kids: []int{4, 2, 2, 2}},
		{Moves: []int{2, 1}, Kids: []int{5, 6}},
		{Goals: []int32{60, 40}},
		{Goals: []int32{0, 50}},
		{Goals: []int32{100, 0}},
		{Goals: []int32{0, 100}},
	}}
	r := sample(t, Config{}, game.Machine(), 3000)
	if p := probability(r.Strategies[0], 0); p < 1 {
		t.Errorf("a takes 60 with probability %v", p)
	}
	if b := r.Values[1]; b.Lower > 45 {
		t.Errorf("b hopes for %v", b)
	}
	at := machine.State{1}
	r, err := New(Config{}).Search(t.Context(), game.Machine(), at, search.Limits{MaxNodes: 3000})
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Values[0].Upper; probability(r.Strategies[1], 0) < 1 || a > 0 || len(r.Line) != 1 {
		t.Errorf("b takes 50 with probability %v, and a hopes for %v, after %v", probability(r.Strategies[1], 0), a, r.Line)
	}
}

// TestWhatWasProvedOfAnEnemyIsForgottenWhenThereIsNone plays games that look zero-sum until a position far away shows that both can win. Until
// then it seems proved that b leaves a nothing in the first branch: b wins there, for any goal of a. But b may as well give a 70 points.
func TestWhatWasProvedOfAnEnemyIsForgottenWhenThereIsNone(t *testing.T) {
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: make([]toys.Node, 3)}
	end := func(a, b int32) int {
		game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{a, b}})
		return len(game.Nodes) - 1
	}
	// hidden is a position behind which random play seldom comes: of three moves, of
	// one role or the other, one goes on each time.
	var hidden func(moves []int, depth, kid int) int
	hidden = func(moves []int, depth, kid int) int {
		if depth == 0 {
			return kid
		}
		n := len(game.Nodes)
		game.Nodes = append(game.Nodes, toys.Node{})
		game.Nodes[n] = toys.Node{Moves: moves, Kids: []int{end(0, 100), end(0, 100), hidden(moves, depth-1, kid)}}
		return n
	}
	const ( // the branches: b moves in the first, a in the second
		first = iota + 1
		second
	)
	game.Nodes[0] = toys.Node{Moves: []int{2, 1}, Kids: []int{first, second}}
	game.Nodes[first] = toys.Node{Moves: []int{1, 2}, Kids: []int{end(0, 100), hidden([]int{1, 3}, 7, end(70, 100))}}
	game.Nodes[second] = toys.Node{Moves: []int{2, 1}, Kids: []int{end(0, 100), hidden([]int{3, 1}, 7, end(10, 100))}}
	for seed := range uint64(10) {
		r, err := New(Config{Lanes: 1}).Search(t.Context(), game.Machine(), machine.State{0},
			search.Limits{MaxNodes: 3000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Values[0]; r.Proved && v.Upper < 70 {
			t.Errorf("seed %d: it is said to be proved that a gets %v, but it may get 70", seed, v)
		}
	}
}

// TestBoundsContainTheMinimaxValue grows trees over random games of turns and
// compares the proofs with minimax.
func TestBoundsContainTheMinimaxValue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		roles := rapid.SampledFrom([][]string{
			{"alone"}, {"a", "b"}, {"a", "b", machine.RandomRole}, {machine.RandomRole, "alone"},
		}).Draw(rt, "roles")
		game := &toys.Tree{Roles: roles}
		growToy(game, rng, rapid.IntRange(1, 4).Draw(rt, "depth"))
		m := game.Machine()
		first := 0
		if roles[0] == machine.RandomRole {
			first = 1
		}
		want := minimax(game, 0, first)
		r := sample(t, Config{}, m, rapid.Int64Range(1, 2000).Draw(rt, "nodes"))
		if v := r.Values[first]; r.Proved && (v.Lower > want+1e-9 || v.Upper < want-1e-9) {
			rt.Fatalf("%v is said to be proved, the value is %g", v, want)
		}
	})
}

// growToy appends a random game in which at most one player chooses at a time.
func growToy(t *toys.Tree, rng *rand.Rand, depth int) int {
	id := len(t.Nodes)
	t.Nodes = append(t.Nodes, toys.Node{})
	n := toys.Node{Moves: make([]int, len(t.Roles))}
	if depth == 0 || rng.IntN(6) == 0 && id > 0 {
		g := int32(rng.IntN(5) * 25)
		for range t.Roles {
			n.Goals = append(n.Goals, g)
			g = 100 - g
		}
		if t.Roles[0] == machine.RandomRole {
			n.Goals[0] = 0
		}
		t.Nodes[id] = n
		return id
	}
	for r := range n.Moves {
		n.Moves[r] = 1
	}
	n.Moves[rng.IntN(len(t.Roles))] = 1 + rng.IntN(3)
	for r, name := range t.Roles {
		if name == machine.RandomRole && rng.IntN(2) == 0 {
			n.Moves[r] = 1 + rng.IntN(2)
		}
	}
	joint := 1
	for _, k := range n.Moves {
		joint *= k
	}
	for range joint {
		n.Kids = append(n.Kids, growToy(t, rng, depth-1))
	}
	t.Nodes[id] = n
	return id
}

// minimax returns the value for role first of a game of turns.
func minimax(t *toys.Tree, id, first int) float64 {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[first])
	}
	strides := make([]int, len(n.Moves))
	step := 1
	for r := len(n.Moves) - 1; r >= 0; r-- {
		strides[r] = step
		step *= n.Moves[r]
	}
	chooser, chance, chanceStep := first, 1, 0
	for r, k := range n.Moves {
		if t.Roles[r] == machine.RandomRole {
			chance, chanceStep = k, strides[r]
		} else if k > 1 {
			chooser = r
		}
	}
	best := math.Inf(-1)
	if chooser != first {
		best = math.Inf(1)
	}
	for a := range n.Moves[chooser] {
		sum := 0.0
		for k := range chance {
			sum += minimax(t, n.Kids[a*strides[chooser]+k*chanceStep], first)
		}
		if v := sum / float64(chance); chooser == first {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
	}
	return best
}

func TestTheSameSeedAndLimitGiveTheSameResult(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := newSubtraction([]string{"left", "right"}, 300)
	for _, c := range []Config{{}, {Rule: RegretMatching, Lanes: 64}} {
		const nodes = 1200
		a, b := sample(t, c, m, nodes), sample(t, c, m, nodes)
		a.Elapsed, b.Elapsed = 0, 0
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
		if a.Nodes != nodes {
			t.Errorf("%+v: %d nodes, want %d", c, a.Nodes, nodes)
		}
	}
}

func TestWorkersShareTheNodes(t *testing.T) {
	const nodes = 1200 // as many for each worker
	if r := sample(t, Config{Workers: 3}, newSubtraction([]string{"left", "right"}, 300), nodes); r.Nodes != nodes {
		t.Errorf("%d nodes, want %d", r.Nodes, nodes)
	}
}

func TestTheTreeStaysInItsMemory(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := newSubtraction([]string{"left", "right"}, 200)
	const limit = 1 << 16
	r, err := New(Config{}).Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 20_000, MaxBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	if r.PeakBytes > limit {
		t.Errorf("peak of %d bytes, limit %d", r.PeakBytes, limit)
	}
}

func TestTheTreeIsKeptForTheNextMove(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 30)
	s := New(Config{})
	ctx := context.Background()
	if _, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: 5000}); err != nil {
		t.Fatal(err)
	}
	after := machine.State{29*2 + 1} // left took one counter
	n := s.workers[0].tree.below(after)
	visits := s.workers[0].tree.at(n).visits
	var told []search.Result
	tell := func(r search.Result) { told = append(told, r) }
	if _, err := s.Search(ctx, m, after, search.Limits{MaxNodes: 1, Progress: tell}); err != nil {
		t.Fatal(err)
	}
	if len(told) == 0 || told[0].Nodes != 0 || len(told[0].Strategies[1]) == 0 {
		t.Errorf("told %+v, want what is known of the position before anything is searched", told)
	}
	tree := s.workers[0].tree
	if !tree.state(tree.root).Equal(after) || tree.at(tree.root).visits < visits {
		t.Errorf("root %v with %d visits, want %v with at least %d", tree.state(tree.root), tree.at(tree.root).visits, after, visits)
	}
	checkLinks(t, tree)
}

// checkLinks follows the links from the root, and from all waste. Each link must point to the successor by its joint move, and be in the list of
// links to its node; there must be no other links.
func checkLinks(t *testing.T, tree *tree) {
	t.Helper()
	seen, count := map[int32]bool{}, 0
	open := []int32{tree.root}
	for n := tree.waste; n != none; n = tree.at(n).next {
		open = append(open, n)
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		for l := tree.at(n).out; l != none; l = tree.links.at(l).sibling {
			a := tree.links.at(l)
			in := tree.at(a.to).in
			for in != none && in != l {
				in = tree.links.at(in).parallel
			}
			if a.from != n || tree.findLink(n, a.cell) != l || in != l || tree.at(a.to).ply != tree.at(n).ply+1 {
				t.Fatalf("link %d of node %d, %+v, is not where it belongs", l, n, *a)
			}
			open, count = append(open, a.to), count+1
		}
	}
	for l := tree.links.free; l != none; l = tree.links.at(l).next {
		count++
	}
	if count != int(tree.links.fresh) {
		t.Errorf("%d links that are used or free, of %d", count, tree.links.fresh)
	}
	for n := range seen {
		if a := tree.at(n); tree.shares && (a.in != none || n == tree.root) && a.moves != none && tree.find(tree.state(n), a.ply) == none {
			t.Errorf("node %d is not found", n)
		}
	}
}

func TestADoneContextStillGivesAMove(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := newSubtraction([]string{"left", "right"}, 30)
	for _, rule := range []Rule{UCT, RegretMatching} {
		r, err := New(Config{Rule: rule}).Search(ctx, m, m.Initial(), search.Limits{})
		if err != nil || len(r.Strategies[0]) != 1 || r.Strategies[0][0].Move < 1 || r.Strategies[0][0].Move > 3 {
			t.Errorf("got %+v, %v; want some legal move", r.Strategies, err)
		}
	}
	r, err := New(Config{Rule: RegretMatching}).Search(ctx, toys.Matrix([][]int32{{1, 2}, {3, 4}}).Machine(), machine.State{0}, search.Limits{})
	if err != nil || len(r.Strategies[0]) == 0 {
		t.Errorf("got %+v, %v; want some strategy", r.Strategies, err)
	}
}

func TestBrokenGamesAreReported(t *testing.T) {
	stuck := &toys.Tree{Roles: []string{"a"}, Nodes: []toys.Node{{Moves: []int{0}, Kids: []int{0}}}}
	m := stuck.Machine()
	if _, err := New(Config{}).Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 10}); err == nil {
		t.Error("a root without legal moves goes unnoticed")
	}
	later := &toys.Tree{Roles: []string{"a"}, Nodes: []toys.Node{{Moves: []int{2}, Kids: []int{1, 2}}, {Moves: []int{0}, Kids: []int{0}}, {Goals: []int32{30}}}}
	m = later.Machine()
	if r := sample(t, Config{}, m, 50); r.Strategies[0][0].Move != 1 {
		t.Errorf("got %+v, want the move that avoids the dead end", r)
	}
}

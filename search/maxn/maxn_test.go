package maxn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/sequential"
)

// grow makes a random game of turns: a graph of positions, the deeper ones first, whose
// goals add up to 100, or are anything.
func grow(rng *rand.Rand, roles []string, depth int, constant bool) *toys.Tree {
	t := &toys.Tree{Roles: roles}
	levels := make([][]int, depth+1)
	var node func(level int) int
	node = func(level int) int {
		if known := levels[level]; len(known) > 0 && rng.IntN(4) == 0 {
			return known[rng.IntN(len(known))]
		}
		id := len(t.Nodes)
		t.Nodes = append(t.Nodes, toys.Node{})
		levels[level] = append(levels[level], id)
		n := toys.Node{Moves: make([]int, len(roles))}
		if level == depth || level > 0 && rng.IntN(8) == 0 {
			t.Nodes[id].Goals = goals(rng, roles, constant)
			return id
		}
		for r := range n.Moves {
			n.Moves[r] = 1
		}
		chooser := rng.IntN(len(roles))
		n.Moves[chooser] = 1 + rng.IntN(3)
		joint := n.Moves[chooser]
		if last := len(roles) - 1; roles[last] == machine.RandomRole && chooser != last && rng.IntN(3) == 0 {
			n.Moves[last] = 2
			joint *= 2
		}
		for range joint {
			n.Kids = append(n.Kids, node(level+1))
		}
		t.Nodes[id] = n
		return id
	}
	node(0)
	return t
}

// goals returns the goals of a terminal position, in steps of 10 so that some are equal.
func goals(rng *rand.Rand, roles []string, constant bool) []int32 {
	dst, left := make([]int32, len(roles)), int32(10)
	for r, name := range roles {
		if name == machine.RandomRole {
			continue
		}
		if dst[r] = rng.Int32N(11); constant {
			last := r == len(roles)-1 || roles[r+1] == machine.RandomRole
			if dst[r] = rng.Int32N(left + 1); last {
				dst[r] = left
			}
			left -= dst[r]
		}
	}
	for r := range dst {
		dst[r] *= 10
	}
	return dst
}

// induction returns max^n as it is defined, with the same choice among equal moves.
func induction(t *toys.Tree, id int) []float64 {
	n := t.Nodes[id]
	tuple := make([]float64, len(t.Roles))
	if len(n.Kids) == 0 {
		for r, g := range n.Goals {
			tuple[r] = float64(g)
		}
		return tuple
	}
	moves, replies, moveStep, replyStep, decider, step := 1, 1, 0, 0, -1, 1
	for r := len(n.Moves) - 1; r >= 0; r-- {
		if n.Moves[r] > 1 && t.Roles[r] == machine.RandomRole {
			replies, replyStep = n.Moves[r], step
		} else if n.Moves[r] > 1 {
			moves, moveStep, decider = n.Moves[r], step, r
		}
		step *= n.Moves[r]
	}
	best, found, bestEnds := tuple, false, false
	for a := range moves {
		v, ends := make([]float64, len(t.Roles)), true
		for k := range replies {
			kid := n.Kids[a*moveStep+k*replyStep]
			ends = ends && len(t.Nodes[kid].Kids) == 0
			for r, u := range induction(t, kid) {
				v[r] += u / float64(replies)
			}
		}
		for r, mean := range v {
			v[r] = exact.Snap(mean)
		}
		if !found || v[decider] > best[decider] || v[decider] == best[decider] && ends && !bestEnds {
			best, found, bestEnds = v, true, ends
		}
	}
	return best
}

var casts = [][]string{
	{"a"}, {"a", "b"}, {"a", "b", "c"}, {"a", "b", "c", "d"}, {"a", machine.RandomRole}, {"a", "b", "c", machine.RandomRole},
}

func TestMaxNIsBackwardInductionWhateverIsPruned(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		game := grow(rng, casts[rng.IntN(len(casts))], 1+rng.IntN(6), rng.IntN(2) == 0)
		want := induction(game, 0)
		m := game.Machine()
		for _, noTable := range []bool{false, true} {
			r, err := New(Config{NoTable: noTable}).Search(context.Background(), m, m.Initial(), search.Limits{})
			if err != nil || !r.Solved() {
				t.Fatalf("seed %d: %+v, %v", seed, r, err)
			}
			for role, v := range r.Values {
				if math.Abs(v.Lower-want[role]) > 1e-9 {
					t.Fatalf("seed %d, without table %t: %v, want %v", seed, noTable, r.Values, want)
				}
			}
		}
	}
}

// Of three moves the second brings the most that any goal is: the third is not searched.
func TestNothingIsSearchedBesideTheMostThatAnyGoalIs(t *testing.T) {
	end := func(a, b int32) toys.Node { return toys.Node{Goals: []int32{a, b}} }
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{
		{Moves: []int{3, 1}, Kids: []int{1, 2, 3}},
		{Moves: []int{1, 2}, Kids: []int{4, 5}},
		{Moves: []int{1, 2}, Kids: []int{6, 7}},
		{Moves: []int{1, 2}, Kids: []int{4, 7}},
		end(10, 20),
		end(20, 30),
		end(100, 50),
		end(0, 40),
	}}
	m := game.Machine()
	r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Nodes != 3 || r.Values[0] != search.Exact(100) {
		t.Errorf("%d nodes, %v, %v; want 3", r.Nodes, r.Values, err)
	}
}

// A sum of sixths of a goal exceeds the goal by a rounding error. Means that are equal by the rules are equal as numbers, so
// the first move is made, which ends the game.
func TestEqualMeansOverChanceAreEqual(t *testing.T) {
	for _, goal := range []int32{50, 100} {
		for _, replies := range []int{2, 6, 7, 9, 11} {
			game := &toys.Tree{Roles: []string{"a", "b", machine.RandomRole}, Nodes: []toys.Node{
				{Moves: []int{2, 1, 1}, Kids: []int{1, 2}},
				{Goals: []int32{goal, 100, 0}},
				{Moves: []int{1, 1, replies}, Kids: slices.Repeat([]int{3}, replies)},
				{Goals: []int32{goal, 0, 0}},
			}}
			m := game.Machine()
			r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
			if want := []search.Interval{search.Exact(float64(goal)), search.Exact(100)}; err != nil || !slices.Equal(r.Values[:2], want) {
				t.Errorf("%d replies: %v, error %v; want %v", replies, r.Values, err, want)
			}
		}
	}
}

func TestWithTwoPlayersItIsMinimax(t *testing.T) {
	for _, name := range []string{"ticTacToe", "nim-2.3", "connectFour-4x4", "pig-6-2", "copsAndRobber-3x3-1-3"} {
		m := gamestest.Machine(t, name)
		want := must.Get(sequential.New(sequential.Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
		got, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || !got.Solved() {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		for role := range m.Names().Players() {
			if math.Abs(got.Values[role].Lower-want.Values[role].Lower) > 1e-9 {
				t.Errorf("%s: %v, by alpha-beta %v", name, got.Values, want.Values)
			}
		}
	}
}

func TestTheLineLeadsToTheValues(t *testing.T) {
	m := gamestest.Machine(t, "trio-3x3")
	r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || !r.Solved() {
		t.Fatalf("%+v, %v", r, err)
	}
	over, goals := toys.Follow(m, m.Initial(), r.Line)
	if !over || len(r.Line) == 0 {
		t.Fatalf("the line %v does not reach the end", r.Line)
	}
	for role, g := range goals {
		if float64(g) != r.Values[role].Lower {
			t.Errorf("after %d joint moves %v, the values are %v", len(r.Line), goals, r.Values)
		}
	}
}

func TestAGameWithoutEndIsSaidToBeTooDeep(t *testing.T) {
	m := toys.Wide{Roles: []string{"a", "b", "c"}, Moves: []int{1, 1, 1}}.Machine()
	r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || !errors.Is(r.Unfinished, exact.ErrTooDeep) || r.Solved() || r.Values[0] != (search.Interval{Upper: machine.MaxGoal}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestGamesOfAnotherKindAreRefused(t *testing.T) {
	m := toys.Matrix([][]int32{{100, 0}, {0, 100}}).Machine()
	if _, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotSequential) {
		t.Errorf("two players choose at once: %v", err)
	}
}

func TestASearchThatIsStoppedClaimsNothing(t *testing.T) {
	m := gamestest.Machine(t, "trio")
	for _, limit := range []int64{1, 100, 5000} {
		r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: limit})
		if err != nil || r.Nodes > limit || r.Solved() || r.Values[0] != (search.Interval{Upper: machine.MaxGoal}) || len(r.Strategies[0]) != 1 {
			t.Errorf("%d nodes: %+v, %v", limit, r, err)
		}
	}
}

func TestATableIsKeptForTheSameGameAndMemory(t *testing.T) {
	m, other, s := gamestest.Machine(t, "trio-3x3"), gamestest.Machine(t, "ticTacToe"), New(Config{})
	var nodes []int64
	var before search.Result
	for i, c := range []struct {
		machine machine.Machine
		bytes   int64
	}{{m, 0}, {m, 0}, {other, 0}, {m, 0}, {m, 1 << 30}} {
		r, err := s.Search(t.Context(), c.machine, c.machine.Initial(), search.Limits{MaxBytes: c.bytes})
		if err != nil || !r.Solved() {
			t.Fatalf("%+v, %v", r, err)
		}
		if i == 1 && (!reflect.DeepEqual(r.Strategies, before.Strategies) || len(r.Line) != len(before.Line)) {
			t.Errorf("the second search plays %v, the first %v", r.Strategies, before.Strategies)
		}
		before, nodes = r, append(nodes, r.Nodes)
	}
	if nodes[1] >= nodes[0]/2 || nodes[2] == 0 || nodes[3] != nodes[0] || nodes[4] != nodes[0] {
		t.Errorf("nodes %v", nodes)
	}
	const small = 1 << 17
	large := gamestest.Machine(t, "trio")
	if r := must.Get(s.Search(t.Context(), large, large.Initial(), search.Limits{MaxBytes: small, MaxNodes: 20_000}))(t); r.PeakBytes > 2*small || r.TableHits == 0 {
		t.Errorf("%d bytes of %d, %d hits", r.PeakBytes, small, r.TableHits)
	}
}

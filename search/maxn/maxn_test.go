package maxn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
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

// goals are those of an end, in steps of 10 so that some are equal.
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

// induction is max^n as it is defined, with the same choice among equal moves.
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
	pruned := int64(0)
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		constant := rng.IntN(2) == 0
		game := grow(rng, casts[rng.IntN(len(casts))], 1+rng.IntN(6), constant)
		want := induction(game, 0)
		m := game.Machine()
		var nodes [2]int64
		for without := Technique(0); without <= Pruning|Table; without++ {
			c := Config{Without: without}
			if constant {
				c.Sum = 100
			}
			r, err := New(c).Search(context.Background(), m, m.Initial(), search.Limits{})
			if err != nil || !r.Solved() {
				t.Fatalf("seed %d: %+v, %v", seed, r, err)
			}
			for role, v := range r.Values {
				if math.Abs(v.Lower-want[role]) > 1e-9 {
					t.Fatalf("seed %d, without %b: %v, want %v", seed, without, r.Values, want)
				}
			}
			nodes[without&Pruning] += r.Nodes
		}
		pruned += nodes[1] - nodes[0]
	}
	if pruned < 1000 {
		t.Errorf("pruning has saved %d nodes", pruned)
	}
}

// Of three players the first is sure of 10; of the moves of the second below, one that
// leaves it worse off ends the search if the sum is known, and not otherwise.
func TestShallowPruningNeedsTheSum(t *testing.T) {
	end := func(a, b, c int32) toys.Node { return toys.Node{Goals: []int32{a, b, c}} }
	game := &toys.Tree{Roles: []string{"a", "b", "c"}, Nodes: []toys.Node{
		{Moves: []int{2, 1, 1}, Kids: []int{1, 2}},
		end(10, 45, 45),
		{Moves: []int{1, 2, 1}, Kids: []int{3, 4}},
		end(0, 90, 10),
		{Moves: []int{1, 1, 2}, Kids: []int{5, 6}},
		end(50, 0, 50), end(40, 10, 50),
	}}
	m := game.Machine()
	for sum, want := range map[float64]int64{100: 2, 0: 3} {
		r, err := New(Config{Sum: sum}).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || r.Nodes != want || r.Values[0] != search.Exact(10) {
			t.Errorf("sum %g: %d nodes, %v, %v; want %d", sum, r.Nodes, r.Values, err, want)
		}
	}
}

func TestWithTwoPlayersItIsMinimax(t *testing.T) {
	for _, name := range []string{"ticTacToe", "nim-2.3", "connectFour-4x4", "pig-6-2", "copsAndRobber-3x3-1-3"} {
		m := gamestest.Machine(t, name)
		want, err := sequential.New(sequential.Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(Config{Sum: 100}).Search(t.Context(), m, m.Initial(), search.Limits{})
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
	for role, g := range goals {
		if !over || float64(g) != r.Values[role].Lower {
			t.Errorf("after %d joint moves %v, the values are %v", len(r.Line), goals, r.Values)
		}
	}
}

func TestPositionsBeyondTheDepthAreEstimated(t *testing.T) {
	m := gamestest.Machine(t, "trio-3x3")
	evaluate := func(dst []float64, _ machine.State) { copy(dst, []float64{61, 20, 19}) }
	r, err := New(Config{Depth: 2, Evaluate: evaluate}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Proved || !slices.Equal(r.Values, []search.Interval{search.Exact(61), search.Exact(20), search.Exact(19)}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestGamesOfAnotherKindAreRefused(t *testing.T) {
	m := toys.Matrix([][]int32{{100, 0}, {0, 100}}).Machine()
	if _, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotSequential) {
		t.Errorf("two players choose at once: %v", err)
	}
	m = (&toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 1}}, {Goals: []int32{70, 70}}}}).Machine()
	if _, err := New(Config{Sum: 100}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, ErrSum) {
		t.Errorf("goals of 140: %v", err)
	}
}

func TestASearchThatIsStoppedClaimsNothing(t *testing.T) {
	m := gamestest.Machine(t, "trio")
	for _, limit := range []int64{1, 100, 5000} {
		r, err := New(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: limit})
		if err != nil || r.Nodes > limit || r.Solved() || r.Values[0] != (search.Interval{Upper: maxGoal}) || len(r.Strategies[0]) != 1 {
			t.Errorf("%d nodes: %+v, %v", limit, r, err)
		}
	}
}

package sequential

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"stackmate/internal/toys"
	"stackmate/search"
)

// guess is what a node is estimated to be worth, in tests.
func guess(id int) int32 { return int32(id*7919%97 + 2) }

func guesses(dst []float64, states []uint64) {
	for i := range dst {
		dst[i] = float64(guess(int(states[i])))
	}
}

// cut copies node id of a game into another one in which positions are terminal that are
// so many choices deep, with their estimates for goals.
func cut(to, from *toys.Tree, id, depth int) int {
	n := from.Nodes[id]
	at := len(to.Nodes)
	to.Nodes = append(to.Nodes, n)
	if len(n.Kids) == 0 {
		return at
	}
	if depth == 0 {
		goals := make([]int32, len(from.Roles))
		goals[0] = guess(id)
		to.Nodes[at] = toys.Node{Goals: goals}
		return at
	}
	if len(n.Kids) > 1 {
		depth--
	}
	var kids []int
	for _, k := range n.Kids {
		kids = append(kids, cut(to, from, k, depth))
	}
	to.Nodes[at].Kids = kids
	return at
}

func TestEstimatesBackUpAsIfTheGameEndedThere(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		game := randomGame(seeded(rng))
		depth := 1 + rng.IntN(4)
		shorter := &toys.Tree{Roles: game.Roles}
		cut(shorter, game, 0, depth)
		want := minimax(shorter, 0)
		// Tables and looks ahead know more than the depth tells.
		c := Config{Depth: depth, Evaluate: guesses, Without: Table | Ahead | Deepening | Refinement(rng.IntN(int(Literal)+1))}
		m := game.Machine()
		if rng.IntN(2) == 0 {
			m = parallel{m}
		}
		r := solve(t, c, m, search.Limits{})
		if v := r.Values[0]; math.Abs(v.Lower-want) > 1e-6 || !v.Solved() && v.Upper-v.Lower > 1e-6 {
			t.Fatalf("seed %d, depth %d, without %b: %v, want %g", seed, depth, c.Without, v, want)
		}
	}
}

func TestABrokenIterationChoosesAmongWhatItHasSearched(t *testing.T) {
	// The first move looks best one ply deep. Two plies deep it is bad, the second one is good;
	// the search is stopped before the third one.
	game := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{3, 1}}}}
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	points := map[uint64]float64{1: 80, 2: 60, 3: 50}
	for a := range 3 {
		game.Nodes[0].Kids = append(game.Nodes[0].Kids, 1+a)
	}
	for a := range 3 {
		n := toys.Node{Moves: []int{1, 2}}
		for range 2 {
			id := 4 + len(points) - 3
			points[uint64(id)] = []float64{20, 60, 90}[a]
			n.Kids = append(n.Kids, id)
		}
		game.Nodes = append(game.Nodes, n)
	}
	for range 6 { // with more below them
		game.Nodes = append(game.Nodes, toys.Node{Moves: []int{2, 1}, Kids: []int{10, 11}})
	}
	for range 2 {
		game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{50, 50}})
	}
	c := Config{Without: Ahead, Evaluate: func(dst []float64, states []uint64) {
		for i := range dst {
			if dst[i] = points[states[i]]; states[i] >= 6 {
				cancel()
			}
		}
	}}
	r, err := New(c).Search(stop, game.Machine(), game.Machine().Initial(), search.Limits{})
	if err != nil || r.Strategies[0][0].Move != 1 {
		t.Errorf("strategy %v, %v; want move 1", r.Strategies, err)
	}
}

func TestEstimatesAreWholeUnits(t *testing.T) {
	game := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}}}
	for range 2 {
		game.Nodes = append(game.Nodes, toys.Node{Moves: []int{1, 2}, Kids: []int{3, 3}})
	}
	game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{50, 50}})
	m := game.Machine()
	fine := func(dst []float64, states []uint64) {
		for i := range dst {
			dst[i] = 40.1 + 0.1*float64(states[i])
		}
	}
	r, err := New(Config{Depth: 1, Evaluate: fine, Without: Ahead | Foresight}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if v := r.Values[0].Lower; err != nil || v != math.Round(v/estimateUnit)*estimateUnit || math.Abs(v-40.3) > estimateUnit {
		t.Errorf("worth %v, %v; want whole units of %v about 40.3", r.Values, err, estimateUnit)
	}
}

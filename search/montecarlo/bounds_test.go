package montecarlo

import (
	"math/rand/v2"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Chance has a player before it and one behind it in the order of the roles, so its
// moves are neither the first nor the last digit of a joint move. The mean over them
// has a saddle point of 50; a mean over other cells has another value.
func TestBoundsAverageOverChanceWhereverItsRoleStands(t *testing.T) {
	goals := [2][2][2]int32{ // by moves of left, chance and right
		{{80, 0}, {0, 60}},    // means 40 and 30
		{{0, 20}, {100, 100}}, // means 50 and 60
	}
	game := &toys.Tree{Roles: []string{"left", machine.RandomRole, "right"}, Nodes: []toys.Node{{Moves: []int{2, 2, 2}}}}
	for left := range 2 {
		for chance := range 2 {
			for right := range 2 {
				g := goals[left][chance][right]
				game.Nodes[0].Kids = append(game.Nodes[0].Kids, len(game.Nodes))
				game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{g, 0, 100 - g}})
			}
		}
	}
	m := game.Machine()
	r, err := New(Config{Rule: RegretMatching}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 10_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Values[0]; !r.Proved || v.Lower < 49.9 || v.Upper > 50.1 || v.Lower > v.Upper {
		t.Errorf("value %v (proved: %t), want 50", v, r.Proved)
	}
}

// The equilibrium of the matrix gives each first move the probability 1/3, though it guarantees nothing.
func TestTheBoundsOfAMoveHoldForAllReplies(t *testing.T) {
	m := toys.Matrix([][]int32{{0, 100}, {100, 50}}).Machine()
	for _, rule := range []Rule{UCT, RegretMatching} {
		r, err := New(Config{Rule: rule}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 1000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := [][]search.Interval{{{Lower: 0, Upper: 100}, {Lower: 50, Upper: 100}}, {{Lower: 0, Upper: 100}, {Lower: 0, Upper: 50}}}
		for role, moves := range r.Moves {
			for _, k := range moves {
				if k.Bounds != want[role][k.Move] {
					t.Errorf("rule %d: move %d of role %d has bounds %v, want %v", rule, k.Move, role, k.Bounds, want[role][k.Move])
				}
			}
			if kept := search.Without(r.Strategies[role], search.Mistakes(moves, 0)); rule == RegretMatching && len(kept) != 2 {
				t.Errorf("role %d plays %v without mistakes, want both moves", role, kept)
			}
		}
	}
}

// grown returns a random game of two players and chance, one of whom chooses at a time.
func grown(rng *rand.Rand, game *toys.Tree, depth int) (id int) {
	id = len(game.Nodes)
	game.Nodes = append(game.Nodes, toys.Node{})
	if depth == 0 {
		goal := rng.Int32N(101)
		game.Nodes[id].Goals = []int32{goal, 100 - goal, 0}
		return id
	}
	chooser, width := rng.IntN(3), 2+rng.IntN(2)
	n := toys.Node{Moves: []int{1, 1, 1}}
	n.Moves[chooser] = width
	for range width {
		n.Kids = append(n.Kids, grown(rng, game, depth-1))
	}
	game.Nodes[id] = n
	return id
}

func TestBoundsWithinATolerance(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	tolerances := []float64{0, 5, 20, 50}
	nodes := make([]int64, len(tolerances))
	for seed := range exhaustive.Choose[uint64](40, 120) {
		game := &toys.Tree{Roles: []string{"left", "right", machine.RandomRole}}
		grown(rand.New(rand.NewPCG(seed, 7)), game, 5)
		m, want := game.Machine(), worthOf(game, 0)
		for i, epsilon := range tolerances {
			r, err := New(Config{Epsilon: epsilon, Playouts: 1}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 50_000, Seed: seed})
			v := r.Values[0]
			if err != nil || !r.Proved || v.Lower > want+1e-9 || v.Upper < want-1e-9 || v.Upper-v.Lower > epsilon+1e-9 {
				t.Fatalf("seed %d, ε = %g: %v (proved: %t), %v; want %g", seed, epsilon, v, r.Proved, err, want)
			}
			for role, moves := range game.Nodes[0].Moves[:2] {
				if moves == 1 {
					continue
				}
				if got := worthOf(game, game.Nodes[0].Kids[r.Strategies[role][0].Move]); role == 0 && got < v.Lower-1e-9 || role == 1 && got > v.Upper+1e-9 {
					t.Fatalf("seed %d, ε = %g: the move of role %d is worth %g, proved is %v", seed, epsilon, role, got, v)
				}
			}
			nodes[i] += r.Nodes
		}
	}
	for i := range nodes[1:] {
		if nodes[i+1] >= nodes[i] {
			t.Errorf("nodes %v at ε = %v: expected fewer and fewer", nodes, tolerances)
		}
	}
}

// worthOf returns the value of a position of such a game.
func worthOf(game *toys.Tree, id int) float64 {
	n := &game.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[0])
	}
	sum, best := 0.0, 0.0
	for i, kid := range n.Kids {
		v := worthOf(game, kid)
		if sum += v; i == 0 || n.Moves[0] > 1 && v > best || n.Moves[1] > 1 && v < best {
			best = v
		}
	}
	if n.Moves[2] > 1 {
		return sum / float64(len(n.Kids))
	}
	return best
}

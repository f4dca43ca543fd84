package arrival_test

import (
	"math/rand/v2"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
)

// distances computes by value iteration, for each position, the least number of joint moves within
// which the role forces an end with the goal, or -1: the oracle.
func distances(g *toys.Tree, role int, goal int32) []int {
	d := make([]int, len(g.Nodes))
	for i := range d {
		d[i] = -1
	}
	for round := 1; round <= len(g.Nodes); round++ {
		for i := range g.Nodes {
			if n := &g.Nodes[i]; d[i] < 0 && len(n.Kids) > 0 && forced(g, n, d, role, goal, round) {
				d[i] = round
			}
		}
	}
	return d
}

// forced reports whether a move of the role leads to positions of distances below round alone.
func forced(g *toys.Tree, n *toys.Node, d []int, role int, goal int32, round int) bool {
	fails := make([]bool, n.Moves[role])
	for c, kid := range n.Kids {
		rest, own := c, 0
		for r := len(n.Moves) - 1; r >= role; r-- {
			own, rest = rest%n.Moves[r], rest/n.Moves[r]
		}
		k := &g.Nodes[kid]
		if len(k.Kids) == 0 && k.Goals[role] < goal || len(k.Kids) > 0 && (d[kid] < 0 || d[kid] >= round) {
			fails[own] = true
		}
	}
	for _, f := range fails {
		if !f {
			return true
		}
	}
	return false
}

func TestTheFewestPliesOfRandomCyclicGames(t *testing.T) {
	found := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := toys.Cyclic(rng, 4+rng.IntN(12), seed%3 == 0)
		m := g.Machine()
		f := arrival.New(m, []int64{0, 1 << 20}[seed%2])
		for role := range g.Roles {
			for _, goal := range []int32{50, 100} {
				want := distances(g, role, goal)
				for i, n := range g.Nodes {
					if len(n.Kids) == 0 || want[i] < 0 && i%4 > 0 { // to find none takes all the expansions
						continue
					}
					limit := int64(4 * len(g.Nodes) * len(g.Nodes))
					way, ok := f.Find(t.Context(), machine.State{uint64(i)}, machine.Role(role), goal, limit)
					if ok != (want[i] > 0) || ok && way.Plies != want[i] {
						t.Fatalf("seed %d, position %d, role %d, goal %d: %+v (%v), want %d plies", seed, i, role, goal, way, ok, want[i])
					}
					if !ok {
						continue
					}
					found++
					only := n // with that move alone
					if n.Moves[role] > 1 {
						only = restricted(n, role, int(way.Move))
					}
					if !forced(g, &only, want, role, goal, want[i]) {
						t.Fatalf("seed %d, position %d, role %d, goal %d: the move of %+v does not come nearer", seed, i, role, goal, way)
					}
				}
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d ways: the test shows little", found)
	}
}

// restricted returns n with one move of a role.
func restricted(n toys.Node, role, move int) toys.Node {
	r := toys.Node{Moves: append([]int(nil), n.Moves...)}
	for c, kid := range n.Kids {
		rest, own := c, 0
		for q := len(n.Moves) - 1; q >= role; q-- {
			own, rest = rest%n.Moves[q], rest/n.Moves[q]
		}
		if own == move {
			r.Kids = append(r.Kids, kid)
		}
	}
	r.Moves[role] = 1
	return r
}

// corridor returns a walk of the given steps for the role that begins, which may as well wait; the other
// role has two moves that change nothing.
func corridor(steps int) *toys.Tree {
	g := &toys.Tree{Roles: []string{"white", "black"}}
	for i := range steps {
		own, others := 2*i, 2*i+1
		g.Nodes = append(g.Nodes,
			toys.Node{Moves: []int{2, 1}, Kids: []int{own + 1, own + 3}},
			toys.Node{Moves: []int{1, 2}, Kids: []int{others - 1, others - 1}})
	}
	g.Nodes = append(g.Nodes, toys.Node{Goals: []int32{100, 0}}, toys.Node{Goals: []int32{100, 0}})
	return g
}

func TestALineEndsWithTheGoal(t *testing.T) {
	for _, goal := range []int32{100, 1} {
		g := corridor(9)
		for i := range 2 {
			g.Nodes[18+i].Goals = []int32{goal, 0}
		}
		m := g.Machine()
		line, ok := arrival.New(m, 0).Line(t.Context(), m.Initial(), []int32{goal, 0}, 1e5)
		over, goals := toys.Follow(m, m.Initial(), line)
		if !ok || !over || goals[0] != goal || len(line) != 17 {
			t.Errorf("a line of %d joint moves (%v), over %v with %v; want 17 that end with %d", len(line), ok, over, goals, goal)
		}
	}
}

func TestALimitEndsTheSearchWithoutAnAnswer(t *testing.T) {
	m := corridor(9).Machine()
	f := arrival.New(m, 0)
	if way, ok := f.Find(t.Context(), m.Initial(), 0, 100, 5); ok {
		t.Errorf("%+v within 5 expansions", way)
	}
	if way, ok := f.Find(t.Context(), m.Initial(), 0, 100, 1e5); !ok || way != (arrival.Way{Move: 1, Plies: 17}) {
		t.Errorf("%+v (%v) after a search that was broken off", way, ok)
	}
	if way, ok := f.Find(t.Context(), m.Initial(), 1, 100, 1e5); ok {
		t.Errorf("black forces a goal that it never gets: %+v", way)
	}
}

func TestRepetitionIsSeen(t *testing.T) {
	for want, m := range map[bool]machine.Machine{
		true:  corridor(3).Machine(),
		false: toys.Subtraction{Roles: []string{"left", "right"}, Start: 20, Most: 3}.Machine(),
	} {
		if got := arrival.Repeats(t.Context(), m, m.Initial()); got != want {
			t.Errorf("repeats: %v, want %v", got, want)
		}
	}
}

// A position of the plies that a line may have is refused, not followed for ever.
func TestAnEndThatCannotBeForcedIsNotLookedForBeyondTheLongestLine(t *testing.T) {
	g := &toys.Tree{Roles: []string{"alone"}, Nodes: []toys.Node{{Moves: []int{1}, Kids: []int{0}}}}
	if way, ok := arrival.New(g.Machine(), 0).Find(t.Context(), machine.State{0}, 0, 1, 1<<40); ok {
		t.Errorf("%+v of a match that never ends; the longest line has %d joint moves", way, search.MaxPlies)
	}
}

func TestARoleThatIsSureOfNothingDelaysTheEnd(t *testing.T) {
	won := toys.Node{Goals: []int32{100, 0}}
	g := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{
		{Moves: []int{1, 3}, Kids: []int{1, 2, 3}}, won, {Moves: []int{1, 1}, Kids: []int{1}}, won,
	}}
	m := g.Machine()
	line, ok := arrival.New(m, 0).Line(t.Context(), m.Initial(), []int32{100, 0}, 100)
	if !ok || len(line) != 2 || line[0][1] != 1 {
		t.Errorf("the line %v (%v), want two joint moves", line, ok)
	}
}

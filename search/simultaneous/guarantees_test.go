package simultaneous

import (
	"math"
	"math/rand/v2"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
)

// repeating returns a game of at most three positions whose cells lead to positions or payoffs.
func repeating(rng *rand.Rand) *toys.Tree {
	t := &toys.Tree{Roles: two}
	positions, ends := 1+rng.IntN(3), 1+rng.IntN(4)
	goals := []int32{0, 100, rng.Int32N(101), rng.Int32N(101)}
	for range positions {
		n := toys.Node{Moves: []int{1 + rng.IntN(3), 1 + rng.IntN(3)}}
		for range n.Moves[0] * n.Moves[1] {
			kid := rng.IntN(positions)
			if rng.IntN(5) < ends {
				kid = positions + rng.IntN(len(goals))
			}
			n.Kids = append(n.Kids, kid)
		}
		t.Nodes = append(t.Nodes, n)
	}
	for _, goal := range goals {
		t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{goal, 100 - goal}})
	}
	return t
}

// mirrored returns a game in which the positions 64+i and 128+i are symmetric: the symmetry exchanges the players, and
// both moves of each player. Ends have such images, too. Position 0 is not part of the game.
func mirrored(rng *rand.Rand) (*toys.Tree, machine.Machine) {
	const left, right, positions, ends = 64, 128, 2, 2
	t := &toys.Tree{Roles: two, Nodes: make([]toys.Node, right+positions+ends)}
	t.Nodes[0].Goals = []int32{50, 50}
	for i := range positions + ends {
		if i >= positions {
			goal := rng.Int32N(101)
			t.Nodes[left+i].Goals, t.Nodes[right+i].Goals = []int32{goal, 100 - goal}, []int32{100 - goal, goal}
			continue
		}
		n, image := toys.Node{Moves: []int{2, 2}}, toys.Node{Moves: []int{2, 2}, Kids: make([]int, 4)}
		for at := range 4 {
			kid, flip := rng.IntN(positions+ends), rng.IntN(2) == 0
			here, there := left+kid, right+kid
			if flip {
				here, there = there, here
			}
			n.Kids = append(n.Kids, here)
			image.Kids[2*(1-at%2)+1-at/2] = there
		}
		t.Nodes[left+i], t.Nodes[right+i] = n, image
	}
	m := &symmetric{t.Machine(), nil}
	y := facts.Symmetry{Roles: []machine.Role{1, 0}}
	for _, moves := range m.Names().Moves {
		images := []machine.Move{1, 0}
		for k := 2; k < len(moves); k++ {
			images = append(images, machine.Move(k))
		}
		y.Moves = append(y.Moves, images)
	}
	for f := range int32(64) {
		y.Fluents = append(y.Fluents, f)
	}
	y.Fluents[6], y.Fluents[7] = 7, 6
	m.symmetries = []facts.Symmetry{y}
	return t, m
}

// leastPayoffs returns, by position, the payoff of a role whose strategies are given by position, against the best replies.
// A match without end has the payoff 0. One reply per position suffices, so all such replies are tried.
func leastPayoffs(t *toys.Tree, role int, strategies map[int][]search.Weighted) map[int]float64 {
	var positions, replies []int
	total := 1
	for i, n := range t.Nodes {
		if n.Kids != nil {
			positions, replies = append(positions, i), append(replies, n.Moves[1-role])
			total *= n.Moves[1-role]
		}
	}
	least := make(map[int]float64)
	for k := range total {
		chain := make(map[int]map[int]float64)
		for at, i := range positions {
			n, reply := t.Nodes[i], k%replies[at]
			k /= replies[at]
			chain[i] = make(map[int]float64)
			for _, w := range strategies[i] {
				joint := []int{int(w.Move), reply}
				if role == 1 {
					joint = []int{reply, int(w.Move)}
				}
				chain[i][n.Kids[joint[0]*n.Moves[1]+joint[1]]] += w.Probability
			}
		}
		for i, v := range meanPayoffs(t, role, positions, chain) {
			if before, ok := least[i]; !ok || v < before {
				least[i] = v
			}
		}
	}
	return least
}

// meanPayoffs returns the mean payoff of a role from each position of a Markov chain, by elimination of one position after
// the other. The probabilities of a position are divided by the probability of leaving it, so no difference of nearly
// equal numbers is computed.
func meanPayoffs(t *toys.Tree, role int, positions []int, chain map[int]map[int]float64) map[int]float64 {
	for k, i := range positions {
		leaves := 0.0
		for to, p := range chain[i] {
			if to != i {
				leaves += p
			}
		}
		delete(chain[i], i)
		for to := range chain[i] {
			if chain[i][to] /= leaves; leaves == 0 {
				delete(chain[i], to)
			}
		}
		for _, j := range positions[k+1:] {
			through := chain[j][i]
			delete(chain[j], i)
			for to, p := range chain[i] {
				chain[j][to] += through * p
			}
		}
	}
	v := make(map[int]float64)
	for k := len(positions) - 1; k >= 0; k-- {
		i := positions[k]
		v[i] = 0
		for to, p := range chain[i] {
			if t.Nodes[to].Kids == nil {
				v[i] += p * float64(t.Nodes[to].Goals[role])
			} else {
				v[i] += p * v[to]
			}
		}
	}
	return v
}

// checkGuarantees searches positions of a game, some of them with few nodes, and compares the bounds with the payoffs of the strategies.
func checkGuarantees(t *testing.T, seed uint64, tree *toys.Tree, m machine.Machine, rng *rand.Rand) {
	t.Helper()
	s := must.Get(New(Config{Table: true, Order: []Order{OrderBest, OrderL, OrderLex}[rng.IntN(3)]}))(t)
	var positions []int
	for i, n := range tree.Nodes {
		if n.Kids != nil {
			positions = append(positions, i)
		}
	}
	find := func(i int, nodes int64) search.Result {
		return must.Get(s.Search(t.Context(), m, machine.State{uint64(i)}, search.Limits{NoLine: true, MaxNodes: nodes}))(t)
	}
	for range rng.IntN(3) {
		find(positions[rng.IntN(len(positions))], 1+rng.Int64N(12))
	}
	strategies, lower := [2]map[int][]search.Weighted{{}, {}}, [2]map[int]float64{{}, {}}
	for _, i := range positions {
		r := find(i, 300)
		for role := range 2 {
			strategies[role][i], lower[role][i] = r.Strategies[role], r.Values[role].Lower
		}
	}
	if s.solver.horizon == nil {
		return // no search has met a position again
	}
	for role := range 2 {
		for _, i := range positions { // a later search may have improved a strategy
			if better := s.solver.recorded(machine.State{uint64(i)}, side(role)); better != nil {
				strategies[role][i] = better
			}
		}
		for i, v := range leastPayoffs(tree, role, strategies[role]) {
			if math.IsNaN(v) || v < lower[role][i]-1e-4 {
				t.Errorf("seed %d, position %d, role %d: %v, of which the strategies guarantee %v: %v", seed, i, role, lower[role][i], v, strategies[role])
			}
		}
	}
}

// A self-loop has the bound that a deeper visit of the same position has proved: the move that stays seems to be as good.
func TestAStrategyIsFromAVisitThatHasRaisedTheBound(t *testing.T) {
	const first, second, third, goal36, goal60, goal96, none, all = 0, 1, 2, 3, 4, 5, 6, 7
	g := &toys.Tree{Roles: two, Nodes: []toys.Node{
		{Moves: []int{2, 3}, Kids: []int{goal36, third, all, second, second, goal60}},
		{Moves: []int{1, 1}, Kids: []int{goal96}},
		{Moves: []int{2, 2}, Kids: []int{first, first, third, none}},
		{Goals: []int32{36, 64}},
		{Goals: []int32{60, 40}},
		{Goals: []int32{96, 4}},
		{Goals: []int32{0, 100}},
		{Goals: []int32{100, 0}},
	}}
	s := must.Get(New(Config{Table: true}))(t)
	r := must.Get(s.Search(t.Context(), g.Machine(), machine.State{third}, search.Limits{NoLine: true}))(t)
	if column := r.Strategies[1]; math.Abs(r.Values[0].Lower-74.4) > tolerance || len(column) != 1 || column[0].Move != 1 {
		t.Errorf("values %v, the column player plays %v; want move 1, since move 0 may stay at the position for ever", r.Values, column)
	}
}

// The table of a search that was stopped may have the value of the next position already. Where the memory has not sufficed for the
// strategy of that position, the next search begins with a new table.
func TestAStrategyIsKeptWithTheBoundOfAStoppedSearch(t *testing.T) {
	const first, second, all = 0, 1, 2
	g := &toys.Tree{Roles: two, Nodes: []toys.Node{
		{Moves: []int{1, 2}, Kids: []int{first, second}},
		{Moves: []int{2, 1}, Kids: []int{second, all}},
		{Goals: []int32{100, 0}},
	}}
	for _, memory := range []bool{true, false} {
		m, s := g.Machine(), must.Get(New(Config{Table: true}))(t)
		stopped := search.Limits{NoLine: true, MaxNodes: 5}
		must.Get(s.Search(t.Context(), m, machine.State{first}, stopped))(t)
		if !memory {
			s.solver.beginDeepening()
			s.solver.horizon.maxBytes = 0
			must.Get(s.Search(t.Context(), m, machine.State{first}, stopped))(t)
		}
		r := must.Get(s.Search(t.Context(), m, machine.State{second}, search.Limits{NoLine: true}))(t)
		if row := r.Strategies[0]; r.Values[0] != search.Exact(100) || len(row) != 1 || row[0].Move != 1 {
			t.Errorf("memory %v: values %v, the row player plays %v; want move 1, since move 0 stays at the position for ever", memory, r.Values, row)
		}
	}
}

// A best reply may keep the game where it is for ever.
func TestTheStrategiesOfRepeatedGamesGuaranteeTheirBounds(t *testing.T) {
	for seed := range uint64(exhaustive.Choose(150, 10_000)) {
		rng := rand.New(rand.NewPCG(seed, 0))
		if tree := repeating(rng); seed%4 > 0 {
			checkGuarantees(t, seed, tree, tree.Machine(), rng)
		} else {
			tree, m := mirrored(rng)
			checkGuarantees(t, seed, tree, m, rng)
		}
	}
}

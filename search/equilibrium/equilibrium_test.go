package equilibrium

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/simultaneous"
)

// grow returns a random tree of depth joint moves in which both roles may choose at once, some leaves early. The last of
// the roles is chance where it is called so.
func grow(rng *machine.Rand, roles []string, depth int) *toys.Tree {
	t := &toys.Tree{Roles: roles}
	var node func(level int) int
	node = func(level int) int {
		id := len(t.Nodes)
		t.Nodes = append(t.Nodes, toys.Node{})
		if level == depth || level > 0 && rng.Intn(6) == 0 {
			for range roles {
				t.Nodes[id].Goals = append(t.Nodes[id].Goals, int32(10*rng.Intn(11)))
			}
			return id
		}
		n, joint := toys.Node{}, 1
		for range roles {
			moves := 1 + rng.Intn(3)
			n.Moves, joint = append(n.Moves, moves), joint*moves
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

// check verifies the equilibrium of the subgame at node id by the tree alone: the stored strategies are an equilibrium of
// the matrix of the children's payoffs. It returns the payoffs.
func check(t *testing.T, s *Searcher, tree *toys.Tree, id int) [2]*big.Rat {
	t.Helper()
	n := tree.Nodes[id]
	if len(n.Kids) == 0 {
		return [2]*big.Rat{big.NewRat(int64(n.Goals[0]), 1), big.NewRat(int64(n.Goals[1]), 1)}
	}
	g, lots := Bimatrix{zeros(n.Moves[0], n.Moves[1]), zeros(n.Moves[0], n.Moves[1])}, len(n.Kids)/(n.Moves[0]*n.Moves[1])
	for c, kid := range n.Kids {
		cell, share := c/lots, big.NewRat(1, int64(lots))
		i, j := cell/n.Moves[1], cell%n.Moves[1]
		payoffs := check(t, s, tree, kid)
		g.Row[i][j].Add(g.Row[i][j], new(big.Rat).Mul(share, payoffs[0]))
		g.Column[i][j].Add(g.Column[i][j], new(big.Rat).Mul(share, payoffs[1]))
	}
	e := s.known[machine.State{uint64(id)}.Key()]
	if err := g.Verify(e.profile); err != nil {
		t.Fatalf("node %d: %v", id, err)
	}
	row, column := g.Payoffs(e.profile)
	if row.Cmp(e.payoffs[0]) != 0 || column.Cmp(e.payoffs[1]) != 0 {
		t.Fatalf("node %d: payoffs %v, want %s and %s", id, e.payoffs, row.RatString(), column.RatString())
	}
	return e.payoffs
}

func TestTheStrategiesAreAnEquilibriumOfEverySubgame(t *testing.T) {
	for seed := range uint64(60) {
		roles := []string{"left", "right"}
		if seed%3 == 0 {
			roles = append(roles, machine.RandomRole)
		}
		tree, s := grow(machine.NewRand(seed), roles, 3), New()
		res := must.Get(s.Search(t.Context(), tree.Machine(), machine.State{0}, search.Limits{}))(t)
		want := check(t, s, tree, 0)
		for i, v := range want {
			if f, _ := v.Float64(); res.Values[i] != search.Exact(f) || !res.Proved {
				t.Errorf("seed %d: role %d gets %v, want %s", seed, i, res.Values[i], v.RatString())
			}
		}
	}
}

func TestTheValueOfAZeroSumGameIsThatOfItsEquilibrium(t *testing.T) {
	for _, name := range exhaustive.Choose([]string{"goofspiel-4", "matchingPennies"}, []string{"goofspiel-4", "biddingTicTacToe-1", "matchingPennies", "ticTacToe"}) {
		m := gamestest.Machine(t, name)
		got, err := New().Search(t.Context(), m, m.Initial(), search.Limits{NoLine: true})
		if err != nil {
			t.Fatal(name, err)
		}
		induction := must.Get(simultaneous.New(simultaneous.Config{Method: simultaneous.BackwardInduction, Table: true}))(t)
		want, err := induction.Search(t.Context(), m, m.Initial(), search.Limits{NoLine: true})
		if err != nil {
			t.Fatal(name, err)
		}
		if d := got.Values[0].Lower - want.Values[0].Lower; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: %v, want %v", name, got.Values[0], want.Values[0])
		}
	}
}

func TestTheLineFollowsTheEquilibriumToTheEnd(t *testing.T) {
	m := gamestest.Machine(t, "prisonersDilemma")
	res := must.Get(New().Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
	over, goals := toys.Follow(m, m.Initial(), res.Line)
	if !over || float64(goals[0]) != res.Values[0].Lower || float64(goals[1]) != res.Values[1].Lower {
		t.Errorf("line %v leads to %v, values %v", res.Line, goals, res.Values)
	}
}

func TestAGameThatMayGoOnForEverHasNoEquilibriumByInduction(t *testing.T) {
	tree := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 0}}, {Goals: []int32{30, 20}},
	}}
	if _, err := New().Search(t.Context(), tree.Machine(), machine.State{0}, search.Limits{}); !errors.Is(err, ErrEndless) {
		t.Errorf("%v, want %v", err, ErrEndless)
	}
}

func TestMatricesStayWithinTheMemory(t *testing.T) {
	goals := make([][][2]int32, 20)
	for i := range goals {
		for j := range 20 {
			goals[i] = append(goals[i], [2]int32{int32((i + j) % 2 * 100), int32((i + j + 1) % 2 * 100)}) // no pure equilibrium
		}
	}
	m := toys.Bimatrix(goals).Machine()
	for bytes, want := range map[int64]string{
		100_000:   "a matrix of 800 numbers",  // the payoffs
		200_000:   "a matrix of 1600 numbers", // the tableaux
		1_000_000: "",
	} {
		s := New()
		res, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: bytes})
		if s.bytes > 50_000 {
			t.Errorf("%d bytes are in use after the search", s.bytes)
		}
		if want == "" {
			if err != nil || !res.Solved() {
				t.Errorf("%d bytes: %+v, %v", bytes, res, err)
			}
		} else if err != nil || !errors.Is(res.Unfinished, search.ErrMemory) || !strings.Contains(res.Unfinished.Error(), want) {
			t.Errorf("%d bytes: %v, %v, want %s", bytes, res.Unfinished, err, want)
		}
	}
}

func TestASearchEndsAtItsLimits(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-5")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx        context.Context
		lim        search.Limits
		unfinished error
	}{
		"nodes":   {t.Context(), search.Limits{MaxNodes: 50}, nil},
		"memory":  {t.Context(), search.Limits{MaxBytes: 4096}, search.ErrMemory},
		"context": {ended, search.Limits{}, nil},
	} {
		res, err := New().Search(c.ctx, m, m.Initial(), c.lim)
		if err != nil || res.Solved() || !errors.Is(res.Unfinished, c.unfinished) || res.Values[0] != (search.Interval{Upper: 100}) {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

package montecarlo

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
	"stackmate/search/sequential"
)

// judge returns the value of a position for the first of two roles with opposite interests.
type judge func(q machine.State) float64

// Matches are followed by searches that go on with one tree, in much memory and in little,
// each ended in the middle of a batch, and all bounds of the tree are compared with values.

func TestAllThatIsProvedOfGamesOfTurnsIsTrue(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for name, opening := range map[string]int{"ticTacToe": 0, "connectFour-5x4": 0, "breakthrough-4x5": 0, "hex-4x4": 0, "connectFour": 20} {
		if !exhaustive.On() && strings.Contains(name, "5") {
			continue // takes seconds
		}
		m := gamestest.Machine(t, name)
		s := sequential.New(sequential.Config{Without: sequential.Foresight})
		value := func(q machine.State) float64 {
			r, err := s.Search(t.Context(), m, q, search.Limits{MaxBytes: 64 << 20, NoLine: true})
			if err != nil || !r.Solved() {
				t.Fatalf("%s: %v, error %v", name, r.Values, err)
			}
			return r.Values[0].Lower
		}
		// Random matches may end soon: the number of matches depends on the number of proofs seen.
		proofs, configs := 0, []Config{{}, {Workers: 2, Rave: true}, {Without: Decisive}, {Workers: 2, Playouts: 1, Lanes: 64}}
		for match := 0; match < len(configs) || proofs < 100 && match < 100; match++ {
			proofs += followProofs(t, m, configs[match%len(configs)], value, opening, uint64(match))
		}
		if proofs < 100 {
			t.Errorf("%s: only %d proofs", name, proofs)
		}
	}
}

func TestAllThatIsProvedOfGraphsIsTrue(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	proofs := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 11))
		game := &toys.Tree{Roles: []string{"a", "b"}}
		var value judge
		if seed%2 == 0 {
			growToy(game, rng, 6)
			value = func(q machine.State) float64 { return minimax(game, int(q[0]), 0) }
		} else {
			growAtOnce(game, rng, 3)
			value = func(q machine.State) float64 {
				cells, columns := atOnce(game, int(q[0]), 0)
				v, err := matrix.NewNative().Nash(cells, len(cells)/columns, columns, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		shareKids(game, rng)
		value = remembered(value)
		for _, c := range []Config{{Lanes: 4}, {Lanes: 4, Workers: 2, Rule: RegretMatching}} {
			proofs += followProofs(t, game.Machine(), c, value, 0, seed)
		}
	}
	if proofs < 1000 {
		t.Errorf("only %d proofs", proofs)
	}
}

// remembered returns a judge that is asked once for each position of one word.
func remembered(value judge) judge {
	known := map[uint64]float64{}
	return func(q machine.State) float64 {
		if _, ok := known[q[0]]; !ok {
			known[q[0]] = value(q)
		}
		return known[q[0]]
	}
}

// followProofs follows one match, random in its opening and after it, and returns the number
// of proofs that were checked.
func followProofs(t *testing.T, m machine.Machine, c Config, value judge, opening int, seed uint64) (checked int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	fragile := &fused{m, &fuse{}}
	x, s, q := play.NewExpander(m), New(c), slices.Clone(m.Initial())
	// By UCT alone a search may return to solved cells forever: a limit on nodes ends it.
	lim := search.Limits{MaxBytes: 1 << (18 + 7*(seed%2)), MaxNodes: 20_000}
	var e play.Expansion
	for step := 0; ; step++ {
		if over, _ := x.Look(q); over {
			return checked
		}
		if step >= opening {
			ctx, cancel := context.WithCancel(t.Context())
			fragile.fuse.end = cancel
			fragile.fuse.left.Store(1 + rng.Int64N(1000))
			_, err := s.Search(ctx, fragile, q, lim)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			checkLinks(t, s.workers[0].tree)
			checked += checkProofs(t, s.workers[0].tree, value, rng)
		}
		if err := x.Expand(&e, q); err != nil {
			t.Fatal(err)
		}
		q = slices.Clone(e.Child(rng.IntN(e.Children)))
	}
}

// checkedProofs bounds the positions of a tree that are judged.
const checkedProofs = 50

// checkProofs compares bounds of the root, and of other nodes at random, with values.
func checkProofs(t *testing.T, tree *tree, value judge, rng *rand.Rand) (checked int) {
	t.Helper()
	nodes, seen := []int32{tree.root}, map[int32]bool{tree.root: true}
	for i := 0; i < len(nodes); i++ {
		for l := tree.at(nodes[i]).out; l != none; l = tree.links.at(l).sibling {
			if k := tree.links.at(l).to; !seen[k] {
				nodes, seen[k] = append(nodes, k), true
			}
		}
	}
	rng.Shuffle(len(nodes)-1, func(i, j int) { nodes[i+1], nodes[j+1] = nodes[j+1], nodes[i+1] })
	for _, n := range nodes {
		bounds := tree.boundsOf(n)
		if tree.at(n).terminal || bounds[0] == search.GoalRange && bounds[1] == search.GoalRange {
			continue
		}
		v := value(tree.state(n))
		for r, want := range []float64{v, 100 - v} {
			if b := bounds[r]; b.Lower > want+1e-5 || b.Upper < want-1e-5 {
				t.Fatalf("node %d: role %d is said to get %v, the value is %g", n, r, b, want)
			}
		}
		if checked++; checked == checkedProofs {
			break
		}
	}
	return checked
}

// fuse ends a search after a number of passes of a machine.
type fuse struct {
	left atomic.Int64
	end  context.CancelFunc
}

func (f *fuse) pass() {
	if f.left.Add(-1) == 0 {
		f.end()
	}
}

// fused is a machine, with decisive moves where the other one has some, that burns a fuse.
type fused struct {
	machine.Machine
	fuse *fuse
}

func (m *fused) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	if decisive := facts.Decisive(ctx, m.Machine, atOnce); decisive != nil {
		return &fused{decisive, m.fuse}
	}
	return nil
}

func (m *fused) Unwrap() machine.Machine       { return m.Machine }
func (m *fused) NewBatch() machine.Batch       { return m.wrap(m.Machine.NewBatch()) }
func (m *fused) NewNarrowBatch() machine.Batch { return m.wrap(m.Machine.NewNarrowBatch()) }

func (m *fused) wrap(b machine.Batch) machine.Batch {
	return &fusedBatch{b, m.fuse}
}

type fusedBatch struct {
	machine.Batch
	fuse *fuse
}

func (b *fusedBatch) Unwrap() machine.Batch { return b.Batch }

func (b *fusedBatch) Evaluate(n int) {
	b.fuse.pass()
	b.Batch.Evaluate(n)
}

func (b *fusedBatch) Prepare(n int) {
	b.fuse.pass()
	machine.Prepare(b.Batch, n)
}

func TestALineOfOneRoleReachesTheProvedGoalAfterAnEarlierSearch(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 17))
		tree := &toys.Tree{Roles: []string{"solo"}}
		var grow func(level int) int
		grow = func(level int) int {
			id := len(tree.Nodes)
			tree.Nodes = append(tree.Nodes, toys.Node{})
			if level == 5 {
				tree.Nodes[id].Goals = []int32{[]int32{0, 0, 10, 30, 60, 100}[rng.IntN(6-rng.IntN(3))]}
				return id
			}
			n := toys.Node{Moves: []int{1 + rng.IntN(3)}}
			for range n.Moves[0] {
				n.Kids = append(n.Kids, grow(level+1))
			}
			tree.Nodes[id] = n
			return id
		}
		grow(0)
		m, s := tree.Machine(), New(Config{Lanes: 1, Playouts: 1})
		for n := range 6 {
			r := must.Get(s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: int64(1 + rng.IntN(30)), Seed: seed}))(t)
			over, goals := toys.Follow(m, m.Initial(), r.Line)
			if v := r.Values[0]; v.Lower > 0 && (!over || float64(goals[0]) < v.Lower) {
				t.Errorf("seed %d, search %d: the line %v ends (%t) with %v; the goal is in %v", seed, n, r.Line, over, goals, v)
			}
			if r.Values[0].Lower < s.Bounds()[0].Lower {
				t.Errorf("seed %d: the goal is in %v; the tree has proved %v", seed, r.Values[0], s.Bounds()[0])
			}
			if r.Values[0].Lower > 0 && r.Strategies[0][0].Move != r.Line[0][0] {
				t.Errorf("seed %d: the strategy %v leaves the line %v", seed, r.Strategies[0], r.Line)
			}
		}
	}
}

func TestALineOfOneRolePrefersAProvedGoalToAHighMean(t *testing.T) {
	deep := toys.Node{Moves: []int{1}}
	tree := &toys.Tree{Roles: []string{"solo"}, Nodes: []toys.Node{{Moves: []int{2}, Kids: []int{1, 2}}, {Goals: []int32{30}}}}
	for id := 2; id < 40; id++ {
		deep.Kids = []int{id + 1}
		tree.Nodes = append(tree.Nodes, deep)
	}
	tree.Nodes = append(tree.Nodes, toys.Node{Goals: []int32{0}})
	m, s := tree.Machine(), New(Config{Lanes: 1, Playouts: 1})
	must.Get(s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 4}))(t)
	w := s.workers[0]
	moves := w.tree.choices(w.tree.at(w.tree.root))
	if b := s.Bounds()[0]; b.Lower != 30 || b.Upper != 100 {
		t.Fatalf("the goal is in %v, want from 30 to 100", b)
	}
	moves[1].visits, moves[1].sum = 1000, 60_000 // as playouts of an earlier search leave it
	if line := w.line(); len(line) != 1 || line[0][0] != 0 {
		t.Errorf("the line %v leaves the proved goal", line)
	}
}

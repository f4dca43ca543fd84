package sequential

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
)

// trees is the number of random games of the test of soundness: some in every
// run, and as many as wanted by hand (STACKMATE_EXHAUSTIVE=1 go test ./search/sequential -run Sound -trees 100000).
var trees = flag.Int("trees", 2000, "random games of the test of soundness")

// source draws the choices of random games: one of n, for the choice with a name.
type source func(name string, n int) int

// drawn returns choices that rapid makes simpler where a test fails.
func drawn(rt *rapid.T) source {
	return func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
}

// seeded returns choices of a generator.
func seeded(rng *rand.Rand) source { return func(_ string, n int) int { return rng.IntN(n) } }

// randomGame returns one or two players, with or without chance, on a tree or a graph.
func randomGame(choose source) *toys.Tree {
	coarse := func(rng *rand.Rand) int32 { return int32(50 * rng.IntN(3)) }
	s := shape{
		depth:  1 + choose("depth", 5),
		branch: func(rng *rand.Rand) int { return 1 + rng.IntN(3) },
		leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
		share:  []float64{0, 0.3}[choose("shared", 2)],
	}
	switch choose("kind", 5) {
	case 0:
		s.roles, s.choosers = []string{"alone"}, [][]int{{0}}
	case 1:
		s.roles, s.choosers = roles, [][]int{{0}, {1}}
	case 4:
		s.roles, s.choosers, s.leaf, s.depth = roles, [][]int{{0}, {1}}, coarse, s.depth+2
	case 2:
		s.roles = []string{"first", "second", machine.RandomRole}
		s.choosers = [][]int{{0}, {1}, {2}, {0, 2}, {1, 2}}
	default:
		s.roles, s.choosers = []string{"alone", machine.RandomRole}, [][]int{{0}, {1}, {0, 1}}
		s.leaf = coarse
	}
	return s.grow(rand.New(rand.NewPCG(uint64(choose("seed", math.MaxInt)), 0)))
}

// machineOf returns a machine of a game: one whose passes cost the same for all lanes or not,
// with or without decisive moves where two roles play.
func machineOf(game *toys.Tree, choose source) machine.Machine {
	m := game.Machine()
	if choose("parallel", 2) == 0 {
		m = parallel{m}
	}
	if len(game.Roles) == 2 && game.Roles[1] != machine.RandomRole && choose("decisive", 2) == 0 {
		m = seeing{m, game}
	}
	return m
}

// With every ε, every set of refinements, on one thread and on two: the value lies in the interval, the interval is no wider than ε, and the
// move guarantees its lower end (its upper end for the minimiser).
func TestSearchesAreSoundOnRandomGames(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	for seed := range uint64(exhaustive.Choose(min(*trees, 500), *trees)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		game := randomGame(seeded(rng))
		c := Config{
			Epsilon:      []float64{0, 0, 1, 7.5, 30, 64, 100}[rng.IntN(7)],
			Without:      Refinement(rng.IntN(int(Literal) + 1)),
			ShareEpsilon: rng.IntN(2) == 0,
			Halves:       rng.IntN(2) == 0,
			Threads:      1 + rng.IntN(2),
			Falling:      seed%2 == 0,
		}
		m := machineOf(game, seeded(rng))
		r, err := crowded(c).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, v := minimax(game, 0), r.Values[0]
		if !r.Proved || v.Lower > want+1e-9 || v.Upper < want-1e-9 || v.Upper-v.Lower > c.Epsilon+1e-9 {
			t.Fatalf("seed %d, %+v: %v (proved %v), want %g", seed, c, v, r.Proved, want)
		}
		root := &game.Nodes[0]
		for role := range min(2, len(game.Roles)) {
			if len(root.Kids) == 0 || game.Roles[role] == machine.RandomRole || root.Moves[role] == 1 {
				continue
			}
			fixed := *game
			fixed.Nodes = append([]toys.Node(nil), game.Nodes...)
			fixed.Nodes[0] = restrict(*root, role, int(r.Strategies[role][0].Move))
			got := minimax(&fixed, 0)
			if role == 0 && got < v.Lower-1e-9 || role == 1 && got > v.Upper+1e-9 {
				t.Fatalf("seed %d, %+v: role %d's move is worth %g, promised %v", seed, c, role, got, v)
			}
		}
	}
}

// policy plays one role of a game by a search with tolerance ε.
type policy struct {
	t     *testing.T
	game  *toys.Tree
	role  int
	anew  *Config // searches every position that it comes to, or
	known *Solver // follows the bounds that one search of the root has left
}

// guarantees returns the value of the policy's role at node id against the best reply, in points of the first role.
func (p *policy) guarantees(id int, promised float64) float64 {
	n := &p.game.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[0])
	}
	mine := n.Moves[p.role] > 1
	kids := n.Kids
	if mine {
		a := p.choose(id, promised)
		kids = kids[a : a+1]
	}
	best := 0.0
	for i, kid := range kids {
		v := p.guarantees(kid, promised)
		if i == 0 || p.role == 0 && v < best || p.role == 1 && v > best {
			best = v
		}
	}
	return best
}

func (p *policy) choose(id int, promised float64) int {
	m := p.game.Machine()
	if p.anew != nil {
		r, err := New(*p.anew).Search(p.t.Context(), m, machine.State{uint64(id)}, search.Limits{})
		if err != nil {
			p.t.Fatal(err)
		}
		return int(r.Strategies[p.role][0].Move)
	}
	for a, kid := range p.game.Nodes[id].Kids {
		if b := p.bounds(kid); p.role == 0 && b.Lower >= promised || p.role == 1 && b.Upper <= promised {
			return a
		}
	}
	p.t.Fatalf("node %d: no move is known to keep the promise of %g", id, promised)
	return 0
}

// bounds returns the bounds of a node left by the search; without a choice, of the next node.
func (p *policy) bounds(id int) search.Interval {
	n := &p.game.Nodes[id]
	switch len(n.Kids) {
	case 0:
		return search.Exact(float64(n.Goals[0]))
	case 1:
		return p.bounds(n.Kids[0])
	}
	packing := p.known.packing
	packed := make([]uint64, p.known.table.ValueWords())
	s := machine.State{uint64(id)}
	if !p.known.table.Lookup(packed, p.known.table.Key(make([]uint64, len(s)), s)) {
		return search.Interval{Lower: 0, Upper: 100}
	}
	return packing.unpack(packed).proved
}

// The conjecture of the paper, that bounded-suboptimal policies are an ε-equilibrium: the guarantees of the two players of one search tree, L
// and U, are at most ε apart, so neither player gains more than ε. It is false for policies that search anew at every position with tolerance ε:
// their losses add up.
func TestTheStrategiesOfOneSearchAreAnEpsilonEquilibrium(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	const epsilon = 20
	games := exhaustive.Choose(15, 30)
	broken := 0
	for seed := range uint64(games) {
		game := shape{
			roles: roles, depth: 7, choosers: [][]int{{0}, {1}}, inTurn: true,
			branch: func(rng *rand.Rand) int { return 2 + rng.IntN(2) },
			leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
		}.grow(rand.New(rand.NewPCG(seed, 9)))
		c := Config{Epsilon: epsilon, Without: Deepening}
		v := New(c)
		m := game.Machine()
		r := must.Get(v.Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
		b := r.Values[0]
		first, second := &policy{t: t, game: game, role: 0, known: v}, &policy{t: t, game: game, role: 1, known: v}
		low, high := first.guarantees(0, b.Lower), second.guarantees(0, b.Upper)
		if low < b.Lower || high > b.Upper || high-low > epsilon {
			t.Fatalf("seed %d: the strategies guarantee %g and %g, the search promises %v", seed, low, high, b)
		}
		first.anew, second.anew = &c, &c
		if second.guarantees(0, 0)-first.guarantees(0, 0) > epsilon {
			broken++
		}
	}
	if broken == 0 || broken == games {
		t.Errorf("searching anew at every position: %d of %d games have more than ε between what the players guarantee", broken, games)
	}
}

// anew is a solution that searches every position from scratch.
type anew struct {
	machine machine.Machine
	config  Config
}

// At implements search.Solution.
func (a anew) At(ctx context.Context, q machine.State) (search.Claim, error) {
	return certify.Search{Machine: a.machine, Searcher: New(a.config)}.At(ctx, q)
}

// The conjecture again, with chance, transpositions and every search: at each position reached by the strategies they obtain the claimed value,
// and nobody gains more than ε. The positions are searched as they are reached, all with the table of the first search.
func TestStrategiesWithATableAreCertifiedAtEveryPositionTheyReach(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	broken := 0
	for seed := uint64(2000); seed < exhaustive.Choose[uint64](2060, 2150); seed++ {
		rng := rand.New(rand.NewPCG(seed, 11))
		game := randomGame(seeded(rng))
		if seed%2 == 0 {
			game = shape{
				roles: roles, depth: 5 + rng.IntN(2), choosers: [][]int{{0}, {1}}, inTurn: true,
				branch: func(rng *rand.Rand) int { return 1 + rng.IntN(3) },
				leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
			}.grow(rng)
		}
		c := Config{
			Epsilon: []float64{3, 10, 20, 40}[rng.IntN(4)], Without: Refinement(rng.IntN(int(Literal)+1)) &^ (Table | Lookahead),
			ShareEpsilon: rng.IntN(2) == 0, Halves: rng.IntN(2) == 0, Threads: 1 + rng.IntN(2), Falling: seed%3 == 0,
		}
		m := machineOf(game, seeded(rng))
		got, err := certify.Check(t.Context(), m, m.Initial(), certify.Search{Machine: m, Searcher: New(c)}, certify.Limits{})
		if err != nil || !got.Certified() || got.Gap > c.Epsilon+1e-9 {
			t.Fatalf("seed %d, %+v: %v, %+v, %+v", seed, c, err, got, got.First)
		}
		fresh := must.Get(certify.Check(t.Context(), m, m.Initial(), anew{m, c}, certify.Limits{}))(t)
		if !fresh.Certified() {
			broken++
		}
	}
	if broken == 0 {
		t.Error("strategies that forget what was promised are certified, too: the test shows nothing")
	}
}

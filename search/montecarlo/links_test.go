package montecarlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// shareKids makes positions of a tree reachable in several ways, after as many joint moves
// each.
func shareKids(t *toys.Tree, rng *rand.Rand) {
	level := []int{0}
	for len(level) > 0 {
		var kids []int
		for _, id := range level {
			kids = append(kids, t.Nodes[id].Kids...)
		}
		for _, id := range level {
			for i := range t.Nodes[id].Kids {
				if rng.IntN(3) == 0 {
					t.Nodes[id].Kids[i] = kids[rng.IntN(len(kids))]
				}
			}
		}
		level = kids
	}
}

func TestAPositionReachedInTwoWaysIsOneNode(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := newSubtraction([]string{"left", "right"}, 60)
	with, without := sample(t, Config{}, m, 20_000), sample(t, Config{Without: Transpositions}, m, 20_000)
	if !with.Solved() || without.Solved() || with.Values[0] != search.Exact(0) {
		t.Errorf("60 counters: %v, solved %t; without transpositions solved %t", with.Values, with.Solved(), without.Solved())
	}
}

// TestWhatANodeHasIsWhatItsMovesBrought checks, in graphs over random games, that the sums of nodes equal the sums of their moves plus their
// own samples as leaves.
func TestWhatANodeHasIsWhatItsMovesBrought(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		game := &toys.Tree{Roles: []string{"a", "b"}}
		growAtOnce(game, rng, 4)
		shareKids(game, rng)
		s := New(Config{Without: Bounds, Lanes: 8})
		m := game.Machine()
		if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: rapid.Int64Range(1, 500).Draw(rt, "nodes"), Seed: 1}); err != nil {
			rt.Fatal(err)
		}
		checkLinks(t, s.workers[0].tree)
		checkSums(rt, s.workers[0].tree)
	})
}

func checkSums(t *rapid.T, tree *tree) {
	for n := range tree.fresh {
		done, totals := float64(tree.at(n).done), tree.totalsOf(n)
		if math.Abs(totals[0]+totals[1]-100*done) > 1e-6 {
			t.Fatalf("node %d has %v of %g paths", n, totals, done)
		}
		if tree.at(n).moves == none {
			continue
		}
		moves := tree.movesOf(n)
		for r, width := range tree.widthsOf(n) {
			taken, sum := 0.0, 0.0
			for _, s := range moves[:width] {
				taken, sum = taken+float64(s.visits), sum+s.sum
			}
			moves = moves[width:]
			if c := tree.at(n).chooser; c >= 0 && int(c) != r {
				continue // only the moves of the chooser are counted
			}
			own, got := done-taken, totals[r]-sum // as a leaf
			if own < 0 || n == tree.root && own > 0 || got < -1e-6 || got > 100*own+1e-6 {
				t.Fatalf("node %d has %g of %g paths for role %d, its moves %g of %g", n, totals[r], done, r, sum, taken)
			}
		}
	}
}

// TestBoundsOfSharedPositionsContainTheValue compares bounds with minimax in games with many transpositions.
func TestBoundsOfSharedPositionsContainTheValue(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	solved := 0
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		game := &toys.Tree{Roles: rapid.SampledFrom([][]string{{"alone"}, {"a", "b"}, {"a", "b", machine.RandomRole}}).Draw(rt, "roles")}
		growToy(game, rng, 5)
		shareKids(game, rng)
		want := minimax(game, 0, 0)
		r := sample(t, Config{Lanes: 4}, game.Machine(), rapid.Int64Range(1, 2000).Draw(rt, "nodes"))
		if v := r.Values[0]; r.Proved && (v.Lower > want+1e-9 || v.Upper < want-1e-9) {
			rt.Fatalf("%v is said to be proved, the value is %g", v, want)
		}
		if r.Solved() {
			solved++
		}
	})
	if solved == 0 {
		t.Error("no game was solved")
	}
}

package montecarlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

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
	m := newSubtraction([]string{"left", "right"}, 60)
	with, without := sample(t, Config{}, m, 20_000), sample(t, Config{Without: Transpositions}, m, 20_000)
	if !with.Solved() || without.Solved() || with.Values[0] != search.Exact(0) {
		t.Errorf("60 counters: %v, solved %t; without transpositions solved %t", with.Values, with.Solved(), without.Solved())
	}
}

// TestWhatANodeHasIsWhatItsLinksBrought checks, in graphs over random games, that the sums of
// nodes and moves are those of links, and those of links the means of their children.
func TestWhatANodeHasIsWhatItsLinksBrought(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		game := &toys.Tree{Roles: []string{"a", "b"}}
		growAtOnce(game, rng, 4)
		shareKids(game, rng)
		// Without bounds no node is solved but the terminal ones, whose means are their values.
		s := New(Config{Without: Bounds, Lanes: 8})
		m := game.Machine()
		if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: rapid.Int64Range(1, 500).Draw(rt, "nodes"), Seed: 1}); err != nil {
			rt.Fatal(err)
		}
		checkLinks(t, s.workers[0].tree)
		checkSums(rt, s.workers[0])
	})
}

func checkSums(t *rapid.T, w *worker) {
	tree := w.tree
	seen := map[int32]bool{tree.root: true}
	for open := []int32{tree.root}; len(open) > 0; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		taken, fromLinks, byMove := int32(0), 0.0, map[int32]float64{}
		counted := max(0, int(tree.at(n).chooser)) // a role whose moves know what they have brought
		for l := tree.at(n).out; l != none; l = tree.links.at(l).sibling {
			a := tree.links.at(l)
			taken += a.done
			picks := make([]int32, tree.roles)
			tree.split(n, a.cell, picks)
			brought := [2]float64{a.sum, 100*float64(a.done) - a.sum}
			byMove[picks[counted]] += brought[counted]
			fromLinks += a.sum
			if !seen[a.to] {
				seen[a.to], open = true, append(open, a.to)
			}
		}
		if own := tree.at(n).done - taken; own < 0 || n == tree.root && own != 0 {
			t.Fatalf("node %d was visited %d times, by its links %d", n, tree.at(n).done, taken)
		}
		for i, sum := range byMove {
			if got := tree.movesOf(n)[counted:][i].sum; math.Abs(got-sum) > 1e-6 {
				t.Fatalf("move %d of node %d has %g, its links %g", i, n, got, sum)
			}
		}
		if totals := tree.totalsOf(n); n == tree.root && (math.Abs(totals[0]-fromLinks) > 1e-6 || math.Abs(totals[0]+totals[1]-100*float64(tree.at(n).done)) > 1e-6) {
			t.Fatalf("the root has %v of %d paths, its links %g", totals, tree.at(n).done, fromLinks)
		}
	}
}

// TestBoundsOfSharedPositionsContainTheValue compares what is proved in games in which many
// positions are reached in several ways with minimax.
func TestBoundsOfSharedPositionsContainTheValue(t *testing.T) {
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

package montecarlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search/matrix"
)

// TestProvedValuesOfSimultaneousMovesAreRight grows trees over random games of simultaneous moves and
// compares values and strategies that are said to be proved with backward induction.
func TestProvedValuesOfSimultaneousMovesAreRight(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	solved := 0
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		roles := rapid.SampledFrom([][]string{
			{"a", "b"}, {machine.RandomRole, "a", "b"}, {"a", machine.RandomRole, "b"},
		}).Draw(rt, "roles")
		game := &toys.Tree{Roles: roles}
		growAtOnce(game, rng, rapid.IntRange(1, 3).Draw(rt, "depth"))
		row := machine.Role(0)
		if roles[0] == machine.RandomRole {
			row = 1
		}
		cells, n := atOnce(game, 0, row)
		want, err := matrix.NewNative().Nash(cells, len(cells)/n, n, nil, nil)
		if err != nil {
			rt.Fatal(err)
		}
		r := sample(t, Config{Rule: RegretMatching}, game.Machine(), rapid.Int64Range(1, 3000).Draw(rt, "nodes"))
		if !r.Proved {
			return
		}
		solved++
		if v := r.Values[row]; math.Abs(v.Lower-want) > 1e-5 || math.Abs(v.Upper-want) > 1e-5 {
			rt.Fatalf("%v is said to be proved, the value is %g", v, want)
		}
		for j := range n {
			got := 0.0
			for _, w := range r.Strategies[row] {
				got += w.Probability * cells[int(w.Move)*n+j]
			}
			if got < want-1e-5 {
				rt.Fatalf("%v gets %g against reply %d, the value is %g", r.Strategies[row], got, j, want)
			}
		}
	})
	if solved == 0 {
		t.Error("no game was solved")
	}
}

// growAtOnce appends a random game in which all choose at once.
func growAtOnce(t *toys.Tree, rng *rand.Rand, depth int) int {
	id := len(t.Nodes)
	t.Nodes = append(t.Nodes, toys.Node{})
	n := toys.Node{}
	if depth == 0 || rng.IntN(4) == 0 && id > 0 {
		g := int32(rng.IntN(5) * 25)
		for _, name := range t.Roles {
			if name == machine.RandomRole {
				n.Goals = append(n.Goals, 0)
				continue
			}
			n.Goals = append(n.Goals, g)
			g = 100 - g
		}
		t.Nodes[id] = n
		return id
	}
	joint := 1
	for _, name := range t.Roles {
		width := 1 + rng.IntN(3)
		if name == machine.RandomRole {
			width = 1 + rng.IntN(2)
		}
		n.Moves = append(n.Moves, width)
		joint *= width
	}
	for range joint {
		n.Kids = append(n.Kids, growAtOnce(t, rng, depth-1))
	}
	t.Nodes[id] = n
	return id
}

// atOnce returns the matrix game of a node, by backward induction, and its number of columns.
func atOnce(t *toys.Tree, id int, row machine.Role) (cells []float64, columns int) {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return []float64{float64(n.Goals[row])}, 1
	}
	chance := t.Roles[0] == machine.RandomRole || len(t.Roles) == 3
	columns = n.Moves[len(n.Moves)-1]
	cells = make([]float64, n.Moves[row]*columns)
	count := float64(len(n.Kids)) / float64(len(cells))
	for k, kid := range n.Kids {
		c := k % len(cells) // chance is the first digit
		if chance && t.Roles[1] == machine.RandomRole {
			c = k/columns/n.Moves[1]*columns + k%columns // or the middle one
		}
		below, m := atOnce(t, kid, row)
		v, err := matrix.NewNative().Nash(below, len(below)/m, m, nil, nil)
		if err != nil {
			panic(err)
		}
		cells[c] += v / count
	}
	return cells, columns
}

package simultaneous

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/search"
	"stackmate/search/matrix"
)

// untilSomebodyWins returns a matrix of one position: again is played anew, and every other cell
// is a payoff of the row player.
func untilSomebodyWins(rows, columns int, cells ...int32) *toys.Tree {
	t := &toys.Tree{Roles: two, Nodes: []toys.Node{{Moves: []int{rows, columns}}}}
	for _, v := range cells {
		kid := 0
		if v != again {
			kid = len(t.Nodes)
			t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{v, 100 - v}})
		}
		t.Nodes[0].Kids = append(t.Nodes[0].Kids, kid)
	}
	return t
}

const again = -1

// deepened solves a tree whose positions repeat by SMAB in an order.
func deepened(t rapid.TB, tree *toys.Tree, order Order, lim search.Limits) search.Result {
	t.Helper()
	s := must.Get(New(Config{Order: order, Table: true}))(t)
	m := tree.Machine()
	return must.Get(s.Search(context.Background(), m, m.Initial(), lim))(t)
}

func TestRepeatedGamesConvergeToTheirValue(t *testing.T) {
	for name, c := range map[string]struct {
		tree *toys.Tree
		want search.Interval
	}{
		"rock, paper, scissors until somebody wins": {untilSomebodyWins(3, 3, again, 0, 100, 100, again, 0, 0, 100, again), search.Exact(50)},
		// The column player may wait below 50, and the row player above.
		"both may wait":             {untilSomebodyWins(2, 2, 100, 0, 50, again), search.Interval{Upper: 50}},
		"nothing is ever decided":   {untilSomebodyWins(2, 2, again, again, again, again), search.Interval{Upper: 100}},
		"the row player may wait":   {untilSomebodyWins(2, 2, again, again, 30, 60), search.Interval{Lower: 30, Upper: 100}},
		"either may end it at once": {untilSomebodyWins(2, 2, 80, 70, 60, again), search.Exact(70)},
	} {
		for _, order := range []Order{OrderBest, OrderL, OrderLex} {
			r := deepened(t, c.tree, order, search.Limits{})
			const wide = 0.01 // ends of open intervals are moved outwards
			v, off := r.Values[0], tolerance
			if !c.want.Solved() {
				off = wide
			}
			if math.Abs(v.Lower-c.want.Lower) > off || math.Abs(v.Upper-c.want.Upper) > off {
				t.Errorf("%s, order %s: %v, want %v", name, order, v, c.want)
			}
			if r.Solved() != c.want.Solved() || !r.Proved || r.Solved() != (r.Unfinished == nil) {
				t.Errorf("%s, order %s: solved %t, unfinished: %v", name, order, r.Solved(), r.Unfinished)
			}
			if r.Solved() && len(r.Line) == 0 {
				t.Errorf("%s, order %s: no line", name, order)
			}
		}
	}
}

func TestRepeatedPositionsAreUnfinishedForAReasonWhereASearchDoesNotDeepen(t *testing.T) {
	m := untilSomebodyWins(2, 2, again, 50, 60, again).Machine()
	for name, c := range map[string]Config{
		"no table": {}, "bi": {Method: BackwardInduction}, "bi with a table": {Method: BackwardInduction, Table: true},
		"do": {Method: DoubleOracle, Table: true}, "biab": {Method: BoundedInduction},
	} {
		r, err := must.Get(New(c))(t).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || r.Solved() || !errors.Is(r.Unfinished, errRepeats) || r.Nodes > 10 {
			t.Errorf("%s: %+v, error %v", name, r, err)
		}
	}
}

// drawCyclic draws a game of a few positions, each a matrix whose cells lead to positions or
// payoffs.
func drawCyclic(t *rapid.T) *toys.Tree {
	tree := &toys.Tree{Roles: two}
	positions := rapid.IntRange(1, 4).Draw(t, "positions")
	for range positions {
		tree.Nodes = append(tree.Nodes, toys.Node{Moves: []int{rapid.IntRange(1, 3).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")}})
	}
	for i := range positions {
		for range tree.Nodes[i].Moves[0] * tree.Nodes[i].Moves[1] {
			kid := rapid.IntRange(0, positions-1).Draw(t, "position")
			if rapid.IntRange(0, 2).Draw(t, "ends") > 0 {
				kid = len(tree.Nodes)
				v := 10 * rapid.Int32Range(0, 10).Draw(t, "payoff")
				tree.Nodes = append(tree.Nodes, toys.Node{Goals: []int32{v, 100 - v}})
			}
			tree.Nodes[i].Kids = append(tree.Nodes[i].Kids, kid)
		}
	}
	return tree
}

// iterated is the number of plies after which limits gives up; then the ends are within
// iteratedError of the limits, since the error falls at least like one over the plies.
const (
	iterated      = 20_000
	iteratedError = 0.05
)

// limits iterates the matrix games of a tree from the least and from the greatest values.
func limits(tree *toys.Tree) search.Interval {
	lp := matrix.NewNative()
	var ends [2]float64
	for k, start := range []float64{0, 100} {
		values := make([]float64, len(tree.Nodes))
		for i, n := range tree.Nodes {
			if values[i] = start; n.Kids == nil {
				values[i] = float64(n.Goals[0])
			}
		}
		for range iterated {
			moved := 0.0
			next := append([]float64(nil), values...)
			for i, n := range tree.Nodes {
				if n.Kids == nil {
					continue
				}
				var a []float64
				for _, kid := range n.Kids {
					a = append(a, values[kid])
				}
				v, err := lp.Nash(a, n.Moves[0], n.Moves[1], nil, nil)
				if err != nil {
					panic(err)
				}
				next[i], moved = v, max(moved, math.Abs(v-values[i]))
			}
			if values = next; moved < 1e-12 {
				break
			}
		}
		ends[k] = values[0]
	}
	return search.Interval{Lower: ends[0], Upper: ends[1]}
}

func TestBoundsOfGamesWithCyclesHoldWhereverTheyStopAndConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := drawCyclic(t)
		want := limits(tree)
		order := rapid.SampledFrom([]Order{OrderBest, OrderL, OrderLex}).Draw(t, "order")
		lim := search.Limits{MaxNodes: rapid.Int64Range(1, 3000).Draw(t, "nodes")}
		r := deepened(t, tree, order, lim)
		v := r.Values[0]
		if v.Lower > want.Lower+iteratedError || v.Upper < want.Upper-iteratedError {
			t.Fatalf("order %s: %v is narrower than the limits of iteration, %v", order, v, want)
		}
		ended := r.Solved() || r.Unfinished != nil && errors.Is(r.Unfinished, errNoProgress)
		if ended && (v.Lower < want.Lower-iteratedError || v.Upper > want.Upper+iteratedError) {
			t.Fatalf("order %s: ended with %v after %d nodes (depth %d), %v, want %v", order, v, r.Nodes, r.Depth, r.Unfinished, want)
		}
	})
}

// The bound of the column player converges by a half in each iteration, the bound of the row player by three quarters. When they
// have met, the column player's moves differ by less than rounding, and one of them alone may stay for ever.
func TestAStrategyIsFromTheLastGainOfItsOwnBound(t *testing.T) {
	const first, second, end = 0, 1, 2
	g := &toys.Tree{Roles: two, Nodes: []toys.Node{
		{Moves: []int{2, 3}, Kids: []int{first, end, second, second, first, first}},
		{Moves: []int{2, 3}, Kids: []int{first, end, end, end, first, end}},
		{Goals: []int32{20, 80}},
	}}
	r := deepened(t, g, OrderBest, search.Limits{})
	if column := r.Strategies[1]; r.Values[0] != search.Exact(20) || len(column) < 2 || column[0].Move != 0 || math.Abs(column[0].Probability-0.5) > 0.01 {
		t.Errorf("values %v, the column player plays %v; want half of move 0", r.Values, column)
	}
}

func TestAStoppedSearchOfARepeatedGameGoesOnLater(t *testing.T) {
	s := must.Get(New(Config{Table: true}))(t)
	m := untilSomebodyWins(3, 3, again, 0, 100, 100, again, 0, 0, 100, again).Machine()
	for _, lim := range []search.Limits{{MaxNodes: 5}, {MaxNodes: 9}, {}, {}} {
		r, err := s.Search(t.Context(), m, m.Initial(), lim)
		if err != nil || r.Solved() != (lim.MaxNodes == 0) {
			t.Errorf("%d nodes: %+v, error %v", lim.MaxNodes, r, err)
		}
	}
}

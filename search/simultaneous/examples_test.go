package simultaneous

import (
	"math"
	"reflect"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/search"
)

// matrixTree is a tree of matrices by hand: each node is one with its kids by rows, or a leaf.
type matrixTree struct {
	rows, columns int
	value         int32 // of a leaf, for the row player
	kids          []matrixTree
}

func value(v int32) matrixTree { return matrixTree{value: v} }

func matrixOf(rows, columns int, kids ...matrixTree) matrixTree {
	return matrixTree{rows: rows, columns: columns, kids: kids}
}

func (n matrixTree) plant(t *toys.Tree) int {
	id := len(t.Nodes)
	t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{n.value, 100 - n.value}})
	if n.kids == nil {
		return id
	}
	node := toys.Node{Moves: []int{n.rows, n.columns}}
	for _, kid := range n.kids {
		node.Kids = append(node.Kids, kid.plant(t))
	}
	t.Nodes[id] = node
	return id
}

// expanded returns the value of a tree by SMAB, and the positions that it expands.
func (n matrixTree) expanded(t *testing.T, c Config) (search.Interval, int64) {
	t.Helper()
	game := &toys.Tree{Roles: []string{"max", "min"}}
	n.plant(game)
	got := solve(t, c, game.Machine())
	return got.Values[0], got.Nodes
}

// Example 1 of Saffidine et al. 2012: the second row of G matters if H is worth more than 5. Column B2 bounds H by 4, so nothing below column B3
// is searched. With s > 0 the bound waits for a full column, which G does not have, and one cell of B3 is searched.
func TestExample1TheRestOfHIsPruned(t *testing.T) {
	open := matrixOf(2, 1, value(0), value(100)) // an unspecified subtree
	g := matrixOf(2, 1, value(5), matrixOf(2, 2, value(4), open, value(3), open))
	for skip, want := range []int64{2, 3, 3} {
		if v, nodes := g.expanded(t, Config{Order: OrderL, Skip: skip}); v != search.Exact(5) || nodes != want {
			t.Errorf("s = %d: value %v after %d positions, want 5 after %d", skip, v, nodes, want)
		}
	}
}

// A row that two others dominate together as soon as its last cell is worth at most 5: with the
// bound of Fig. 4 the cell is left at its first reply. Two rows and a column are full, so the
// bound is there for s ≤ 1, and for s = 2 there are not yet as many columns.
func TestMixturesPruneOnlyAfterSRowsAndColumns(t *testing.T) {
	inner := matrixOf(2, 1, value(0), value(100))
	cell := matrixOf(1, 2, value(5), inner)
	g := matrixOf(3, 2, value(10), value(0), value(0), value(10), value(5), cell)
	for skip, want := range []int64{2, 2, 3} {
		if v, nodes := g.expanded(t, Config{Order: OrderL, Skip: skip}); v != search.Exact(5) || nodes != want {
			t.Errorf("s = %d: value %v after %d positions, want 5 after %d", skip, v, nodes, want)
		}
	}
}

// The systems of Fig. 1 to 3: an action is dominated, for all values of its cells within their bounds, exactly if the bound of Fig. 4 or 5 for
// one of its cells reaches the cell.
func TestFigures1To3DominanceByBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		m, n int
		p, o []float64 // row by row
		row  int       // that is asked about, or -1
		want bool
	}{
		{"Fig. 1: half of either row", 3, 2, []float64{10, 0, 0, 10, 0, 0}, []float64{10, 0, 0, 10, 5, 5}, 2, true},
		{"Fig. 1: no mixture is enough", 3, 2, []float64{10, 0, 0, 10, 0, 0}, []float64{10, 0, 0, 10, 5, 6}, 2, false},
		{"Fig. 1: optimistic bounds of others do not count", 3, 2, []float64{4, 0, 0, 10, 0, 0}, []float64{10, 0, 0, 10, 5, 5}, 2, false},
		{"Fig. 2: the best of the others", 3, 1, []float64{2, 7, 0}, []float64{2, 9, 7}, 2, true},
		{"Fig. 2: the others may be worse", 3, 1, []float64{2, 6, 0}, []float64{2, 9, 7}, 2, false},
		{"Fig. 3: half of either column", 2, 3, []float64{0, 10, 5, 10, 0, 5}, []float64{0, 10, 10, 10, 0, 10}, -1, true},
		{"Fig. 3: no mixture is enough", 2, 3, []float64{0, 10, 5, 10, 0, 4}, []float64{0, 10, 10, 10, 0, 10}, -1, false},
	} {
		config := must.Get(Config{Order: OrderL}.complete())(t)
		s := must.Get(newSolver(t.Context(), config, newGoofspiel(descending(3), false), 1<<20))(t)
		f := &frame{m: c.m, n: c.n, p: c.p, o: c.o}
		f.listed.reset(c.m, c.n)
		got := false
		if c.row >= 0 {
			got = s.dominanceBound(f, rowSide, c.row, 0, search.GoalRange) >= c.o[c.row*c.n]
		} else {
			got = -s.dominanceBound(f, columnSide, c.n-1, 0, search.GoalRange) <= c.p[c.n-1]
		}
		if got != c.want {
			t.Errorf("%s: dominated %v, want %v", c.name, got, c.want)
		}
	}
}

// The estimate of a move is its mean payoff against the strategy of the other player; its bounds are its least and greatest payoff, which
// are moved outwards by the rounding error.
func TestMovesOfTheFirstPositionHaveBoundsAndEstimates(t *testing.T) {
	tree := &toys.Tree{Roles: two}
	matrixOf(2, 2, value(10), value(80), value(70), value(20)).plant(tree)
	type known struct{ lower, upper, estimate float64 }
	want := [][]known{{{10, 80, 45}, {20, 70, 45}}, {{30, 90, 55}, {20, 80, 55}}}
	for name, c := range map[string]Config{"SMAB": {}, "backward induction": {Method: BackwardInduction}, "double oracle": {Method: DoubleOracle}} {
		var got [][]known
		for _, moves := range solve(t, c, tree.Machine()).Moves {
			var own []known
			for _, k := range moves {
				own = append(own, known{math.Ceil(k.Bounds.Lower), math.Floor(k.Bounds.Upper), math.Round(k.Estimate)})
			}
			got = append(got, own)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the moves have bounds and estimates %v, want %v", name, got, want)
		}
	}
}

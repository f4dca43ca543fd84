package montecarlo

import (
	"math"
	"slices"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// newPennies returns a worker at whose root two players choose at once. Of the cells of the matrix
// the first player got 80, 20 / 20, 80 / 90, 0 in as many paths as visits says.
func newPennies(visits [6]int) *worker {
	tree := newTree(2, 1, machine.NoRole, 1<<20, true)
	w := &worker{
		common: &common{tree: tree, adversarial: true, sum: 100, sumKnown: true, second: 1},
		config: Config{Rule: RegretMatching}, brought: make([]float64, 2), picks: make([]int32, 2),
	}
	tree.plant(machine.State{0})
	tree.at(tree.root).visits = 1
	tree.open(tree.root, [][]machine.Move{{0, 1, 2}, {0, 1}})
	for cell, goal := range []float64{80, 20, 20, 80, 90, 0} {
		if visits[cell] == 0 {
			continue
		}
		tree.grow(tree.root, int64(cell), machine.State{uint64(cell + 1)})
		w.play(cell, visits[cell], goal)
	}
	return w
}

// play lets paths come back from a child of the root, each with the given goal points for the first player.
func (w *worker) play(cell, paths int, goal float64) {
	link := w.tree.findLink(w.tree.root, int64(cell))
	w.round.steps = []step{{cell: int64(cell), before: none, node: w.tree.root, link: link, done: int32(paths), last: true}}
	w.round.goals = []float64{float64(paths) * goal, float64(paths) * (100 - goal)}
	w.backUp(0)
}

func TestANodeIsWorthItsMatrixGame(t *testing.T) {
	w := newPennies([6]int{50, 10, 10, 50, 5, 5}) // the mean of paths is above 60
	w.balance(w.tree.root)
	for r := range 2 {
		if got := w.tree.value(w.tree.root, r); math.Abs(got-50) > 1e-6 {
			t.Errorf("role %d: value %g, want 50", r, got)
		}
	}
	for i, want := range []float64{0.5, 0.5, 0, 0.5, 0.5} {
		if got := float64(*w.tree.movesOf(w.tree.root)[i].regret()); math.Abs(got-want) > 1e-6 {
			t.Errorf("move %d is drawn with probability %g, want %g", i, got, want)
		}
	}
	w.play(0, 1, 100)
	if got := w.tree.value(w.tree.root, 0); math.Abs(got-50) > 1e-6 {
		t.Errorf("after one more path the value is %g, want 50 until the game is solved again", got)
	}
}

func TestOfABalancedNodeItsValueIsPassedUp(t *testing.T) {
	w := newPennies([6]int{50, 0, 0, 0, 0, 0})
	tree := w.tree
	tree.at(tree.kid(tree.root, 0)).balanced = true // worth 80
	w.play(0, 10, 0)
	move := tree.movesOf(tree.root)[0]
	if got := tree.value(tree.root, 0); math.Abs(got-80) > 1e-6 || math.Abs(move.sum-60*80) > 1e-6 {
		t.Errorf("after ten paths without a point the node before it is worth %g, and its move has %g, want 80 and 4800", got, move.sum)
	}
}

func TestACellThatNobodyHasSeenHasTheValueOfItsNode(t *testing.T) {
	w := newPennies([6]int{50, 50, 50, 50, 50, 0})
	if !w.estimate(w.tree.root) {
		t.Fatal("the matrix is not known")
	}
	want := []float64{80, 20, 20, 80, 90, w.tree.value(w.tree.root, 0)}
	for i, got := range w.matrices.cells {
		if math.Abs(got-want[i]) > 1e-6 {
			t.Errorf("cell %d is taken for %g, want %g", i, got, want[i])
		}
	}
}

func TestAMatrixOfWhichLittleIsKnownIsNotSolved(t *testing.T) {
	w := newPennies([6]int{50, 10, 0, 0, 0, 0})
	if w.balance(w.tree.root); w.tree.at(w.tree.root).balanced {
		t.Error("a game is solved of which two thirds are not known")
	}
}

func TestTheRootMixesByTheEquilibriumAtTheEnd(t *testing.T) {
	w := newPennies([6]int{50, 10, 10, 50, 5, 5})
	moves := [][]stat{make([]stat, 3), make([]stat, 2)}
	w.mixRoot(moves)
	for i, want := range []float64{0.5, 0.5, 0, 0.5, 0.5} {
		if got := float64(*slices.Concat(moves...)[i].weight()); math.Abs(got-want) > 1e-6 {
			t.Errorf("move %d has weight %g, want %g", i, got, want)
		}
	}
	w = newPennies([6]int{50, 10, 0, 0, 0, 0})
	*moves[0][2].weight() = 7
	if w.mixRoot(moves); *moves[0][2].weight() != 7 {
		t.Error("a root is mixed of which two thirds are not known")
	}
}

// TestEquilibriaOfEstimatesLoseLess plays a game of matching pennies with stakes in which even
// exploration makes one side look better than it is.
func TestEquilibriaOfEstimatesLoseLess(t *testing.T) {
	m := toys.Matrix([][]int32{{100, 0, 0}, {0, 100, 0}, {50, 50, 0}}).Machine()
	r, err := New(Config{Rule: RegretMatching, Without: Bounds}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 2000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Values[0].Lower; v > 1 {
		t.Errorf("value %g, want 0: the third reply takes all", v)
	}
}

package montecarlo

import (
	"math"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// newTried is a worker whose root has three moves of one role, which were tried ten times
// each and gave it 20, 60 and 70 points. The other role has one move, or is chance and
// has none of the points.
func newTried(chooser, random machine.Role) *worker {
	tree := newTree(2, 1, random, 1<<20, true)
	w := &worker{common: &common{tree: tree, adversarial: true, sum: 100, sumKnown: true, second: 1}, brought: make([]float64, 2), picks: make([]int32, 2)}
	tree.plant(machine.State{0})
	moves := [][]machine.Move{{0}, {0}}
	moves[chooser] = []machine.Move{0, 1, 2}
	tree.open(tree.root, moves)
	for i, goal := range []float64{20, 60, 70} {
		path := []edge{{tree.root, int64(i)}}
		k := tree.grow(tree.root, int64(i), machine.State{uint64(i + 1)})
		for range 10 {
			w.backUp(path, k, []float64{goal, 100 - goal})
		}
	}
	return w
}

// solve settles the child behind a move of the root.
func (w *worker) solve(move int64, goal float64) {
	k := w.tree.kid(w.tree.root, move)
	w.tree.boundsOf(k)[0], w.tree.boundsOf(k)[1] = search.Exact(goal), search.Exact(100-goal)
	w.tree.at(k).solved = true
	w.settle([]edge{{w.tree.root, move}}, k)
}

func TestMeansAreThoseOfMovesThatMayStillBeMade(t *testing.T) {
	w := newTried(0, machine.NoRole)
	tree := w.tree
	w.solve(0, 0)
	if got := tree.value(tree.root, 0); math.Abs(got-65) > 1e-9 {
		t.Errorf("mean %v, want 65, that of the moves that are not lost", got)
	}
	if got := tree.value(tree.root, 1); math.Abs(got-35) > 1e-9 {
		t.Errorf("mean of the other role %v, want 35", got)
	}
	w.solve(2, 80)
	if got := tree.movesOf(tree.root)[2].sum; math.Abs(got-800) > 1e-9 {
		t.Errorf("goals of a move worth 80, made 10 times, add up to %v", got)
	}
}

func TestBadLuckStaysInTheMeans(t *testing.T) {
	w := newTried(1, 1)
	w.solve(0, 0)
	if got, want := w.tree.value(w.tree.root, 0), (0+60+70)/3.; math.Abs(got-want) > 1e-9 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

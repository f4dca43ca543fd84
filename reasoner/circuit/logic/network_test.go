package logic_test

import (
	"slices"
	"testing"

	"stackmate/reasoner/circuit/logic"
)

// Many gates share their last operand, so most of them lie far from its slot. Few of them have operands made shortly
// before.
func TestEqualGatesAreBuiltOnceWhereverTheyLieInTheTable(t *testing.T) {
	const inputs = 3000
	n := logic.NewNetwork()
	x := make([]logic.Lit, inputs)
	for i := range x {
		x[i] = n.Input()
	}
	popular := n.And(x[0], x[1])
	gates := make([]logic.Lit, 0, 2*inputs)
	build := func() (out []logic.Lit) {
		for i := 2; i < inputs; i++ {
			out = append(out, n.And(x[i], popular), n.And(x[i], x[i-1].Not()))
		}
		return out
	}
	gates = append(gates, build()...)
	size := n.Len()
	if again := build(); !slices.Equal(gates, again) || n.Len() != size {
		t.Errorf("%d nodes, then %d; the gates are equal: %v", size, n.Len(), slices.Equal(gates, again))
	}
	slices.Sort(gates)
	if different := len(slices.Compact(gates)); different != 2*(inputs-2) {
		t.Errorf("%d different gates of %d", different, 2*(inputs-2))
	}
	for i := 2; i < inputs; i++ {
		if l, ok := n.Find([]logic.Lit{x[i], popular}); !ok || l != n.And(x[i], popular) {
			t.Fatalf("gate %d: found %v, %v", i, l, ok)
		}
	}
	if _, ok := n.Find([]logic.Lit{x[2], x[4]}); ok {
		t.Error("found a gate that was never built")
	}
}

func TestTheConeFollowsDefinitionsAboveTheirVariables(t *testing.T) {
	n := logic.NewNetwork()
	v, w := n.LoopVar(), n.LoopVar()
	x, y, z := n.Input(), n.Input(), n.Input()
	a := n.And(x, w)
	b := n.And(y, v)
	other := n.And(y, z)
	n.Define(v, a)
	n.Define(w, b)
	cone := n.Cone([]logic.Lit{v})
	for _, l := range []logic.Lit{v, w, x, y, a, b} {
		if !cone[l.Node()] {
			t.Errorf("node %d is missing", l.Node())
		}
	}
	for _, l := range []logic.Lit{z, other} {
		if cone[l.Node()] {
			t.Errorf("node %d is too much", l.Node())
		}
	}
}

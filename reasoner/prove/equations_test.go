package prove

import (
	"fmt"
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// aCountOfLamps returns a game in which lamps are lit in any order, and a counter shows the number of lit lamps. That
// the counter has exactly one value follows only from an equation.
func aCountOfLamps(lamps int) *circuit.Game {
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{{"wait"}}}
	for i := range lamps {
		names.Fluents = append(names.Fluents, fmt.Sprintf("lit%d", i))
		names.Moves[0] = append(names.Moves[0], fmt.Sprintf("light%d", i))
	}
	for n := range lamps + 1 {
		names.Fluents = append(names.Fluents, fmt.Sprintf("count%d", n))
	}
	initial := names.NewState()
	initial.Set(lamps)
	g := circuit.NewGame(names, initial)
	wait := g.Does[0][0]
	legal := []logic.Lit{logic.True}
	for i, lit := range g.Fluents[:lamps] {
		g.Next = append(g.Next, g.Net.Or(lit, g.Does[0][i+1]))
		legal = append(legal, lit.Not())
	}
	before := logic.False
	for _, count := range g.Fluents[lamps:] {
		g.Next = append(g.Next, g.Net.Or(g.Net.And(count, wait), g.Net.And(before, wait.Not())))
		before = count
	}
	g.Legal = [][]logic.Lit{legal}
	return g
}

func TestACounterShowsTheNumberOfLamps(t *testing.T) {
	const lamps = 8
	g := aCountOfLamps(lamps)
	m := compiled(t, g)
	var inv *Invariants
	for found := range FindInvariants(t.Context(), g, m, 1<<30, true) {
		inv = found
	}
	if len(inv.groups) != 1 || len(inv.groups[0]) != lamps+1 {
		t.Errorf("groups %v, expected the values of the counter", inv.groups)
	}
	if len(inv.equations) != 1 {
		t.Fatalf("equations %v, expected one", inv.equations)
	}
	wrong := names(g, "lit3", "count2")
	if e := inv.equations[0]; !e.holds(g.Initial) || !e.holds(names(g, "lit3", "lit5", "count2")) || e.holds(wrong) {
		t.Errorf("equation %v is not: the counter equals the number of lit lamps", *e)
	}
	if inv.Holds(wrong) {
		t.Errorf("the invariants hold where the counter is wrong")
	}
}

func TestTheHullContainsTheSolutionsOfItsEquations(t *testing.T) {
	const fluents = 6 // with as many true among the first three as among the last three
	h := newHull(fluents)
	var inside, outside [][]int32
	for bits := range 1 << fluents {
		var position []int32
		balance := 0
		for f := range int32(fluents) {
			if bits>>f&1 != 0 {
				position = append(position, f)
				balance += 1 - 2*int(f/3)
			}
		}
		if balance == 0 {
			inside = append(inside, position)
		} else {
			outside = append(outside, position)
		}
	}
	for _, position := range inside {
		h.join(position)
	}
	if h.rank != fluents {
		t.Errorf("rank %d, expected %d", h.rank, fluents)
	}
	coefficients, ok := h.equation(fluents)
	if want := []int{0, 1, 1, 1, -1, -1, -1}; !ok || fmt.Sprint(coefficients) != fmt.Sprint(want) {
		t.Errorf("the equation is %v, expected %v", coefficients, want)
	}
	for _, position := range inside {
		if !h.has(position) {
			t.Errorf("%v is not in the hull", position)
		}
	}
	for _, position := range outside {
		if h.has(position) {
			t.Errorf("%v is in the hull", position)
		}
	}
}

package montecarlo

import (
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Chance has a player before it and one behind it in the order of the roles, so its
// moves are neither the first nor the last digit of a joint move. The mean over them
// has a saddle point of 50; a mean over other cells has another value.
func TestBoundsAverageOverChanceWhereverItsRoleStands(t *testing.T) {
	goals := [2][2][2]int32{ // by moves of left, chance and right
		{{80, 0}, {0, 60}},    // means 40 and 30
		{{0, 20}, {100, 100}}, // means 50 and 60
	}
	game := &toys.Tree{Roles: []string{"left", machine.RandomRole, "right"}, Nodes: []toys.Node{{Moves: []int{2, 2, 2}}}}
	for left := range 2 {
		for chance := range 2 {
			for right := range 2 {
				g := goals[left][chance][right]
				game.Nodes[0].Kids = append(game.Nodes[0].Kids, len(game.Nodes))
				game.Nodes = append(game.Nodes, toys.Node{Goals: []int32{g, 0, 100 - g}})
			}
		}
	}
	m := game.Machine()
	r, err := New(Config{Rule: RegretMatching}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 10_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Values[0]; !r.Proved || v.Lower < 49.9 || v.Upper > 50.1 || v.Lower > v.Upper {
		t.Errorf("value %v (proved: %t), want 50", v, r.Proved)
	}
}

package certify

import (
	"pgregory.net/rapid"

	"stackmate/internal/toys"
)

// draw draws a game of the given roles with at most three levels of moves. In a
// sequential game one player at a time has a choice.
func draw(t *rapid.T, roles []string, sequential bool) *toys.Tree {
	g := &toys.Tree{Roles: roles}
	var grow func(depth int) int
	grow = func(depth int) int {
		at := len(g.Nodes)
		g.Nodes = append(g.Nodes, toys.Node{})
		if depth == 0 || depth < 3 && rapid.IntRange(0, 3).Draw(t, "end") == 0 {
			goal := int32(rapid.IntRange(0, 4).Draw(t, "goal") * 25)
			g.Nodes[at].Goals = make([]int32, len(roles))
			for r := range roles {
				g.Nodes[at].Goals[r] = goal
				goal = 100 - goal
			}
			return at
		}
		moves := make([]int, len(roles))
		chooser := rapid.IntRange(0, len(roles)-1).Draw(t, "chooser")
		joint := 1
		for r := range moves {
			moves[r] = 1
			if !sequential || r == chooser {
				moves[r] = rapid.IntRange(1, 3).Draw(t, "moves")
			}
			joint *= moves[r]
		}
		kids := make([]int, joint)
		for c := range kids {
			kids[c] = grow(depth - 1)
		}
		g.Nodes[at].Moves, g.Nodes[at].Kids = moves, kids
		return at
	}
	grow(3)
	return g
}

package certify

import (
	"fmt"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

// toy is a game given position by position; position 0 is the initial one.
type toy struct {
	roles []string
	nodes []toyNode
}

// toyNode is a position. A terminal one has no kids.
type toyNode struct {
	moves []int // by role: number of legal moves
	kids  []int // by joint move, role 0 being the slowest digit
	goals []int32
}

func (g *toy) machine() machine.Machine {
	names := &machine.Names{Roles: g.roles, Fluents: make([]string, 64)}
	for f := range names.Fluents {
		names.Fluents[f] = fmt.Sprint("f", f)
	}
	for range g.roles {
		names.Moves = append(names.Moves, []string{"a", "b", "c", "d"})
	}
	return machine.NewScalar(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &toyStepper{toy: g} })
}

type toyStepper struct {
	*toy
	at *toyNode
}

func (g *toyStepper) SetState(s machine.State)  { g.at = &g.nodes[s[0]] }
func (g *toyStepper) Terminal() bool            { return g.at.kids == nil }
func (g *toyStepper) Goal(r machine.Role) int32 { return g.at.goals[r] }
func (g *toyStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for i := range g.at.moves[r] {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (g *toyStepper) Next(dst machine.State, joint []machine.Move) {
	c := 0
	for r, m := range joint {
		c = c*g.at.moves[r] + int(m)
	}
	dst[0] = uint64(g.at.kids[c])
}

// matrixGame is one joint move; the goals of the first role are given.
func matrixGame(a [][]int32) *toy {
	g := &toy{roles: []string{"left", "right"}, nodes: make([]toyNode, 1)}
	g.nodes[0].moves = []int{len(a), len(a[0])}
	for _, row := range a {
		for _, goal := range row {
			g.nodes[0].kids = append(g.nodes[0].kids, len(g.nodes))
			g.nodes = append(g.nodes, toyNode{goals: []int32{goal, 100 - goal}})
		}
	}
	return g
}

// draw draws a game of the given roles with at most three levels of moves. In a
// sequential game one player at a time has a choice.
func draw(t *rapid.T, roles []string, sequential bool) *toy {
	g := &toy{roles: roles}
	var grow func(depth int) int
	grow = func(depth int) int {
		at := len(g.nodes)
		g.nodes = append(g.nodes, toyNode{})
		if depth == 0 || depth < 3 && rapid.IntRange(0, 3).Draw(t, "end") == 0 {
			goal := int32(rapid.IntRange(0, 4).Draw(t, "goal") * 25)
			g.nodes[at].goals = make([]int32, len(roles))
			for r := range roles {
				g.nodes[at].goals[r] = goal
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
		g.nodes[at].moves, g.nodes[at].kids = moves, kids
		return at
	}
	grow(3)
	return g
}

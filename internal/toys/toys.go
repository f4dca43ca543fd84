// Package toys holds the hand-made games on which the searches and the player are
// tested: games given position by position, and games that are solved by
// arithmetic. It knows state machines, and no search.
package toys

import (
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// maxMoves bounds the legal moves of a role in one position.
const maxMoves = 64

// Tree is a game given position by position; position 0 is the initial one, and
// position i is the state whose only word is i. Positions may be reached on
// several ways, or again.
type Tree struct {
	Roles []string
	Nodes []Node
}

// Node is a position. A terminal one has no kids. One without goals gives nobody
// a goal.
type Node struct {
	Moves []int // by role: number of legal moves
	Kids  []int // by joint move, role 0 being the slowest digit
	Goals []int32
}

// Matrix returns a game of one joint move of the roles left and right, for the given goals of left; right gets the
// difference to 100.
func Matrix(goals [][]int32) *Tree {
	both := make([][][2]int32, len(goals))
	for i, row := range goals {
		for _, goal := range row {
			both[i] = append(both[i], [2]int32{goal, 100 - goal})
		}
	}
	return Bimatrix(both)
}

// Bimatrix returns a game of one joint move of the roles left and right, for the given goals of both.
func Bimatrix(goals [][][2]int32) *Tree {
	t := &Tree{Roles: []string{"left", "right"}, Nodes: make([]Node, 1)}
	t.Nodes[0].Moves = []int{len(goals), len(goals[0])}
	for _, row := range goals {
		for _, pair := range row {
			t.Nodes[0].Kids = append(t.Nodes[0].Kids, len(t.Nodes))
			t.Nodes = append(t.Nodes, Node{Goals: pair[:]})
		}
	}
	return t
}

// Machine returns the machine of the game. It follows later changes of the tree.
func (t *Tree) Machine() machine.Machine {
	return scalar.New(Names(t.Roles, maxMoves), machine.State{0}, machine.Info{Engine: "toy"},
		func() scalar.Stepper { return &treeStepper{Tree: t} })
}

type treeStepper struct {
	*Tree
	at *Node
}

func (t *treeStepper) SetState(s machine.State) { t.at = &t.Nodes[s[0]] }
func (t *treeStepper) Terminal() bool           { return len(t.at.Kids) == 0 }
func (t *treeStepper) Goal(r machine.Role) int32 {
	if t.at.Goals == nil {
		return machine.NoGoal
	}
	return t.at.Goals[r]
}

func (t *treeStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	return appendMoves(dst, 0, t.at.Moves[r])
}

func (t *treeStepper) Next(dst machine.State, joint []machine.Move) {
	c := 0
	for r, m := range joint {
		c = c*t.at.Moves[r] + int(m)
	}
	dst[0] = uint64(t.at.Kids[c])
}

// Names names the roles, as many moves of each, and the fluents of one word.
func Names(roles []string, moves int) *machine.Names {
	n := &machine.Names{Roles: roles}
	for range roles {
		n.Moves = append(n.Moves, numbered("m", moves))
	}
	n.Fluents = numbered("f", 64)
	return n
}

func numbered(letter string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint(letter, i)
	}
	return names
}

func appendMoves(dst []machine.Move, first, end int) []machine.Move {
	for m := first; m < end; m++ {
		dst = append(dst, machine.Move(m))
	}
	return dst
}

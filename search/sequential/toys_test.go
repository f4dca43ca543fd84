package sequential

import (
	"fmt"
	"math/rand/v2"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// shape describes the random trees to grow.
type shape struct {
	roles    []string
	depth    int
	branch   func(rng *rand.Rand) int
	leaf     func(rng *rand.Rand) int32 // goal of role 0; role 1 gets 100 minus that
	choosers [][]int                    // which roles choose at a node: one of these sets
	inTurn   bool                       // the sets follow each other level by level
	share    float64                    // chance that a kid is a position that exists already
}

// grow makes a random tree (or, with share > 0, an acyclic graph).
func (s shape) grow(rng *rand.Rand) *toys.Tree {
	t := &toys.Tree{Roles: s.roles}
	levels := make([][]int, s.depth+1)
	s.growNode(rng, t, 0, levels)
	return t
}

func (s shape) growNode(rng *rand.Rand, t *toys.Tree, level int, levels [][]int) int {
	if known := levels[level]; len(known) > 0 && rng.Float64() < s.share {
		return known[rng.IntN(len(known))]
	}
	id := len(t.Nodes)
	t.Nodes = append(t.Nodes, toys.Node{})
	levels[level] = append(levels[level], id)
	if level == s.depth {
		g := s.leaf(rng)
		goals := make([]int32, len(s.roles))
		goals[0] = g
		if len(goals) > 1 {
			goals[1] = 100 - g
		}
		t.Nodes[id].Goals = goals
		return id
	}
	n := toys.Node{Moves: make([]int, len(s.roles))}
	joint := 1
	for r := range n.Moves {
		n.Moves[r] = 1
	}
	set := s.choosers[rng.IntN(len(s.choosers))]
	if s.inTurn {
		set = s.choosers[level%len(s.choosers)]
	}
	for _, r := range set {
		n.Moves[r] = s.branch(rng)
		joint *= n.Moves[r]
	}
	for range joint {
		n.Kids = append(n.Kids, s.growNode(rng, t, level+1, levels))
	}
	t.Nodes[id] = n
	return id
}

// minimax returns Eq. (1) read aloud: the value of node id for role 0.
func minimax(t *toys.Tree, id int) float64 {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[0])
	}
	replies := 1
	step, actions, actionStep := 1, 1, 0
	replyStep := 0
	minimise := false
	for r := len(n.Moves) - 1; r >= 0; r-- {
		switch {
		case n.Moves[r] == 1:
		case t.Roles[r] == machine.RandomRole:
			replies, replyStep = n.Moves[r], step
		default:
			actions, actionStep, minimise = n.Moves[r], step, r == 1
		}
		step *= n.Moves[r]
	}
	var best float64
	for a := range actions {
		sum := 0.0
		for k := range replies {
			sum += minimax(t, n.Kids[a*actionStep+k*replyStep])
		}
		v := sum / float64(replies)
		if a == 0 || minimise && v < best || !minimise && v > best {
			best = v
		}
	}
	return best
}

// subtraction returns a game of turns in which one to three counters are taken.
func subtraction(start int) machine.Machine {
	return toys.Subtraction{Roles: []string{"left", "right"}, Start: start, Most: 3}.Machine()
}

// ticTacToe has one word: nine cells of two bits (0 blank, 1 x, 2 o), then the
// turn in bit 18.
type ticTacToe struct{ cells uint64 }

var ticTacToeLines = [][3]uint{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}

func newTicTacToe() machine.Machine {
	names := &machine.Names{Roles: []string{"x", "o"}, Fluents: make([]string, 64)}
	for range 2 {
		moves := []string{}
		for i := range 9 {
			moves = append(moves, fmt.Sprint("(mark ", i, ")"))
		}
		names.Moves = append(names.Moves, append(moves, "noop"))
	}
	return scalar.New(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() scalar.Stepper { return new(ticTacToe) })
}

func (g *ticTacToe) SetState(s machine.State) { g.cells = s[0] }
func (g *ticTacToe) cell(i uint) uint64       { return g.cells >> (2 * i) & 3 }
func (g *ticTacToe) turn() machine.Role       { return machine.Role(g.cells >> 18 & 1) }
func (g *ticTacToe) winner() uint64 {
	for _, l := range ticTacToeLines {
		if c := g.cell(l[0]); c != 0 && c == g.cell(l[1]) && c == g.cell(l[2]) {
			return c
		}
	}
	return 0
}

func (g *ticTacToe) Terminal() bool {
	if g.winner() != 0 {
		return true
	}
	for i := range uint(9) {
		if g.cell(i) == 0 {
			return false
		}
	}
	return true
}

func (g *ticTacToe) Goal(r machine.Role) int32 {
	switch g.winner() {
	case 0:
		return 50
	case uint64(r) + 1:
		return 100
	}
	return 0
}

func (g *ticTacToe) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if r != g.turn() {
		return append(dst, 9)
	}
	for i := range uint(9) {
		if g.cell(i) == 0 {
			dst = append(dst, machine.Move(i))
		}
	}
	return dst
}

func (g *ticTacToe) Next(dst machine.State, joint []machine.Move) {
	r := g.turn()
	dst[0] = (g.cells | (uint64(r)+1)<<(2*uint(joint[r]))) ^ 1<<18
}

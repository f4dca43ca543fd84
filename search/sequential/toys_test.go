package sequential

import (
	"fmt"
	"math/rand/v2"

	"stackmate/reasoner/machine"
)

// node is a position of a hand-made game tree. A terminal node has no kids.
type node struct {
	moves []int // by role: number of legal moves
	kids  []int // by joint move, role 0 the slowest digit
	goals []int32
}

// tree is a game given position by position; position 0 is the initial one.
type tree struct {
	roles []string
	nodes []node
}

func (t *tree) machine() machine.Machine {
	names := &machine.Names{Roles: t.roles, Fluents: make([]string, 64)}
	for f := range names.Fluents {
		names.Fluents[f] = fmt.Sprint("f", f)
	}
	for range t.roles {
		moves := make([]string, 64)
		for i := range moves {
			moves[i] = fmt.Sprint("m", i)
		}
		names.Moves = append(names.Moves, moves)
	}
	return machine.NewScalar(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &treeStepper{tree: t} })
}

type treeStepper struct {
	*tree
	at *node
}

func (t *treeStepper) SetState(s machine.State) { t.at = &t.nodes[s[0]] }
func (t *treeStepper) Terminal() bool           { return len(t.at.kids) == 0 }
func (t *treeStepper) Goal(r machine.Role) int32 {
	if t.at.goals == nil {
		return machine.NoGoal
	}
	return t.at.goals[r]
}

func (t *treeStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for i := range t.at.moves[r] {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (t *treeStepper) Next(dst machine.State, joint []machine.Move) {
	c := 0
	for r, m := range joint {
		c = c*t.at.moves[r] + int(m)
	}
	dst[0] = uint64(t.at.kids[c])
}

// shape says what random trees to grow.
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
func (s shape) grow(rng *rand.Rand) *tree {
	t := &tree{roles: s.roles}
	levels := make([][]int, s.depth+1)
	s.growNode(rng, t, 0, levels)
	return t
}

func (s shape) growNode(rng *rand.Rand, t *tree, level int, levels [][]int) int {
	if known := levels[level]; len(known) > 0 && rng.Float64() < s.share {
		return known[rng.IntN(len(known))]
	}
	id := len(t.nodes)
	t.nodes = append(t.nodes, node{})
	levels[level] = append(levels[level], id)
	if level == s.depth {
		g := s.leaf(rng)
		goals := make([]int32, len(s.roles))
		goals[0] = g
		if len(goals) > 1 {
			goals[1] = 100 - g
		}
		t.nodes[id].goals = goals
		return id
	}
	n := node{moves: make([]int, len(s.roles))}
	joint := 1
	for r := range n.moves {
		n.moves[r] = 1
	}
	set := s.choosers[rng.IntN(len(s.choosers))]
	if s.inTurn {
		set = s.choosers[level%len(s.choosers)]
	}
	for _, r := range set {
		n.moves[r] = s.branch(rng)
		joint *= n.moves[r]
	}
	for range joint {
		n.kids = append(n.kids, s.growNode(rng, t, level+1, levels))
	}
	t.nodes[id] = n
	return id
}

// minimax is Eq. (1) read aloud: the value of node id for role 0.
func (t *tree) minimax(id int) float64 {
	n := t.nodes[id]
	if len(n.kids) == 0 {
		return float64(n.goals[0])
	}
	replies := 1
	step, actions, actionStep := 1, 1, 0
	replyStep := 0
	minimise := false
	for r := len(n.moves) - 1; r >= 0; r-- {
		switch {
		case n.moves[r] == 1:
		case t.roles[r] == machine.RandomRole:
			replies, replyStep = n.moves[r], step
		default:
			actions, actionStep, minimise = n.moves[r], step, r == 1
		}
		step *= n.moves[r]
	}
	var best float64
	for a := range actions {
		sum := 0.0
		for k := range replies {
			sum += t.minimax(n.kids[a*actionStep+k*replyStep])
		}
		v := sum / float64(replies)
		if a == 0 || minimise && v < best || !minimise && v > best {
			best = v
		}
	}
	return best
}

// subtraction is the game in which two roles in turn take 1 to most counters
// and who takes the last one wins. Word 0: counters left, and whose turn.
type subtraction struct {
	start, most int
	left, turn  int
}

func (g subtraction) machine() machine.Machine {
	names := &machine.Names{Roles: []string{"left", "right"}, Fluents: make([]string, 64)}
	for range 2 {
		moves := []string{"noop"}
		for i := 1; i <= g.most; i++ {
			moves = append(moves, fmt.Sprint("(take ", i, ")"))
		}
		names.Moves = append(names.Moves, moves)
	}
	return machine.NewScalar(names, machine.State{uint64(g.start) << 1}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &subtraction{start: g.start, most: g.most} })
}

func (g *subtraction) SetState(s machine.State) { g.left, g.turn = int(s[0]>>1), int(s[0]&1) }
func (g *subtraction) Terminal() bool           { return g.left == 0 }
func (g *subtraction) Goal(r machine.Role) int32 {
	if int(r) == g.turn { // the other one took the last counter
		return 0
	}
	return 100
}

func (g *subtraction) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if int(r) != g.turn {
		return append(dst, 0)
	}
	for i := 1; i <= min(g.most, g.left); i++ {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (g *subtraction) Next(dst machine.State, joint []machine.Move) {
	dst[0] = uint64(g.left-int(joint[g.turn]))<<1 | uint64(1-g.turn)
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
	return machine.NewScalar(names, machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return new(ticTacToe) })
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

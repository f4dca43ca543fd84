package montecarlo

import (
	"fmt"

	"stackmate/reasoner/machine"
)

// node is a position of a hand-made game. A terminal node has no kids.
type toyNode struct {
	moves []int // by role: number of legal moves
	kids  []int // by joint move, role 0 the slowest digit
	goals []int32
}

// toy is a game given position by position; position 0 is the initial one.
type toy struct {
	roles []string
	nodes []toyNode
}

func names(roles []string, moves int) *machine.Names {
	n := &machine.Names{Roles: roles, Fluents: make([]string, 64)}
	for range roles {
		table := make([]string, moves)
		for i := range table {
			table[i] = fmt.Sprint("m", i)
		}
		n.Moves = append(n.Moves, table)
	}
	return n
}

func (t *toy) machine() machine.Machine {
	return machine.NewScalar(names(t.roles, 64), machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &toyStepper{toy: t} })
}

type toyStepper struct {
	*toy
	at *toyNode
}

func (t *toyStepper) SetState(s machine.State) { t.at = &t.nodes[s[0]] }
func (t *toyStepper) Terminal() bool           { return len(t.at.kids) == 0 }
func (t *toyStepper) Goal(r machine.Role) int32 {
	if t.at.goals == nil {
		return machine.NoGoal
	}
	return t.at.goals[r]
}

func (t *toyStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for i := range t.at.moves[r] {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (t *toyStepper) Next(dst machine.State, joint []machine.Move) {
	c := 0
	for r, m := range joint {
		c = c*t.at.moves[r] + int(m)
	}
	dst[0] = uint64(t.at.kids[c])
}

// matrix is a one-shot game of two roles with the goals of the row player.
func matrix(rows [][]int32) machine.Machine {
	t := &toy{roles: []string{"row", "column"}, nodes: []toyNode{{moves: []int{len(rows), len(rows[0])}}}}
	for _, row := range rows {
		for _, g := range row {
			t.nodes[0].kids = append(t.nodes[0].kids, len(t.nodes))
			t.nodes = append(t.nodes, toyNode{goals: []int32{g, 100 - g}})
		}
	}
	return t.machine()
}

// subtraction is the game in which the roles in turn take 1 to 3 counters and
// who takes the last one wins. Word 0: counters left, times the number of
// roles, plus whose turn it is.
type subtraction struct{ players, left, turn int }

func newSubtraction(roles []string, start int) machine.Machine {
	return machine.NewScalar(names(roles, 4), machine.State{uint64(start * len(roles))}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &subtraction{players: len(roles)} })
}

func (g *subtraction) SetState(s machine.State) {
	g.left, g.turn = int(s[0])/g.players, int(s[0])%g.players
}
func (g *subtraction) Terminal() bool { return g.left == 0 }
func (g *subtraction) Goal(r machine.Role) int32 {
	if (int(r)+1)%g.players == g.turn {
		return 100
	}
	return 0
}

func (g *subtraction) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if int(r) != g.turn {
		return append(dst, 0)
	}
	for i := 1; i <= min(3, g.left); i++ {
		dst = append(dst, machine.Move(i))
	}
	return dst
}

func (g *subtraction) Next(dst machine.State, joint []machine.Move) {
	dst[0] = uint64((g.left-int(joint[g.turn]))*g.players + (g.turn+1)%g.players)
}

// lock is a puzzle: of 3 moves at each of depth steps only one keeps the goal of
// 100 in reach; a mistake at step i ends with i points.
type lock struct{ depth, step, mistake int }

func newLock(depth int) machine.Machine {
	return machine.NewScalar(names([]string{"robot"}, 3), machine.State{0}, machine.Info{Engine: "toy"},
		func() machine.Stepper { return &lock{depth: depth} })
}

func (g *lock) SetState(s machine.State) { g.step, g.mistake = int(s[0]&0xff), int(s[0]>>8) }
func (g *lock) Terminal() bool           { return g.step == g.depth }
func (g *lock) Goal(machine.Role) int32 {
	if g.mistake > 0 {
		return int32(g.mistake)
	}
	return 100
}

func (g *lock) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	return append(dst, 0, 1, 2)
}

func (g *lock) Next(dst machine.State, joint []machine.Move) {
	mistake := g.mistake
	if mistake == 0 && int(joint[0]) != g.step%3 {
		mistake = g.step + 1
	}
	dst[0] = uint64(g.step+1) | uint64(mistake)<<8
}

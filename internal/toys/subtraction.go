package toys

import (
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// Subtraction is the game in which the roles alternately take 1 to Most counters; the role that takes the last
// counter wins. Move i takes i counters; roles not in turn make move 0. With two roles, the role to move loses
// on a multiple of Most+1.
type Subtraction struct {
	Roles       []string
	Start, Most int
}

// Machine returns the machine of the game. The word of a state is the number of counters left, times the number of
// roles, plus the role in turn.
func (g Subtraction) Machine() machine.Machine {
	names := Names(g.Roles, g.Most+1)
	for r := range names.Moves {
		names.Moves[r][0] = "noop"
		for i := 1; i <= g.Most; i++ {
			names.Moves[r][i] = fmt.Sprintf("(take %d)", i)
		}
	}
	return scalar.New(names, machine.State{uint64(g.Start * len(g.Roles))}, machine.Info{Engine: "toy"}, g.Stepper)
}

// Stepper returns a Stepper of the game.
func (g Subtraction) Stepper() scalar.Stepper { return &counters{Subtraction: g} }

// counters is a position of the game.
type counters struct {
	Subtraction
	left, turn int
}

func (c *counters) SetState(s machine.State) {
	c.left, c.turn = int(s[0])/len(c.Roles), int(s[0])%len(c.Roles)
}

func (c *counters) Terminal() bool { return c.left == 0 }

func (c *counters) Goal(r machine.Role) int32 {
	if (int(r)+1)%len(c.Roles) == c.turn {
		return 100
	}
	return 0
}

func (c *counters) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if int(r) != c.turn {
		return append(dst, 0)
	}
	return appendMoves(dst, 1, min(c.Most, c.left)+1)
}

func (c *counters) Next(dst machine.State, joint []machine.Move) {
	dst[0] = uint64((c.left-int(joint[c.turn]))*len(c.Roles) + (c.turn+1)%len(c.Roles))
}

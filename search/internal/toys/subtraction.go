package toys

import "stackmate/reasoner/machine"

// Subtraction is the game in which the roles in turn take 1 to Most counters,
// and who takes the last one wins. Move i takes i counters; move 0 is for those
// whose turn it is not. With two roles, who faces a multiple of Most+1 loses.
type Subtraction struct {
	Roles       []string
	Start, Most int
}

// Machine is the machine of the game. The word of a state is the number of
// counters left, times the number of roles, plus whose turn it is.
func (g Subtraction) Machine() machine.Machine {
	return machine.NewScalar(Names(g.Roles, g.Most+1), machine.State{uint64(g.Start * len(g.Roles))},
		machine.Info{Engine: "toy"}, func() machine.Stepper { return &counters{Subtraction: g} })
}

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

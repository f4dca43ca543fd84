package toys

import (
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// Wide is a game of the given width, depth and size. The moves determine pseudo-random goals; the goals of two players add
// up to 100.
type Wide struct {
	Roles []string
	Moves []int // by role: legal moves
	// InTurn tells that only one role has a choice at a time, in turns.
	InTurn bool
	Depth  int // joint moves to the end; 0 for a game without end
	Words  int // of a state, at least 2
	Stuck  int // joint moves after which the last role has no move; 0 for never
	NoGoal bool
}

// Machine returns the machine of the game.
func (g Wide) Machine() machine.Machine {
	g.Words = max(g.Words, 2)
	names := &machine.Names{Roles: g.Roles, Fluents: numbered("f", 64*g.Words)}
	for _, n := range g.Moves {
		names.Moves = append(names.Moves, numbered("m", n))
	}
	return scalar.New(names, make(machine.State, g.Words), machine.Info{Engine: "toy"},
		func() scalar.Stepper { return &wide{Wide: g} })
}

// wide is a position of the game: the joint moves made, and a hash of them.
type wide struct {
	Wide
	step int
	hash uint64
}

func (g *wide) SetState(s machine.State) { g.step, g.hash = int(s[0]), s[1] }
func (g *wide) Terminal() bool           { return g.Depth > 0 && g.step == g.Depth }

func (g *wide) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	switch {
	case g.Stuck > 0 && g.step == g.Stuck && int(r) == len(g.Roles)-1:
		return dst
	case g.InTurn && g.step%len(g.Roles) != int(r):
		return append(dst, 0)
	}
	return appendMoves(dst, 0, g.Moves[r])
}

func (g *wide) Goal(r machine.Role) int32 {
	if g.NoGoal {
		return machine.NoGoal
	}
	goal := int32(g.hash>>32%5) * 25
	if r%2 == 1 {
		return 100 - goal
	}
	return goal
}

func (g *wide) Next(dst machine.State, joint []machine.Move) {
	hash := g.hash
	for _, m := range joint {
		hash = (hash ^ uint64(m+1)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	for i := range dst {
		dst[i] = hash
	}
	dst[0] = uint64(g.step + 1)
}

package montecarlo

import (
	"stackmate/reasoner/machine"
	"stackmate/search/internal/toys"
)

// newSubtraction is a game of turns in which one to three counters are taken.
func newSubtraction(roles []string, start int) machine.Machine {
	return toys.Subtraction{Roles: roles, Start: start, Most: 3}.Machine()
}

// lock is a puzzle: of 3 moves at each of depth steps only one keeps the goal of
// 100 in reach; a mistake at step i ends with i points.
type lock struct{ depth, step, mistake int }

func newLock(depth int) machine.Machine {
	return machine.NewScalar(toys.Names([]string{"robot"}, 3), machine.State{0}, machine.Info{Engine: "toy"},
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

package toys

import (
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// Lock is a puzzle: of 3 moves at each of Depth steps only one, move i mod 3 at step
// i, keeps the goal of 100 in reach; the first mistake, at step i, leaves i+1
// points.
type Lock struct{ Depth int }

// Machine returns the machine of the game. The word of a state holds the number of the step and, from bit 8,
// the goal left after a mistake.
func (g Lock) Machine() machine.Machine {
	return scalar.New(Names([]string{"robot"}, 3), machine.State{0}, machine.Info{Engine: "toy"}, g.Stepper)
}

// Stepper returns a Stepper of the game.
func (g Lock) Stepper() scalar.Stepper { return &wheels{Lock: g} }

// wheels is a position of the game.
type wheels struct {
	Lock
	step, mistake int
}

func (w *wheels) SetState(s machine.State) { w.step, w.mistake = int(s[0]&0xff), int(s[0]>>8) }
func (w *wheels) Terminal() bool           { return w.step == w.Depth }
func (w *wheels) Goal(machine.Role) int32 {
	if w.mistake > 0 {
		return int32(w.mistake)
	}
	return 100
}

func (w *wheels) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move {
	return appendMoves(dst, 0, 3)
}

func (w *wheels) Next(dst machine.State, joint []machine.Move) {
	mistake := w.mistake
	if mistake == 0 && int(joint[0]) != w.step%3 {
		mistake = w.step + 1
	}
	dst[0] = uint64(w.step+1) | uint64(mistake)<<8
}

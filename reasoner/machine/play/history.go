package play

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackmate/reasoner/machine"
)

// History is the sequence of positions of a match, with moves given as texts, for people, messages and
// records. It belongs to one goroutine.
type History struct {
	Names  *machine.Names
	States []machine.State // current position last
	batch  machine.Batch   // its lane 0 has the current position, evaluated
}

// NewHistory begins a match in position s.
func NewHistory(m machine.Machine, s machine.State) *History {
	h := &History{Names: m.Names(), States: []machine.State{slices.Clone(s)}, batch: m.NewNarrowBatch()}
	h.evaluate()
	return h
}

// Follow makes joint moves from the initial position. Its error names the turn of the move that failed.
func Follow(m machine.Machine, joints [][]string) (*History, error) {
	h := NewHistory(m, m.Initial())
	for turn, joint := range joints {
		if err := h.Advance(joint); err != nil {
			return nil, fmt.Errorf("turn %d: %w", turn+1, err)
		}
	}
	return h, nil
}

func (h *History) evaluate() {
	h.batch.Load(h.State(), 1)
	h.batch.Evaluate(1)
}

// State returns the current position, which must not be changed.
func (h *History) State() machine.State { return h.States[len(h.States)-1] }

// Facts returns the fluents that are true in the current position.
func (h *History) Facts() []string { return h.Names.AppendFluents([]string{}, h.State()) }

// Fault returns an error if the match is not over but cannot go on: the position is lost, or a role has no
// legal move.
func (h *History) Fault() error {
	if err := machine.Unknown(h.batch, 0); err != nil {
		return err
	}
	if h.batch.Stuck()[0]&1 == 0 {
		return nil
	}
	var stuck []string
	for r, name := range h.Names.Roles {
		if len(h.batch.AppendLegal(nil, 0, machine.Role(r))) == 0 {
			stuck = append(stuck, name)
		}
	}
	return fmt.Errorf("a fault of the rules: %s has no legal move", strings.Join(stuck, ", "))
}

// IsOver reports whether the game has ended.
func (h *History) IsOver() bool { return h.batch.Terminal()[0]&1 != 0 }

// Goals returns the goals of all roles in the current position, or NoGoal.
func (h *History) Goals() []int32 {
	goals := make([]int32, len(h.Names.Roles))
	h.batch.Goals(goals, 0)
	return goals
}

// Legal lists the legal moves of a role, in the order of the machine.
func (h *History) Legal(r machine.Role) []string {
	var texts []string
	for _, m := range h.batch.AppendLegal(nil, 0, r) {
		texts = append(texts, h.Names.MoveText(r, m))
	}
	return texts
}

// Find returns the legal move of a role with the given text, in any case.
func (h *History) Find(r machine.Role, text string) (machine.Move, bool) {
	move, ok := h.Names.Move(r, text)
	return move, ok && slices.Contains(h.batch.AppendLegal(nil, 0, r), move)
}

// Advance makes a joint move. It returns an error and makes no move if a move is not legal.
func (h *History) Advance(joint []string) error {
	switch {
	case len(joint) != len(h.Names.Roles):
		return fmt.Errorf("expected a move for each of the %d roles, found %d", len(h.Names.Roles), len(joint))
	case h.IsOver():
		return errors.New("the game is over")
	}
	if err := h.Fault(); err != nil {
		return err
	}
	for r, text := range joint {
		move, ok := h.Find(machine.Role(r), text)
		if !ok {
			return fmt.Errorf("%s is no legal move of %s", text, h.Names.Roles[r])
		}
		h.batch.Choose(0, machine.Role(r), move)
	}
	h.batch.Advance(1)
	next := make(machine.State, len(h.State()))
	h.batch.Store(next, 1)
	h.States = append(h.States, next)
	h.evaluate()
	return nil
}

// Back returns to the position after the given number of joint moves.
func (h *History) Back(turns int) {
	h.States = slices.Clip(h.States[:turns+1])
	h.evaluate()
}

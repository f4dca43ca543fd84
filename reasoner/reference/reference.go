// Package reference is the oracle that the other engines are tested against: a machine
// that asks a Prover about every position anew, and numbers fluents and moves as it
// meets them. It owns no meaning of rules and knows no shortcut.
package reference

import (
	"context"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// The memory of the vocabulary, and the fluents of a position that has no more at
// first; one with more than fit into its words is kept aside.
const (
	vocabularyBytes = 256 << 20
	spareFluents    = 32
)

// New makes the machine of a game. It fails if ctx ends or if the initial position
// takes more memory than a Prover has.
func New(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
	fluents, err := prover.New(g).Initial(ctx)
	if err != nil {
		return nil, err
	}
	words := (len(fluents)*3/2 + spareFluents) / 2
	names := &machine.Names{Open: machine.NewVocabulary(len(g.Roles), words, vocabularyBytes)}
	for _, r := range g.Roles {
		names.Roles = append(names.Roles, r.String())
	}
	initial, err := names.State(fluents)
	if err != nil {
		return nil, err
	}
	info := machine.Info{Engine: "reference", Gates: len(g.Rules)}
	return machine.NewScalar(names, initial, info, func() machine.Stepper {
		return &stepper{names: names, prover: prover.New(g)}
	}), nil
}

// stepper is the machine.Stepper of a Prover. A position whose successor takes more
// memory than there is leads to a lost one (machine.Names.Lost).
type stepper struct {
	names   *machine.Names
	prover  *prover.Prover
	fluents []string
	err     error // why what was said of the position is incomplete
}

var _ machine.Stepper = (*stepper)(nil)

// SetState implements machine.Stepper.
func (s *stepper) SetState(state machine.State) {
	s.err = nil
	if s.names.Lost(state) {
		s.err = machine.ErrLost
	}
	s.fluents = s.names.AppendFluents(s.fluents[:0], state)
}

// Err tells why what was said of the position is incomplete.
func (s *stepper) Err() error { return s.err }

// fails notes an error of the Prover.
func (s *stepper) keepError(err error) bool {
	if err != nil && s.err == nil {
		s.err = err
	}
	return s.err != nil
}

// Terminal implements machine.Stepper.
func (s *stepper) Terminal() bool {
	over, err := s.prover.Terminal(context.Background(), s.fluents)
	return !s.keepError(err) && over
}

// AppendLegal implements machine.Stepper.
func (s *stepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	texts, err := s.prover.Legal(context.Background(), s.fluents, s.names.Roles[r], 0)
	if s.keepError(err) {
		return dst
	}
	before := len(dst)
	for _, text := range texts {
		m, ok := s.names.AddMove(r, text)
		if !ok {
			s.keepError(machine.ErrLost)
			return dst[:before]
		}
		dst = append(dst, m)
	}
	slices.Sort(dst[before:])
	return dst
}

// Goal implements machine.Stepper.
func (s *stepper) Goal(r machine.Role) int32 {
	goal, err := s.prover.Goal(context.Background(), s.fluents, s.names.Roles[r])
	if s.keepError(err) {
		return machine.NoGoal
	}
	return int32(goal)
}

// Next implements machine.Stepper.
func (s *stepper) Next(dst machine.State, joint []machine.Move) {
	texts, err := s.prover.Next(context.Background(), s.fluents, s.names.JointTexts(joint))
	var fluents []int32
	for _, text := range texts {
		f, ok := s.names.AddFluent(text)
		if !ok {
			err = machine.ErrLost
			break
		}
		fluents = append(fluents, int32(f))
	}
	if err != nil || s.err != nil {
		fluents = []int32{-1} // unknown
	}
	slices.Sort(fluents)
	s.names.Pack(dst, fluents)
}

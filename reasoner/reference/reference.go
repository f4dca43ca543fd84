// Package reference is the reference engine: a machine that asks a Prover about every position, without a cache. It is
// the oracle of the tests of the other engines, and plays games whose rules these engines cannot translate. It numbers
// fluents and moves when they first occur.
package reference

import (
	"context"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
	"stackmate/reasoner/prover"
)

// Memory of the vocabulary, and spare fluents in the words of a position. A position with more fluents is stored
// outside its words.
const (
	vocabularyBytes = 256 << 20
	spareFluents    = 32
)

// New returns the machine of a game. It fails if ctx ends, or with the error of a Prover about the initial position, such
// as a limit of its memory.
func New(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
	fluents, err := prover.New(g).Initial(ctx)
	if err != nil {
		return nil, err
	}
	words := (len(fluents)*3/2 + spareFluents) / 2
	names := &machine.Names{Open: scalar.NewVocabulary(len(g.Roles), words, vocabularyBytes)}
	for _, r := range g.Roles {
		names.Roles = append(names.Roles, r.String())
	}
	initial, err := names.State(fluents)
	if err != nil {
		return nil, err
	}
	info := machine.Info{Engine: "reference", Gates: len(g.Rules)}
	return scalar.New(names, initial, info, func() scalar.Stepper {
		return &stepper{names: names, prover: prover.New(g)}
	}), nil
}

// stepper is the scalar.Stepper of a Prover. A position whose successor exceeds the memory leads to a lost position
// (machine.Names.Lost). Each error of the Prover means a lost position: it can parse all fluents, roles and moves, as it
// has written them.
type stepper struct {
	names   *machine.Names
	prover  *prover.Prover
	fluents []string
	err     error // of the Prover or the names; answers about the position are incomplete
}

var _ scalar.Stepper = (*stepper)(nil)

// SetState implements scalar.Stepper.
func (s *stepper) SetState(state machine.State) {
	s.err = nil
	if s.names.Lost(state) {
		s.err = machine.ErrLost
	}
	s.fluents = s.names.AppendFluents(s.fluents[:0], state)
}

// Err returns the reason why answers about the position are incomplete.
func (s *stepper) Err() error { return s.err }

// keepError keeps the first error, and reports whether there is an error.
func (s *stepper) keepError(err error) bool {
	if err != nil && s.err == nil {
		s.err = err
	}
	return s.err != nil
}

// Terminal implements scalar.Stepper.
func (s *stepper) Terminal() bool {
	over, err := s.prover.Terminal(context.Background(), s.fluents)
	return !s.keepError(err) && over
}

// AppendLegal implements scalar.Stepper.
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

// Goal implements scalar.Stepper.
func (s *stepper) Goal(r machine.Role) int32 {
	goal, err := s.prover.Goal(context.Background(), s.fluents, s.names.Roles[r])
	if s.keepError(err) {
		return machine.NoGoal
	}
	return int32(goal)
}

// Next implements scalar.Stepper.
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

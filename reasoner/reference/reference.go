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
// takes more than prover.Bytes.
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

// stepper is the machine.Stepper of a Prover. A position that takes more memory than
// there is counts as lost (machine.Names.Lost), and has no moves.
type stepper struct {
	names   *machine.Names
	prover  *prover.Prover
	lost    bool
	fluents []string
}

var _ machine.Stepper = (*stepper)(nil)

// SetState implements machine.Stepper.
func (s *stepper) SetState(state machine.State) {
	s.lost = s.names.Lost(state)
	s.fluents = s.names.AppendFluents(s.fluents[:0], state)
}

// Terminal implements machine.Stepper.
func (s *stepper) Terminal() bool {
	over, err := s.prover.Terminal(context.Background(), s.fluents)
	return over && err == nil && !s.lost
}

// AppendLegal implements machine.Stepper.
func (s *stepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	texts, err := s.prover.Legal(context.Background(), s.fluents, s.names.Roles[r], 0)
	if err != nil || s.lost {
		return dst
	}
	before := len(dst)
	for _, text := range texts {
		m, ok := s.names.AddMove(r, text)
		if !ok {
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
	if err != nil || s.lost {
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
			f = -1 // as for all that is not known
		}
		fluents = append(fluents, int32(f))
	}
	if err != nil || s.lost {
		fluents = append(fluents, -1)
	}
	slices.Sort(fluents)
	s.names.Pack(dst, fluents)
}

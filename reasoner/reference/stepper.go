package reference

import (
	"context"
	"math"
	"slices"
	"strconv"

	"stackmate/reasoner/machine"
)

// stepper evaluates one position at a time.
type stepper struct {
	program   *program
	numbering *numbering
	terms     *terms
	run       derivation
}

var _ machine.Stepper = (*stepper)(nil)

func newStepper(p *program, n *numbering, fixed *store) *stepper {
	t := p.terms.clone()
	return &stepper{program: p, numbering: n, terms: t, run: derivation{
		ctx: context.Background(), terms: t, fixed: fixed, facts: newStore(t), limit: math.MaxInt,
	}}
}

// evaluate runs strata in their order. Without a limit and a context that ends
// it cannot fail.
func (s *stepper) evaluate(strata []*evaluator) {
	for _, e := range strata {
		_ = s.run.run(e)
	}
}

// SetState implements machine.Stepper.
func (s *stepper) SetState(state machine.State) {
	s.run.facts.truncate(0)
	for i, f := range s.numbering.fluents {
		if state.Has(i) {
			s.run.facts.insert(s.terms.make(s.program.holds, f))
		}
	}
	s.evaluate(s.program.position)
}

// Terminal implements machine.Stepper.
func (s *stepper) Terminal() bool { return len(s.facts(s.program.terminal)) > 0 }

// facts lists the facts of a relation, in all positions or in this one.
func (s *stepper) facts(relation functor) []term { return s.run.store(relation).facts(relation) }

// AppendLegal implements machine.Stepper.
func (s *stepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	before := len(dst)
	for _, fact := range s.facts(s.program.legal) {
		if a := s.terms.arguments[fact]; a[0] == s.numbering.roles[r] {
			dst = append(dst, s.numbering.moveOf(r, a[1]))
		}
	}
	slices.Sort(dst[before:])
	return append(dst[:before], slices.Compact(dst[before:])...) // several moves may be outside the vocabulary
}

// Goal implements machine.Stepper.
func (s *stepper) Goal(r machine.Role) int32 {
	goal := machine.NoGoal
	for _, fact := range s.facts(s.program.goal) {
		a := s.terms.arguments[fact]
		if a[0] != s.numbering.roles[r] {
			continue
		}
		value, err := strconv.ParseUint(s.terms.string(a[1]), 10, 31)
		if err != nil || goal != machine.NoGoal {
			return machine.NoGoal
		}
		goal = int32(value)
	}
	return goal
}

// Next implements machine.Stepper.
func (s *stepper) Next(dst machine.State, joint []machine.Move) {
	facts := s.run.facts
	before := len(facts.log)
	for r, m := range joint {
		facts.insert(s.terms.make(s.program.does, s.numbering.roles[r], s.numbering.moves[r][m]))
	}
	s.evaluate(s.program.moves)
	clear(dst)
	for _, fact := range s.facts(s.program.next) {
		dst.Set(s.numbering.fluentOf(s.terms.arguments[fact][0]))
	}
	facts.truncate(before)
}

package reference

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// stepper evaluates one position at a time.
type stepper struct {
	program   *program
	numbering *numbering
	solver    *solver
}

var _ machine.Stepper = (*stepper)(nil)

func newStepper(p *program, n *numbering) *stepper {
	s := &stepper{program: p, numbering: n}
	s.restart()
	return s
}

// restart forgets all terms and answers that other positions needed.
func (s *stepper) restart() {
	s.solver = newSolver(context.Background(), s.program, s.program.terms.clone())
}

// SetState implements machine.Stepper.
func (s *stepper) SetState(state machine.State) {
	if len(s.solver.terms.heads) > len(s.program.terms.heads)+maxFacts {
		s.restart()
	}
	s.solver.forget(position)
	s.solver.forget(jointMove)
	s.solver.facts.truncate(0)
	for i, f := range s.numbering.fluents {
		if state.Has(i) {
			s.solver.facts.insert(s.solver.terms.make(s.program.holds, f))
		}
	}
}

// Terminal implements machine.Stepper.
func (s *stepper) Terminal() bool { return len(s.solver.ask(s.program.terminal)) > 0 }

// of lists the facts of a relation whose first argument is a role.
func (s *stepper) of(relation functor, r machine.Role) []term {
	return s.solver.ask(relation, s.solver.terms.known(s.numbering.roles[r]), unknown())
}

// AppendLegal implements machine.Stepper.
func (s *stepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	before := len(dst)
	for _, fact := range s.of(s.program.legal, r) {
		dst = append(dst, s.numbering.moveOf(r, s.solver.terms.arguments[fact][1]))
	}
	slices.Sort(dst[before:])
	return append(dst[:before], slices.Compact(dst[before:])...) // several moves may be outside the vocabulary
}

// Goal implements machine.Stepper.
func (s *stepper) Goal(r machine.Role) int32 {
	return s.solver.terms.goal(s.of(s.program.goal, r))
}

// goal is the value that facts of `goal` about one role give it, or NoGoal.
func (t *terms) goal(facts []term) int32 {
	if len(facts) != 1 || len(t.arguments[t.arguments[facts[0]][1]]) > 0 {
		return machine.NoGoal
	}
	return machine.GoalOf(t.string(t.arguments[facts[0]][1]))
}

// Next implements machine.Stepper.
func (s *stepper) Next(dst machine.State, joint []machine.Move) {
	facts := s.solver.facts
	before := len(facts.log)
	for r, m := range joint {
		facts.insert(s.solver.terms.make(s.program.does, s.numbering.roles[r], s.numbering.moves[r][m]))
	}
	s.solver.forget(jointMove)
	copy(dst, s.numbering.state(s.solver.terms, s.solver.ask(s.program.next, unknown())))
	facts.truncate(before)
}

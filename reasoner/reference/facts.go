package reference

import (
	"context"

	"stackmate/gdl"
)

// Facts lists the facts of a relation with the given number of arguments that
// hold in the position with the given fluents, each as its arguments, in
// canonical text. The relation must not depend on moves. It fails if a fluent is
// no term, if ctx ends, or if they take more than ProverBytes.
func Facts(ctx context.Context, g *gdl.Game, fluents []string, relation string, arity int) ([][]string, error) {
	t := newTerms()
	p := newProgram(t, g)
	s := newSolver(ctx, p, t)
	s.maxBytes = ProverBytes
	state, err := t.read(fluents)
	if err != nil {
		return nil, err
	}
	for _, f := range state {
		s.facts.insert(t.make(p.holds, f))
	}
	args := make([]pattern, arity)
	for i := range args {
		args[i] = unknown()
	}
	var facts [][]string
	for _, fact := range s.ask(t.functor(relation, arity), args...) {
		facts = append(facts, t.texts(t.arguments[fact]))
	}
	if s.err != nil {
		return nil, s.err
	}
	return facts, nil
}

// Package reference is the slow textbook interpreter of GDL: the oracle that the
// other engines are tested against. It owns the meaning of rules, computed anew in
// every position. It aims at being obviously right and knows no shortcut but two:
// it computes what is asked for only, and what depends on neither `true` nor
// `does` once.
//
// The semantics is that of stratified logic programs (Apt, Blair and Walker,
// "Towards a Theory of Declarative Knowledge", 1988), as GDL prescribes.
package reference

import (
	"context"
	"fmt"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// New compiles a game. It fails if ctx ends or if the reachable fluents and
// moves are too many.
func New(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
	p := newProgram(newTerms(), g)
	if err := p.check(); err != nil {
		return nil, err
	}
	reached, err := newReach(ctx, p).run()
	if err != nil {
		return nil, fmt.Errorf("finding the reachable fluents and moves: %w", err)
	}
	return p.machine(g, reached.vocabulary(g.Roles)), nil
}

// NewWithNames compiles a game whose fluents and moves are known: those of names,
// as another machine found them. To these come one fluent and one move of each
// role with the name Outside, which stand for all that the rules derive beyond
// names. It fails if names are not those of the game.
func NewWithNames(g *gdl.Game, names *machine.Names) (machine.Machine, error) {
	t := newTerms()
	v, err := t.vocabulary(g.Roles, names)
	if err != nil {
		return nil, err
	}
	p := newProgram(t, g)
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.machine(g, v), nil
}

func (p *program) machine(g *gdl.Game, v vocabulary) machine.Machine {
	n := newNumbering(p.terms, v)
	initial := n.state(p.terms, newSolver(context.Background(), p, p.terms).ask(p.init, unknown()))
	info := machine.Info{Engine: "reference", Gates: len(g.Rules)}
	return machine.NewScalar(n.names, initial, info, func() machine.Stepper { return newStepper(p, n) })
}

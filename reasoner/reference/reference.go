// Package reference is the slow textbook interpreter of GDL: the oracle that the
// other engines are tested against. It owns the meaning of rules, computed
// bottom-up, stratum by stratum, anew in every position. It aims at being
// obviously right and knows no shortcut but one: relations that depend on
// neither `true` nor `does` are computed once.
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

// maxFacts is the number of facts at which the search for reachable fluents and
// moves gives up: some hundred megabytes.
const maxFacts = 2_000_000

// New compiles a game. It fails if ctx ends or if the reachable fluents and
// moves are too many.
func New(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
	t := newTerms()
	p := newProgram(t, g)
	fixed, err := p.complete(ctx)
	if err != nil {
		return nil, err
	}
	reached, err := p.reach(ctx, fixed)
	if err != nil {
		return nil, fmt.Errorf("finding the reachable fluents and moves: %w", err)
	}
	return p.machine(g, fixed, reached.vocabulary(g.Roles)), nil
}

// NewWithNames compiles a game whose fluents and moves are known: those of names,
// as another machine found them. To these come one fluent and one move of each
// role with the name Outside, which stand for all that the rules derive beyond
// names. It fails if names are not those of the game or if ctx ends.
func NewWithNames(ctx context.Context, g *gdl.Game, names *machine.Names) (machine.Machine, error) {
	t := newTerms()
	v, err := t.vocabulary(g.Roles, names)
	if err != nil {
		return nil, err
	}
	p := newProgram(t, g)
	fixed, err := p.complete(ctx)
	if err != nil {
		return nil, err
	}
	return p.machine(g, fixed, v), nil
}

// complete computes the relations that are the same in all positions.
func (p *program) complete(ctx context.Context) (*store, error) {
	fixed := newStore(p.terms)
	d := &derivation{ctx: ctx, terms: p.terms, fixed: newStore(p.terms), facts: fixed, limit: maxFacts}
	for _, e := range p.fixed {
		if err := d.run(e); err != nil {
			return nil, fmt.Errorf("computing the relations that are the same in all positions: %w", err)
		}
	}
	return fixed, nil
}

func (p *program) machine(g *gdl.Game, fixed *store, v vocabulary) machine.Machine {
	n := newNumbering(p.terms, v)
	initial := n.state(p.terms, fixed.facts(p.init))
	info := machine.Info{Engine: "reference", Gates: len(g.Rules)}
	return machine.NewScalar(n.names, initial, info, func() machine.Stepper {
		return newStepper(p, n, fixed)
	})
}

// reach finds all fluents that can be true and all moves that can be legal, and
// more: `true` and `does` are read as "possible in some position", negations of
// what depends on them are ignored.
func (p *program) reach(ctx context.Context, fixed *store) (*store, error) {
	possible := newStore(p.terms)
	d := &derivation{ctx: ctx, terms: p.terms, fixed: fixed, facts: possible, limit: maxFacts}
	d.derived = func(fact term) {
		args := p.terms.arguments[fact]
		switch p.terms.heads[fact] {
		case p.init, p.next:
			d.add(p.terms.make(p.holds, args...))
		case p.legal:
			d.add(p.terms.make(p.does, args...))
		}
	}
	for _, relation := range []functor{p.init, p.next, p.legal} {
		for _, fact := range fixed.facts(relation) {
			d.derived(fact)
		}
	}
	return possible, d.run(p.possible)
}

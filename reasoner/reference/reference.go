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
	"slices"
	"strings"

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
	fixed := newStore(t)
	d := &derivation{ctx: ctx, terms: t, fixed: newStore(t), facts: fixed, limit: maxFacts}
	for _, e := range p.fixed {
		if err := d.run(e); err != nil {
			return nil, fmt.Errorf("computing the relations that are the same in all positions: %w", err)
		}
	}
	reached, err := p.reach(ctx, fixed)
	if err != nil {
		return nil, fmt.Errorf("finding the reachable fluents and moves: %w", err)
	}
	n := newNumbering(t, g.Roles, reached)
	initial := n.state(t, fixed.facts(p.init))
	info := machine.Info{Engine: "reference", Gates: len(g.Rules)}
	return machine.NewScalar(n.names, initial, info, func() machine.Stepper {
		return newStepper(p, n, fixed)
	}), nil
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

// numbering gives the fluents and moves their numbers: the order of their text.
type numbering struct {
	names   *machine.Names
	roles   []term
	fluents []term   // by fluent
	moves   [][]term // by role, then move
	fluent  map[term]int
	move    []map[term]machine.Move // by role
}

func newNumbering(t *terms, roles []gdl.Term, reached *store) *numbering {
	n := &numbering{names: &machine.Names{}, fluent: make(map[term]int)}
	for _, fact := range reached.facts(t.functor("true", 1)) {
		n.fluents = append(n.fluents, t.arguments[fact][0])
	}
	n.names.Fluents = t.sort(n.fluents)
	for i, f := range n.fluents {
		n.fluent[f] = i
	}
	for _, role := range roles {
		r := t.ground(role)
		var moves []term
		for _, fact := range reached.facts(t.functor("does", 2)) {
			if a := t.arguments[fact]; a[0] == r {
				moves = append(moves, a[1])
			}
		}
		n.names.Roles = append(n.names.Roles, role.String())
		n.names.Moves = append(n.names.Moves, t.sort(moves))
		n.roles = append(n.roles, r)
		n.moves = append(n.moves, moves)
		number := make(map[term]machine.Move)
		for i, m := range moves {
			number[m] = machine.Move(i)
		}
		n.move = append(n.move, number)
	}
	return n
}

// sort orders terms by their text and returns the texts.
func (t *terms) sort(list []term) []string {
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(t.string(a), t.string(b)) })
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = t.string(n)
	}
	return texts
}

// state is the position of the given `init` facts.
func (n *numbering) state(t *terms, facts []term) machine.State {
	s := make(machine.State, (len(n.fluents)+63)/64)
	for _, fact := range facts {
		s.Set(n.fluent[t.arguments[fact][0]])
	}
	return s
}

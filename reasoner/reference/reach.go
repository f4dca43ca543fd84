package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"stackmate/gdl"
)

// maxFacts is the number of facts at which the search for reachable fluents and
// moves gives up: some hundred megabytes.
const maxFacts = 2_000_000

var (
	errTooManyFacts = errors.New("the rules derive too many facts for the reference interpreter")
	errTooLong      = fmt.Errorf("the rules derive a term of more than %d KiB of text", maxLength>>10)
)

// reach computes all fluents that can be true and all moves that can be legal,
// and more: `true` and `does` are read as "possible in some position", negations
// of what depends on them are ignored. What is left has a least fixpoint, which
// is computed from the bottom: a fact, once derived, is joined with all known so
// far wherever its relation occurs. The relations that do not change are asked
// for as they are needed.
type reach struct {
	program *program
	solver  *solver                  // of the relations that do not change
	facts   *store                   // of those that do
	waiting map[functor][]occurrence // by relation: where a new fact matters
	queue   []term
}

// occurrence is a positive literal of a rule.
type occurrence struct {
	rule    *rule
	literal int
}

func newReach(ctx context.Context, p *program) *reach {
	return &reach{
		program: p, solver: newSolver(ctx, p, p.terms),
		facts: newStore(p.terms), waiting: make(map[functor][]occurrence),
	}
}

// run returns the possible facts.
func (d *reach) run() (*store, error) {
	t := d.program.terms
	var rules []*rule
	for f := range d.program.relations {
		if d.grows(functor(f)) {
			for _, r := range d.program.relations[f].rules {
				rules = append(rules, r.relaxed(d.grows))
			}
		}
	}
	for _, r := range rules {
		for i, l := range r.body {
			if l.op == gdl.Holds && d.grows(l.atom.functor) {
				d.waiting[l.atom.functor] = append(d.waiting[l.atom.functor], occurrence{r, i})
			}
		}
	}
	for _, fact := range d.program.facts.log {
		if d.grows(t.heads[fact]) {
			d.add(fact)
		}
	}
	for _, r := range rules {
		newJoin(t, d, r, d.add).run()
	}
	for len(d.queue) > 0 && d.solver.err == nil {
		fact := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		for _, w := range d.waiting[t.heads[fact]] {
			j := newJoin(t, d, w.rule, d.add)
			if _, ok := t.match(&w.rule.body[w.literal].atom, fact, j.binding, nil); ok {
				j.done[w.literal] = true
				j.run()
			}
		}
	}
	return d.facts, d.solver.err
}

// grows tells whether the facts of a relation are found here.
func (d *reach) grows(f functor) bool {
	p := d.program
	return p.changes(f) || f == p.init || f == p.next || f == p.legal
}

// add adds a fact, and what it makes possible.
func (d *reach) add(fact term) (more bool) {
	if d.tired() || !d.facts.insert(fact) {
		return d.solver.err == nil
	}
	if len(d.facts.log) > maxFacts {
		d.solver.err = errTooManyFacts
		return false
	}
	p := d.program
	if !p.terms.isWritable(fact) {
		d.solver.err = errTooLong
		return false
	}
	d.queue = append(d.queue, fact)
	args := p.terms.arguments[fact]
	switch p.terms.heads[fact] {
	case p.init, p.next:
		return d.add(p.terms.make(p.holds, args...))
	case p.legal:
		return d.add(p.terms.make(p.does, args...))
	}
	return true
}

// cost implements source.
func (d *reach) cost(l *literal, binding []term) int {
	if d.grows(l.atom.functor) {
		return len(d.facts.candidates(&l.atom, binding))
	}
	return d.solver.cost(l, binding)
}

// answers implements source.
func (d *reach) answers(atom *pattern, binding []term) []term {
	if d.grows(atom.functor) && !d.tired() {
		return d.facts.candidates(atom, binding)
	}
	return d.solver.answers(atom, binding)
}

// tired implements source.
func (d *reach) tired() bool { return d.solver.tired() }

// relaxed is r without the negations of relations that grow.
func (r *rule) relaxed(grows func(functor) bool) *rule {
	out := *r
	out.body = slices.DeleteFunc(slices.Clone(r.body), func(l literal) bool {
		return l.op == gdl.Not && grows(l.atom.functor)
	})
	return &out
}

package reference

import (
	"context"
	"errors"

	"stackmate/gdl"
)

// evaluator computes the least set of facts that is closed under one stratum of
// rules: a fact, once derived, is joined with all facts known so far wherever
// its relation occurs in the stratum. The relations that the stratum negates
// must be complete before.
type evaluator struct {
	rules   []*rule
	waiting map[functor][]occurrence // by relation: where a new fact matters
}

// occurrence is a positive literal of a rule.
type occurrence struct {
	rule    *rule
	literal int
}

func newEvaluator(rules []*rule) *evaluator {
	e := &evaluator{rules: rules, waiting: make(map[functor][]occurrence)}
	for _, r := range rules {
		for i, l := range r.body {
			if l.op == gdl.Holds {
				e.waiting[l.atom.functor] = append(e.waiting[l.atom.functor], occurrence{r, i})
			}
		}
	}
	return e
}

// derivation is one run of an evaluator.
type derivation struct {
	ctx     context.Context
	terms   *terms
	fixed   *store // facts of the relations that are the same in all positions
	facts   *store
	derived func(fact term) // called for each new fact
	limit   int             // of facts
	queue   []term
	work    int   // facts looked at
	err     error // why the run is given up
}

// patience is how many facts are looked at between two looks at the context:
// some milliseconds.
const patience = 1 << 14

var errTooManyFacts = errors.New("the rules derive too many facts for the reference interpreter")

// store chooses where the facts of a relation are.
func (d *derivation) store(relation functor) *store {
	if len(d.fixed.facts(relation)) > 0 {
		return d.fixed
	}
	return d.facts
}

// run closes the facts under the rules of e.
func (d *derivation) run(e *evaluator) error {
	for _, r := range e.rules {
		d.join(r, newBinding(r.slots), make([]bool, len(r.body)))
	}
	for len(d.queue) > 0 && !d.tired() {
		fact := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		for _, w := range e.waiting[d.terms.heads[fact]] {
			binding, done := newBinding(w.rule.slots), make([]bool, len(w.rule.body))
			if _, ok := d.terms.match(&w.rule.body[w.literal].atom, fact, binding, nil); ok {
				done[w.literal] = true
				d.join(w.rule, binding, done)
			}
		}
	}
	return d.err
}

func newBinding(slots int) []term {
	b := make([]term, slots)
	for i := range b {
		b[i] = unbound
	}
	return b
}

// join extends the binding in every way that satisfies the literals not done yet
// and adds the instances of the head. It goes on with a test whose variables are
// bound, or else with the literal that the fewest facts can match.
func (d *derivation) join(r *rule, binding []term, done []bool) {
	next, facts := -1, []term(nil)
	for i := range r.body {
		l := &r.body[i]
		switch {
		case done[i]:
		case l.op != gdl.Holds:
			if l.isBound(binding) {
				if d.test(l, binding) {
					done[i] = true
					d.join(r, binding, done)
					done[i] = false
				}
				return
			}
		default:
			c := d.store(l.atom.functor).candidates(&l.atom, binding)
			if len(c) == 0 {
				return
			}
			if next < 0 || len(c) < len(facts) {
				next, facts = i, c
			}
		}
	}
	if next < 0 {
		d.add(d.terms.instance(&r.head, binding))
		return
	}
	done[next] = true
	var trail []int
	for _, fact := range facts {
		if d.tired() {
			break
		}
		ok := false
		if trail, ok = d.terms.match(&r.body[next].atom, fact, binding, trail[:0]); ok {
			d.join(r, binding, done)
		}
		for _, s := range trail {
			binding[s] = unbound
		}
	}
	done[next] = false
}

// isBound tells whether all variables of l are bound.
func (l *literal) isBound(binding []term) bool {
	for _, s := range l.slots {
		if binding[s] == unbound {
			return false
		}
	}
	return true
}

// tired tells whether the run is to be given up.
func (d *derivation) tired() bool {
	if d.work++; d.work%patience == 0 && d.err == nil {
		d.err = d.ctx.Err()
	}
	return d.err != nil
}

// test decides a literal that binds nothing.
func (d *derivation) test(l *literal, binding []term) bool {
	if l.op == gdl.Not {
		return !d.store(l.atom.functor).holds(d.terms.instance(&l.atom, binding))
	}
	same := d.terms.instance(&l.left, binding) == d.terms.instance(&l.right, binding)
	return same == (l.op == gdl.Equal)
}

// add inserts a fact.
func (d *derivation) add(fact term) {
	if !d.facts.insert(fact) {
		return
	}
	if len(d.facts.log) > d.limit {
		d.err = errTooManyFacts
		return
	}
	d.queue = append(d.queue, fact)
	if d.derived != nil {
		d.derived(fact)
	}
}

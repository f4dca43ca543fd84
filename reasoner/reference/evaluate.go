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
	terms   *terms
	rules   []*rule
	full    [][]literal            // by rule: the order of its whole join
	waiting map[functor][]reaction // by relation: the joins that a new fact starts
}

// reaction joins a new fact, matched with the first literal of order, with the
// other literals of a rule.
type reaction struct {
	rule  *rule
	order []literal
}

func newEvaluator(t *terms, rules []*rule) *evaluator {
	e := &evaluator{terms: t, rules: rules, waiting: make(map[functor][]reaction)}
	for _, r := range rules {
		e.full = append(e.full, r.sequence(-1))
		for i, l := range r.body {
			if l.op == gdl.Holds {
				e.waiting[l.atom.functor] = append(e.waiting[l.atom.functor], reaction{r, r.sequence(i)})
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
	for i, r := range e.rules {
		d.join(r, e.full[i], newBinding(r.slots))
	}
	for len(d.queue) > 0 && !d.tired() {
		fact := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		for _, w := range e.waiting[d.terms.heads[fact]] {
			binding := newBinding(w.rule.slots)
			if _, ok := d.terms.match(&w.order[0].atom, fact, binding, nil); ok {
				d.join(w.rule, w.order[1:], binding)
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

// join extends the binding in every way that satisfies the literals and adds
// the instances of the head.
func (d *derivation) join(r *rule, literals []literal, binding []term) {
	if len(literals) == 0 {
		d.add(d.terms.instance(&r.head, binding))
		return
	}
	l, rest := &literals[0], literals[1:]
	if l.op != gdl.Holds {
		if d.test(l, binding) {
			d.join(r, rest, binding)
		}
		return
	}
	var trail []int
	for _, fact := range d.store(l.atom.functor).candidates(&l.atom, binding) {
		if d.tired() {
			return
		}
		ok := false
		if trail, ok = d.terms.match(&l.atom, fact, binding, trail[:0]); ok {
			d.join(r, rest, binding)
		}
		for _, s := range trail {
			binding[s] = unbound
		}
	}
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
		return !d.store(l.atom.functor).has[d.terms.instance(&l.atom, binding)]
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

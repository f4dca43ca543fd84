package datalog

import (
	"errors"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/scc"
)

// evaluateStatic computes the relations that depend on neither true nor does
// exactly, one strongly connected component after the other, so that negation
// only ever asks for relations that are complete.
//
// With maxEager > 0, a component that derives more tuples than that is left to
// be computed on demand, as if it differed between positions, and so is whatever
// depends on it; not so roles and the initial position.
//
// It returns the relations that were left.
func (th *theory) evaluateStatic(j *joiner, maxEager int) (map[*relation]bool, error) {
	postponed := make(map[*relation]bool)
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if !r.head.rel.dynamic {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	needed := th.neededAtOnce(byHead)
	for _, component := range components(th.relations, byHead) {
		j.meter.step()
		var rules []*rule
		for _, rel := range component {
			rules = append(rules, byHead[rel]...)
		}
		if len(rules) == 0 {
			continue
		}
		if maxEager > 0 && canWait(component, needed) {
			if dependsOnDynamic(rules) || !j.tryFixpoint(rules, maxEager) {
				for _, rel := range component {
					rel.release()
					rel.dynamic = true
					postponed[rel] = true
				}
			}
		} else if err := j.fixpoint(rules); err != nil {
			return nil, err
		}
		if j.meter.err != nil {
			return nil, j.meter.err
		}
	}
	return postponed, nil
}

// settle computes the postponed relations that some rule still needs, and drops the
// rules of the others. What can be restricted to what is asked for goes on waiting; that
// is what it returns.
func (th *theory) settle(j *joiner, postponed map[*relation]bool, asking threshold) (waiting map[*relation]bool, err error) {
	if len(postponed) == 0 {
		return nil, nil
	}
	var start []*relation
	for _, rel := range th.relations {
		if isInterface(rel) {
			start = append(start, rel)
		}
	}
	for _, r := range th.rules {
		if !postponed[r.head.rel] {
			start = append(start, r.uses()...)
		}
	}
	byHead := th.rulesOf(postponed)
	needed := closure(start, below(byHead))
	th.rules = slices.DeleteFunc(th.rules, func(r *rule) bool { return postponed[r.head.rel] && !needed[r.head.rel] })
	var now []*relation
	waiting = th.canBeAsked(postponed, asking)
	for rel := range postponed {
		if needed[rel] && !waiting[rel] {
			now = append(now, rel)
		}
	}
	computed := closure(now, below(byHead))
	for rel := range computed {
		rel.dynamic = rel.dynamic && !postponed[rel]
		delete(waiting, rel)
	}
	for _, component := range components(th.relations, byHead) {
		var rules []*rule
		for _, rel := range component {
			if computed[rel] {
				rules = append(rules, byHead[rel]...)
			}
		}
		if err := j.fixpoint(rules); err != nil {
			return nil, err
		}
	}
	return waiting, nil
}

// canBeAsked is the set of postponed relations of which only a part is ever asked for:
// all uses know some of their columns. Negated ones are not among them, because reaching
// takes what is not complete for possible.
func (th *theory) canBeAsked(postponed map[*relation]bool, asking threshold) map[*relation]bool {
	negated := make(map[*relation]bool)
	for _, r := range th.rules {
		for i := range r.body {
			if l := &r.body[i]; l.op == gdl.Not && postponed[l.atom.rel] {
				negated[l.atom.rel] = true
			}
		}
	}
	d := th.newDemand(asking, negated)
	d.forget()
	can := make(map[*relation]bool)
	for rel := range d.columns {
		can[rel] = postponed[rel]
	}
	return can
}

// canWait tells whether a component may be computed on demand.
func canWait(component []*relation, needed map[*relation]bool) bool {
	for _, rel := range component {
		if needed[rel] {
			return false
		}
	}
	return true
}

// neededAtOnce is the set of relations that roles and the initial position are made
// of.
func (th *theory) neededAtOnce(byHead map[*relation][]*rule) map[*relation]bool {
	var start []*relation
	for _, rel := range th.relations {
		if rel.name.name == "init" || rel.name.name == "role" {
			start = append(start, rel)
		}
	}
	return closure(start, below(byHead))
}

func dependsOnDynamic(rules []*rule) bool {
	for _, r := range rules {
		for i := range r.body {
			if r.body[i].isDynamic() {
				return true
			}
		}
	}
	return false
}

// tryFixpoint is fixpoint with limits of its own on the number of tuples and on the
// work. It returns false if one was hit, having forgotten the terms made on the way.
func (j *joiner) tryFixpoint(rules []*rule, maxTuples int) bool {
	m := j.meter
	tuples, terms, limit := m.tuples, len(j.terms.head), m.limits.MaxTuples
	m.limits.MaxTuples = min(limit, tuples+maxTuples)
	m.work, m.stop = 0, eagerWork
	err := j.fixpoint(rules)
	m.limits.MaxTuples, m.stop = limit, 0
	if !errors.Is(err, ErrLimit) && !errors.Is(err, errTooMuchWork) {
		return true // or ended by the context, which stays in the meter
	}
	m.err, m.tuples = nil, tuples
	j.terms.truncate(terms)
	return false
}

// components are the strongly connected components of the dependency graph,
// dependencies first.
func components(relations []*relation, byHead map[*relation][]*rule) [][]*relation {
	number := make(map[*relation]int, len(relations))
	for i, rel := range relations {
		number[rel] = i
	}
	below := make([][]int, len(relations))
	for i, rel := range relations {
		for _, r := range byHead[rel] {
			for k := range r.body {
				if to, ok := number[r.body[k].atom.rel]; ok {
					below[i] = append(below[i], to)
				}
			}
		}
	}
	var found [][]*relation
	for _, component := range scc.Components(len(relations), func(i int) []int { return below[i] }) {
		members := make([]*relation, len(component))
		for i, n := range component {
			members[i] = relations[n]
		}
		found = append(found, members)
	}
	return found
}

// componentNumbers tells of each relation in which component of all rules it is.
func (th *theory) componentNumbers() map[*relation]int {
	inside := make(map[*relation]int)
	for i, component := range components(th.relations, th.rulesOf(nil)) {
		for _, rel := range component {
			inside[rel] = i
		}
	}
	return inside
}

// reduce removes what the static relations decide without any join: literals
// that always hold, and rules with a literal that never does.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (th *theory) reduce() {
	kept := th.rules[:0]
	for _, r := range th.rules {
		if !r.head.rel.dynamic || r.reduce() {
			kept = append(kept, r)
		}
	}
	th.rules = kept
}

// reduce drops the literals of r that are known to hold; it returns false if one
// is known to fail.
func (r *rule) reduce() bool {
	var body []literal
	for _, l := range r.body {
		holds, known := l.constant()
		if known && !holds {
			return false
		}
		if !known {
			body = append(body, l)
		}
	}
	r.body = body
	return true
}

// constant tells what is known of l without joining.
func (l *literal) constant() (holds, known bool) {
	switch l.op {
	case gdl.Distinct, gdl.Equal:
		if l.left.kind == constant && l.right.kind == constant {
			return (l.left.id == l.right.id) == (l.op == gdl.Equal), true
		}
		return false, false
	}
	if l.atom.rel.dynamic {
		return false, false
	}
	if l.atom.rel.n == 0 {
		return l.op == gdl.Not, true
	}
	tuple := make([]int32, 0, len(l.atom.args))
	for _, a := range l.atom.args {
		if a.kind != constant {
			return false, false
		}
		tuple = append(tuple, a.id)
	}
	return (l.atom.rel.find(tuple) >= 0) == (l.op == gdl.Holds), true
}

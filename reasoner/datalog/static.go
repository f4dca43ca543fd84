package datalog

import (
	"errors"

	"stackmate/gdl"
	"stackmate/internal/scc"
)

// evaluateStatic computes the relations that depend on neither true nor does
// exactly, one strongly connected component after the other, so that negation
// only ever asks for relations that are complete.
//
// With maxEager > 0, a component that derives more tuples than that is left to
// be computed on demand, as if it differed between positions, and so is whatever
// depends on it; not so roles, the initial position, and what decides which
// fluents and moves are possible.
func (th *theory) evaluateStatic(j *joiner, maxEager int) error {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if !r.head.rel.dynamic {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	needed := neededToReach(th.rules)
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
				postpone(component)
			}
		} else if err := j.fixpoint(rules, nothing); err != nil {
			return err
		}
		if j.meter.err != nil {
			return j.meter.err
		}
	}
	return nil
}

// canWait tells whether a component may be computed on demand.
func canWait(component []*relation, needed map[*relation]bool) bool {
	for _, rel := range component {
		if needed[rel] || rel.name.name == "init" || rel.name.name == "role" {
			return false
		}
	}
	return true
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

// postpone makes relations ones that are computed on demand.
func postpone(component []*relation) {
	for _, rel := range component {
		rel.release()
		rel.dynamic = true
	}
}

// tryFixpoint is fixpoint with a limit of its own on the number of tuples. It
// returns false if that was hit, having forgotten the terms made on the way.
func (j *joiner) tryFixpoint(rules []*rule, maxTuples int) bool {
	m := j.meter
	tuples, terms, limit := m.tuples, len(j.terms.head), m.limits.MaxTuples
	m.limits.MaxTuples = min(limit, tuples+maxTuples)
	err := j.fixpoint(rules, nothing)
	m.limits.MaxTuples = limit
	if !errors.Is(err, ErrLimit) {
		return true // or ended by the context, which stays in the meter
	}
	m.err, m.tuples = nil, tuples
	j.terms.truncate(terms)
	return false
}

func nothing(*literal) bool { return false }

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

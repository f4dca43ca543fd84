package datalog

import (
	"errors"

	"stackmate/gdl"
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

// components are the strongly connected components of the dependency graph in
// topological order, dependencies first (Tarjan 1972).
func components(relations []*relation, byHead map[*relation][]*rule) [][]*relation {
	t := &tarjan{byHead: byHead, index: make(map[*relation]int), low: make(map[*relation]int)}
	for _, rel := range relations {
		if t.index[rel] == 0 {
			t.visit(rel)
		}
	}
	return t.found
}

type tarjan struct {
	byHead     map[*relation][]*rule
	index, low map[*relation]int // index counts from 1
	stack      []*relation
	found      [][]*relation
}

// visit explores rel. The depth of the recursion is bounded by the number of
// relations.
func (t *tarjan) visit(rel *relation) {
	t.index[rel] = len(t.index) + 1
	t.low[rel] = t.index[rel]
	t.stack = append(t.stack, rel)
	for _, r := range t.byHead[rel] {
		for i := range r.body {
			if next := r.body[i].atom.rel; next != nil {
				t.follow(rel, next)
			}
		}
	}
	if t.low[rel] < t.index[rel] {
		return
	}
	for i := len(t.stack) - 1; ; i-- {
		if t.stack[i] == rel {
			t.found = append(t.found, append([]*relation(nil), t.stack[i:]...))
			for _, done := range t.stack[i:] {
				t.low[done] = complete
			}
			t.stack = t.stack[:i]
			return
		}
	}
}

// complete marks, as low, relations whose component has been found.
const complete = 1 << 30

func (t *tarjan) follow(rel, next *relation) {
	if t.index[next] == 0 {
		t.visit(next)
		if t.low[next] < t.low[rel] {
			t.low[rel] = t.low[next]
		}
	} else if t.low[next] != complete && t.index[next] < t.low[rel] {
		t.low[rel] = t.index[next]
	}
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

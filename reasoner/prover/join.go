package prover

import (
	"math"
	"slices"

	"stackmate/gdl"
)

// join is the evaluation of one rule.
type join struct {
	solver  *solver
	rule    *rule
	binding []term
	done    []bool // by literal
	found   func(head term) (more bool)
}

func newJoin(s *solver, r *rule, found func(term) bool) *join {
	j := &join{solver: s, rule: r, found: found}
	j.binding, j.done = newBinding(r.slots), make([]bool, len(r.body))
	return j
}

func newBinding(slots int) []term {
	b := make([]term, slots)
	for i := range b {
		b[i] = unbound
	}
	return b
}

// run extends the binding in every way that satisfies the literals not done yet
// and reports the instances of the head. It ends early, and tells so, when no
// more are wanted or the work is given up.
func (j *join) run() (more bool) {
	next := j.choose()
	if next < 0 {
		return j.found(j.solver.terms.instance(&j.rule.head, j.binding))
	}
	l := &j.rule.body[next]
	j.done[next] = true
	if l.op != gdl.Holds {
		more = !j.test(l) || j.run()
	} else {
		more = j.extend(&l.atom, j.solver.answers(&l.atom, j.binding))
	}
	j.done[next] = false
	return more
}

// extend goes on with the binding extended by each of the facts that match.
func (j *join) extend(atom *pattern, facts []term) (more bool) {
	var trail []int
	for _, fact := range facts {
		if j.solver.tired() {
			return false
		}
		ok := false
		more = true
		if trail, ok = j.solver.terms.match(atom, fact, j.binding, trail[:0]); ok {
			more = j.run()
		}
		for _, s := range trail {
			j.binding[s] = unbound
		}
		if !more {
			return false
		}
	}
	return true
}

// choose picks a literal: a test whose variables are bound, or else the one that
// the fewest facts are thought to match, or -1 if all are done.
func (j *join) choose() int {
	best, least := -1, math.MaxInt
	for i := range j.rule.body {
		l := &j.rule.body[i]
		switch {
		case j.done[i]:
		case l.op != gdl.Holds:
			if l.isBound(j.binding) {
				return i
			}
		default:
			if c := j.solver.cost(l, j.binding); c < least {
				best, least = i, c
			}
		}
	}
	return best
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

// test decides a literal that binds nothing. It is false once the work is given
// up, as what is negated may be missing from the answers then.
func (j *join) test(l *literal) bool {
	if l.op == gdl.Not {
		found := slices.Contains(j.solver.answers(&l.atom, j.binding), j.solver.terms.instance(&l.atom, j.binding))
		return !found && !j.solver.tired()
	}
	same := j.solver.terms.instance(&l.left, j.binding) == j.solver.terms.instance(&l.right, j.binding)
	return same == (l.op == gdl.Equal)
}

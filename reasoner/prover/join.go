package prover

import (
	"math"
	"slices"

	"stackmate/gdl"
)

// join is the evaluation of one rule: nested loops over its conditions, the most selective one
// first.
type join struct {
	solver  *solver
	rule    *rule
	binding []term
	done    []bool // by condition
	found   func(head term) (more bool)
}

// run extends the binding in every way that satisfies the conditions not done yet and
// reports the instances of the head. It ends early, and tells so, when no more are
// wanted or the work is given up.
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
		more = j.extend(&l.atom, j.solver.ask(&l.atom, j.binding))
	}
	j.done[next] = false
	return more
}

// extend goes on with the binding extended by each of the facts that match.
func (j *join) extend(atom *pattern, facts []term) (more bool) {
	var trail []int
	for _, fact := range facts {
		if j.solver.mustStop() {
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

// choose picks a condition: a test whose variables are bound, or else the one that
// the fewest facts are thought to match, or -1 if all are done.
func (j *join) choose() int {
	best, least := -1, math.MaxInt
	for i := range j.rule.body {
		l := &j.rule.body[i]
		switch {
		case j.done[i]:
		case l.op != gdl.Holds:
			if j.unbound(l) == 0 {
				return i
			}
		default:
			if c := j.cost(l); c < least {
				best, least = i, c
			}
		}
	}
	return best
}

// cost guesses how many facts match the atom of a condition.
func (j *join) cost(l *literal) int {
	if !j.solver.program.isDerived(l.atom.functor) {
		return len(j.solver.statedFacts(&l.atom, j.binding))
	}
	return max(1, j.unbound(l)*guessedAnswers)
}

// unsolved is the number of answers, for each unknown of a question, that it is
// thought to have: more than most relations have facts.
const guessedAnswers = 1000

// unbound counts the variables of a condition that are not bound.
func (j *join) unbound(l *literal) (n int) {
	for _, s := range l.slots {
		if j.binding[s] == unbound {
			n++
		}
	}
	return n
}

// test decides a condition that binds nothing. It is false once the work is given
// up, as what is negated may be missing from the answers then.
func (j *join) test(l *literal) bool {
	terms := j.solver.terms
	if l.op == gdl.Not {
		found := slices.Contains(j.solver.ask(&l.atom, j.binding), terms.instance(&l.atom, j.binding))
		return !found && !j.solver.mustStop()
	}
	same := terms.instance(&l.left, j.binding) == terms.instance(&l.right, j.binding)
	return same == (l.op == gdl.Equal)
}

package prover

import (
	"math"

	"stackmate/gdl"
)

// join is the evaluation of a rule: nested loops over its conditions, the most selective condition first.
type join struct {
	solver  *solver
	rule    *rule
	binding []term
	done    []bool // by condition
	emit    func(head term) (more bool)
}

// run extends the binding in all ways that satisfy the remaining conditions, and emits the instances of the head. It
// returns false if it ends early, because emit wants no more or the solver must stop.
func (j *join) run() (more bool) {
	next := j.choose()
	if next < 0 {
		return j.emit(j.solver.terms.instance(&j.rule.head, j.binding))
	}
	l := &j.rule.body[next]
	j.done[next] = true
	if l.op != gdl.Holds {
		more = !j.test(l) || j.run()
	} else {
		more = j.extend(&l.atom, j.solver.answer(&l.atom, j.binding))
	}
	j.done[next] = false
	return more
}

// extend runs the join with the binding extended by each matching fact.
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

// choose returns the next condition: a test with bound variables, or else the condition with the least cost; -1 if no
// condition remains.
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

// cost estimates the number of facts that match a condition. A condition with growing terms comes last: by the recursion
// restriction of GDL, the other conditions bound these terms.
func (j *join) cost(l *literal) int {
	if l.grows {
		return math.MaxInt - 1
	}
	if !j.solver.program.isDerived(l.atom.functor) {
		return len(j.solver.statedFacts(&l.atom, j.binding))
	}
	return max(1, j.unbound(l)*guessedAnswers)
}

// guessedAnswers is the estimated number of answers for each unbound variable of a query. Most relations have fewer
// facts.
const guessedAnswers = 1000

// unbound returns the number of unbound variables of a condition.
func (j *join) unbound(l *literal) (n int) {
	for _, s := range l.slots {
		if j.binding[s] == unbound {
			n++
		}
	}
	return n
}

// test decides a condition without unbound variables. It returns false if the solver must stop, since the facts that
// it negates may then be missing.
func (j *join) test(l *literal) bool {
	if l.op == gdl.Not {
		return !j.solver.proves(&l.atom, j.binding) && !j.solver.mustStop()
	}
	terms := j.solver.terms
	same := terms.instance(&l.left, j.binding) == terms.instance(&l.right, j.binding)
	return same == (l.op == gdl.Equal)
}

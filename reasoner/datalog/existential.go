package datalog

import (
	"slices"

	"stackmate/gdl"
)

// A column is existential in a static domain if what its relation says is the same for everything
// there: each rule has a variable of the domain in that place, and at most hands it on to
// columns that are existential themselves. Such columns are left out:
//
//	before  h ← p(0,1)                 p(X,Y) ← bit(X) ∧ bit(Y) ∧ q(X,Y,0) ∧ q(X,Y,1)
//	        q(X,Y,Z) ← bit(X) ∧ bit(Y) ∧ bit(Z) ∧ ¬true(f)
//	after   h ← bit(0) ∧ bit(1) ∧ p    p ← q     q ← ¬true(f)
//
// Twenty of them would be a million atoms that are true in the same positions. This is
// projection pushed through rules (Ramakrishnan, Beeri, Krishnamurthy, "Optimizing existential
// Datalog queries", 1988), with constants allowed where a column is used. Assumptions: the
// domain is a static relation of one column, computed and not empty; the relation is not
// negated. Cost: linear in the rules, times the length of the longest chain of columns.
type existential struct {
	theory  *theory
	pending map[*relation]bool
	domain  map[column]*relation    // of the columns that may be existential
	rest    map[*relation]*relation // relations without their existential columns
}

// column is a place of a relation.
type column struct {
	rel *relation
	at  int
}

// projectColumns leaves out the existential columns of all dynamic relations but the pending ones.
func (gr *grounder) projectColumns() error {
	th := gr.theory
	f := &existential{theory: th, pending: gr.pending, domain: make(map[column]*relation), rest: make(map[*relation]*relation)}
	for f.suppose() {
	}
	for f.refute() {
	}
	if len(f.domain) > 0 {
		for _, r := range th.rules {
			f.rewrite(r)
		}
		return gr.reduce()
	}
	return nil
}

// suppose gives columns the domains of the variables that rules have there, and tells
// whether there were any without one.
func (f *existential) suppose() bool {
	found := false
	for _, r := range f.theory.rules {
		f.theory.watch.Step()
		rel := r.head.rel
		if !rel.dynamic || f.pending[rel] || isInterface(rel) {
			continue
		}
		for c, a := range r.head.args {
			if f.domain[column{rel, c}] != nil || a.kind != variable {
				continue
			}
			for i := range r.body {
				if d := f.domainIn(&r.body[i], a.id); d != nil {
					f.domain[column{rel, c}], found = d, true
				}
			}
		}
	}
	return found
}

// domainIn is the domain that a literal gives a variable, or nil.
func (f *existential) domainIn(l *literal, v int32) *relation {
	if l.op != gdl.Holds {
		return nil
	}
	rel := l.atom.rel
	for c, a := range l.atom.args {
		switch {
		case a.kind != variable || a.id != v:
		case rel.dynamic:
			return f.domain[column{rel, c}]
		case rel.arity == 1 && rel.n > 0:
			return rel
		}
	}
	return nil
}

// refute takes away the columns that some rule shows not to be existential, and tells whether
// there were any.
func (f *existential) refute() bool {
	before := len(f.domain)
	for _, r := range f.theory.rules {
		f.theory.watch.Step()
		for c := range r.head.args {
			if at := (column{r.head.rel, c}); f.domain[at] != nil && !f.handsOn(r, c, f.domain[at]) {
				delete(f.domain, at)
			}
		}
		for i := range r.body {
			if l := &r.body[i]; l.op == gdl.Not {
				for c := range l.atom.args {
					delete(f.domain, column{l.atom.rel, c})
				}
			}
		}
	}
	return len(f.domain) < before
}

// handsOn tells whether a rule has a variable of that domain in a column of its head, and
// uses it for nothing else.
func (f *existential) handsOn(r *rule, c int, domain *relation) bool {
	a := r.head.args[c]
	if a.kind != variable {
		return false
	}
	uses := 0
	for i := range r.body {
		l := &r.body[i]
		if l.op != gdl.Holds {
			continue
		}
		for k, b := range l.atom.args {
			if b.kind == variable && b.id == a.id && (l.atom.rel == domain || f.domain[column{l.atom.rel, k}] == domain) {
				uses++
			}
		}
	}
	return uses > 0 && uses+1 == r.occurrences(a.id)
}

// rewrite leaves the existential columns out of a rule. What stands there, if it is not an existential
// column of the head again, must be of the domain.
func (f *existential) rewrite(r *rule) {
	var gone []int32 // variables
	for c, a := range r.head.args {
		if f.domain[column{r.head.rel, c}] != nil {
			gone = append(gone, a.id)
		}
	}
	isGone := func(a arg) bool { return a.kind == variable && slices.Contains(gone, a.id) }
	var body []literal
	for _, l := range r.body {
		if rel := l.atom.rel; rel != nil {
			if !rel.dynamic && len(l.atom.args) == 1 && isGone(l.atom.args[0]) {
				continue
			}
			for c, a := range l.atom.args {
				if d := f.domain[column{rel, c}]; d != nil && !isGone(a) {
					body = append(body, holds(atom{d, []arg{a}}))
				}
			}
			l.atom = f.without(l.atom)
		}
		body = append(body, l)
	}
	r.head, r.body = f.without(r.head), body
}

// without is an atom without the existential columns of its relation.
func (f *existential) without(a atom) atom {
	var args []arg
	for c, x := range a.args {
		if f.domain[column{a.rel, c}] == nil {
			args = append(args, x)
		}
	}
	if len(args) == len(a.args) {
		return a
	}
	rel := f.rest[a.rel]
	if rel == nil {
		rel = f.theory.auxiliary("some "+a.rel.name.name, len(args))
		rel.dynamic = true
		f.rest[a.rel] = rel
	}
	return atom{rel, args}
}

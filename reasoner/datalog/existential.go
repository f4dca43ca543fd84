package datalog

import (
	"slices"

	"stackmate/gdl"
)

// A column is existential in a static domain if its relation holds either for all terms of the domain there or for
// none. Then each rule has a variable of the domain in that column, and uses it elsewhere at most in other
// existential columns. Existential columns are projected out:
//
//	before  h ← p(0,1)                 p(X,Y) ← bit(X) ∧ bit(Y) ∧ q(X,Y,0) ∧ q(X,Y,1)
//	        q(X,Y,Z) ← bit(X) ∧ bit(Y) ∧ bit(Z) ∧ ¬true(f)
//	after   h ← bit(0) ∧ bit(1) ∧ p    p ← q     q ← ¬true(f)
//
// Twenty such columns would be a million atoms with equal values in all positions. The transformation pushes
// projection through rules (Ramakrishnan, Beeri, Krishnamurthy, "Optimizing existential Datalog queries", 1988).
// It also allows constants in uses of the column. Assumptions: the domain is a static relation of one column,
// computed and not empty; the relation is not negated. Cost: linear in the rules, times the length of the longest
// chain of columns.
type existential struct {
	theory *theory
	domain map[column]*relation    // of the candidates
	rest   map[*relation]*relation // relations after the projection
}

// column is a column of a relation.
type column struct {
	rel *relation
	at  int
}

// projectColumns removes the existential columns of all dynamic relations that are not pending.
func (gr *grounder) projectColumns() error {
	th := gr.theory
	f := &existential{theory: th, domain: make(map[column]*relation), rest: make(map[*relation]*relation)}
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

// suppose makes columns candidates whose variable has a domain in the body of a rule. It reports whether it found
// a new candidate.
func (f *existential) suppose() bool {
	found := false
	for _, r := range f.theory.rules {
		f.theory.watch.Step()
		rel := r.head.rel
		if !rel.is(dynamic) || rel.isInterface() {
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

// domainIn returns the domain that a literal gives a variable, or nil.
func (f *existential) domainIn(l *literal, v int32) *relation {
	if l.op != gdl.Holds {
		return nil
	}
	rel := l.atom.rel
	for c, a := range l.atom.args {
		switch {
		case a.kind != variable || a.id != v:
		case rel.isOpen():
			return f.domain[column{rel, c}]
		case rel.arity == 1 && rel.len() > 0:
			return rel
		}
	}
	return nil
}

// refute removes candidate columns that a rule shows not to be existential, and reports whether it removed one.
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

// handsOn reports whether column c of the head is a variable that r uses only in the given domain and in
// existential columns of that domain.
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

// rewrite removes the existential columns from a rule. A term in such a column of the body must belong to the
// domain, unless the head has the same variable in an existential column.
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
			if !rel.isOpen() && len(l.atom.args) == 1 && isGone(l.atom.args[0]) {
				continue
			}
			for c, a := range l.atom.args {
				if d := f.domain[column{rel, c}]; d != nil && !isGone(a) {
					body = append(body, positive(atom{d, []arg{a}}))
				}
			}
			l.atom = f.without(l.atom)
		}
		body = append(body, l)
	}
	r.head, r.body = f.without(r.head), body
}

// without returns an atom without the existential columns of its relation.
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
		rel = f.theory.auxiliary("some "+a.rel.name.name, len(args), dynamic)
		f.rest[a.rel] = rel
	}
	return atom{rel, args}
}

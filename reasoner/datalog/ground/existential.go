package ground

import (
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
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
	theory *rules.Theory
	domain map[column]*rules.Relation          // of the candidates
	rest   map[*rules.Relation]*rules.Relation // relations after the projection
}

// column is a column of a relation.
type column struct {
	rel *rules.Relation
	at  int
}

// projectColumns removes the existential columns of all dynamic relations that are not pending.
func (gr *grounder) projectColumns() error {
	th := gr.Theory
	f := &existential{theory: th, domain: make(map[column]*rules.Relation), rest: make(map[*rules.Relation]*rules.Relation)}
	for f.suppose() {
	}
	for f.refute() {
	}
	if len(f.domain) > 0 {
		for _, r := range th.Rules {
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
	for _, r := range f.theory.Rules {
		f.theory.Watch.Step()
		rel := r.Head.Rel
		if !rel.Is(rules.Dynamic) || rel.IsInterface() {
			continue
		}
		for c, a := range r.Head.Args {
			if f.domain[column{rel, c}] != nil || a.Kind != rules.Variable {
				continue
			}
			for i := range r.Body {
				if d := f.domainIn(&r.Body[i], a.Id); d != nil {
					f.domain[column{rel, c}], found = d, true
				}
			}
		}
	}
	return found
}

// domainIn returns the domain that a literal gives a variable, or nil.
func (f *existential) domainIn(l *rules.Literal, v int32) *rules.Relation {
	if l.Op != gdl.Holds {
		return nil
	}
	rel := l.Atom.Rel
	for c, a := range l.Atom.Args {
		switch {
		case a.Kind != rules.Variable || a.Id != v:
		case rel.IsOpen():
			return f.domain[column{rel, c}]
		case rel.Arity == 1 && rel.Len() > 0:
			return rel
		}
	}
	return nil
}

// refute removes candidate columns that a rule shows not to be existential, and reports whether it removed one.
func (f *existential) refute() bool {
	before := len(f.domain)
	for _, r := range f.theory.Rules {
		f.theory.Watch.Step()
		for c := range r.Head.Args {
			if at := (column{r.Head.Rel, c}); f.domain[at] != nil && !f.handsOn(r, c, f.domain[at]) {
				delete(f.domain, at)
			}
		}
		for i := range r.Body {
			if l := &r.Body[i]; l.Op == gdl.Not {
				for c := range l.Atom.Args {
					delete(f.domain, column{l.Atom.Rel, c})
				}
			}
		}
	}
	return len(f.domain) < before
}

// handsOn reports whether column c of the head is a variable that r uses only in the given domain and in
// existential columns of that domain.
func (f *existential) handsOn(r *rules.Rule, c int, domain *rules.Relation) bool {
	a := r.Head.Args[c]
	if a.Kind != rules.Variable {
		return false
	}
	uses := 0
	for i := range r.Body {
		l := &r.Body[i]
		if l.Op != gdl.Holds {
			continue
		}
		for k, b := range l.Atom.Args {
			if b.Kind == rules.Variable && b.Id == a.Id && (l.Atom.Rel == domain || f.domain[column{l.Atom.Rel, k}] == domain) {
				uses++
			}
		}
	}
	return uses > 0 && uses+1 == r.Occurrences(a.Id)
}

// rewrite removes the existential columns from a rule. A term in such a column of the body must belong to the
// domain, unless the head has the same variable in an existential column.
func (f *existential) rewrite(r *rules.Rule) {
	var gone []int32 // variables
	for c, a := range r.Head.Args {
		if f.domain[column{r.Head.Rel, c}] != nil {
			gone = append(gone, a.Id)
		}
	}
	isGone := func(a rules.Arg) bool { return a.Kind == rules.Variable && slices.Contains(gone, a.Id) }
	var body []rules.Literal
	for _, l := range r.Body {
		if rel := l.Atom.Rel; rel != nil {
			if !rel.IsOpen() && len(l.Atom.Args) == 1 && isGone(l.Atom.Args[0]) {
				continue
			}
			for c, a := range l.Atom.Args {
				if d := f.domain[column{rel, c}]; d != nil && !isGone(a) {
					body = append(body, rules.Positive(rules.Atom{Rel: d, Args: []rules.Arg{a}}))
				}
			}
			l.Atom = f.without(l.Atom)
		}
		body = append(body, l)
	}
	r.Head, r.Body = f.without(r.Head), body
}

// without returns an atom without the existential columns of its relation.
func (f *existential) without(a rules.Atom) rules.Atom {
	var args []rules.Arg
	for c, x := range a.Args {
		if f.domain[column{a.Rel, c}] == nil {
			args = append(args, x)
		}
	}
	if len(args) == len(a.Args) {
		return a
	}
	rel := f.rest[a.Rel]
	if rel == nil {
		rel = f.theory.Auxiliary("some "+a.Rel.Name, len(args), rules.Dynamic)
		f.rest[a.Rel] = rel
	}
	return rules.Atom{Rel: rel, Args: args}
}

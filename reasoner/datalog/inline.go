package datalog

import "stackmate/gdl"

// Inlining replaces a positive literal by the bodies of the rules that define it:
//
//	before  h(X) ← a(X,Y) ∧ p(Y)     p(Z) ← b(Z)     p(f(W)) ← c(W)
//	after   h(X) ← a(X,Y) ∧ b(Y)     h(X) ← a(X,f(W)) ∧ c(W)
//
// which saves storing the tuples of p where they are only passed on, and repeats
// work where they are asked for often. Assumption: p is not recursive. Negated
// literals stay, so p keeps its rules.
type inliner struct {
	terms *termTable
	rules map[*relation][]*rule // of the relations to inline
}

// maxInlined is the number of rules beyond which a rule is left as it is.
const maxInlined = 32

// inlined is the rules of the game after inlining what the costs ask for.
func (in *interpreter) inlined() []*rule {
	x := inliner{terms: in.theory.terms, rules: make(map[*relation][]*rule)}
	for _, r := range in.rules {
		if in.cost.modes[r.head.rel] == modeInline {
			x.rules[r.head.rel] = append(x.rules[r.head.rel], r)
		}
	}
	if len(x.rules) == 0 {
		return in.rules
	}
	var out []*rule
	for _, r := range in.rules {
		if expanded := x.expand(nil, r); len(expanded) <= maxInlined {
			out = append(out, expanded...)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// expand appends the rules that r becomes; more than maxInlined if it becomes
// too many.
func (x *inliner) expand(out []*rule, r *rule) []*rule {
	for i := range r.body {
		definition := x.rules[r.body[i].atom.rel]
		if r.body[i].op != gdl.Holds || len(definition) == 0 {
			continue
		}
		for _, d := range definition {
			if s := x.resolve(r, i, d); s != nil && len(out) <= maxInlined {
				out = x.expand(out, s)
			}
		}
		return out
	}
	return append(out, r)
}

// resolve is r with literal i replaced by the body of d, or nil if d cannot
// define it.
func (x *inliner) resolve(r *rule, i int, d *rule) *rule {
	u := make(unifier, r.vars+d.vars)
	for v := range u {
		u[v] = arg{kind: variable, id: int32(v)}
	}
	renamed := make([]arg, d.vars)
	for v := range renamed {
		renamed[v] = arg{kind: variable, id: int32(r.vars + v)}
	}
	for c, a := range d.head.args {
		if !u.unify(x.terms, a.substitute(x.terms, renamed), r.body[i].atom.args[c]) {
			return nil
		}
	}
	to := make([]arg, len(u))
	for v := range to {
		to[v] = u.apply(x.terms, u[v])
	}
	out := &rule{head: atom{rel: r.head.rel}, vars: len(u), source: r.source}
	for _, a := range r.head.args {
		out.head.args = append(out.head.args, a.substitute(x.terms, to))
	}
	for k := range r.body {
		if k != i {
			out.body = append(out.body, r.body[k].substitute(x.terms, to))
			continue
		}
		for n := range d.body {
			l := d.body[n].substitute(x.terms, renamed)
			out.body = append(out.body, l.substitute(x.terms, to))
		}
	}
	if !out.reduce() {
		return nil
	}
	return out
}

// unifier maps variables to arguments; a free variable is mapped to itself.
type unifier []arg

// walk follows variables to what they stand for.
func (u unifier) walk(a arg) arg {
	for a.kind == variable && (u[a.id].kind != variable || u[a.id].id != a.id) {
		a = u[a.id]
	}
	return a
}

// unify makes a and b equal and tells whether that is possible (Robinson 1965).
func (u unifier) unify(t *termTable, a, b arg) bool {
	a, b = u.walk(a), u.walk(b)
	switch {
	case a.kind == variable && b.kind == variable && a.id == b.id:
		return true
	case a.kind == variable:
		return u.bind(a.id, b)
	case b.kind == variable:
		return u.bind(b.id, a)
	case a.kind == constant && b.kind == constant:
		return a.id == b.id
	}
	f, as := t.open(a)
	g, bs := t.open(b)
	if f < 0 || f != g {
		return false
	}
	for i := range as {
		if !u.unify(t, as[i], bs[i]) {
			return false
		}
	}
	return true
}

// bind lets v stand for a, unless a contains v.
func (u unifier) bind(v int32, a arg) bool {
	if u.contains(a, v) {
		return false
	}
	u[v] = a
	return true
}

func (u unifier) contains(a arg, v int32) bool {
	a = u.walk(a)
	if a.kind == variable {
		return a.id == v
	}
	for _, sub := range a.args {
		if u.contains(sub, v) {
			return true
		}
	}
	return false
}

// apply replaces all variables of a by what they stand for.
func (u unifier) apply(t *termTable, a arg) arg {
	a = u.walk(a)
	if a.kind != compound {
		return a
	}
	args := make([]arg, len(a.args))
	for i, sub := range a.args {
		args[i] = u.apply(t, sub)
	}
	return t.compoundArg(a.id, args)
}

// open is the functor of a, which is no variable, and its arguments.
func (t *termTable) open(a arg) (int32, []arg) {
	if a.kind == compound {
		return a.id, a.args
	}
	var args []arg
	for _, id := range t.argsOf(a.id) {
		args = append(args, arg{kind: constant, id: id})
	}
	return t.functorOf(a.id), args
}

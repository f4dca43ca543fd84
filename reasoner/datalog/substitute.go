package datalog

import (
	"slices"

	"stackmate/gdl"
)

// substitution replaces variables by arguments. Compounds that are ground afterwards become
// constants.
type substitution struct {
	terms *termTable
	to    []arg // by variable
}

// identity returns the substitution that leaves the given number of variables unchanged.
func (t *termTable) identity(vars int) substitution {
	s := substitution{terms: t, to: make([]arg, vars)}
	for v := range s.to {
		s.to[v] = arg{kind: variable, id: int32(v)}
	}
	return s
}

func (s substitution) arg(a arg) arg {
	switch a.kind {
	case variable:
		return s.to[a.id]
	case compound:
		return s.terms.compoundArg(a.id, s.args(a.args))
	}
	return a
}

func (s substitution) args(args []arg) []arg {
	out := make([]arg, len(args))
	for i, a := range args {
		out[i] = s.arg(a)
	}
	return out
}

func (s substitution) literal(l literal) literal {
	l.atom.args, l.left, l.right = s.args(l.atom.args), s.arg(l.left), s.arg(l.right)
	return l
}

func (s substitution) body(body []literal) []literal {
	var out []literal
	for _, l := range body {
		out = append(out, s.literal(l))
	}
	return out
}

// rule returns r after the substitution, with the given number of variables.
func (s substitution) rule(r *rule, vars int) *rule {
	out := *r
	out.head.args, out.body, out.vars = s.args(r.head.args), s.body(r.body), vars
	return &out
}

// compoundArg returns a function term: a constant if it is ground.
func (t *termTable) compoundArg(functor int32, args []arg) arg {
	ground := make([]term, len(args))
	for i, a := range args {
		if a.kind != constant {
			return arg{kind: compound, id: functor, args: args}
		}
		ground[i] = a.id
	}
	return arg{kind: constant, id: t.compound(functor, ground)}
}

// number returns the substitution that numbers the given variables in this order from 0.
func (t *termTable) number(order []int32) substitution {
	size := int32(0)
	for _, v := range order {
		size = max(size, v+1)
	}
	s := substitution{terms: t, to: make([]arg, size)}
	for i, v := range order {
		s.to[v] = arg{kind: variable, id: int32(i)}
	}
	return s
}

// compact numbers the variables of r anew, without gaps.
func (t *termTable) compact(r *rule) *rule {
	order := r.variables()
	return t.number(order).rule(r, len(order))
}

// canonical is a list of literals with their variables numbered in order of occurrence. Lists that differ only in
// the numbers of variables have the same canonical list.
type canonical struct {
	body []literal
	vars []int32 // by number: the variable of the original
	substitution
}

func (t *termTable) canonical(body []literal) canonical {
	var order []int32
	for _, v := range appendBodyVars(nil, body) {
		if !slices.Contains(order, v) {
			order = append(order, v)
		}
	}
	s := t.number(order)
	return canonical{body: s.body(body), vars: order, substitution: s}
}

// numbers returns the canonical numbers of variables, ascending.
func (c *canonical) numbers(vars []int32) []int32 {
	var list []int32
	for i, v := range c.vars {
		if slices.Contains(vars, v) {
			list = append(list, int32(i))
		}
	}
	return list
}

// key returns a comparable form of the literals and of additional numbers.
func (c *canonical) key(numbers []int32) string {
	var b []byte
	for i := range c.body {
		b = c.body[i].appendKey(b)
	}
	return string(b) + packed(numbers)
}

func (l *literal) appendKey(b []byte) []byte {
	flags := byte(l.op) << 1
	if l.implied {
		flags |= 1
	}
	b = append(b, flags)
	if l.atom.rel != nil {
		key := l.atom.rel.name.key()
		b = append(b, packed([]int32{int32(len(key.name)), int32(len(key.shapes)), key.auxiliary})+key.name+key.shapes...)
	}
	for _, a := range l.atom.args {
		b = a.appendKey(b)
	}
	return l.right.appendKey(l.left.appendKey(b))
}

func (a arg) appendKey(b []byte) []byte {
	b = append(append(b, byte(a.kind)), packed([]int32{a.id, int32(len(a.args))})...)
	for _, sub := range a.args {
		b = sub.appendKey(b)
	}
	return b
}

// resolve returns r with literal i replaced by the body of d, or nil if d's head does not unify with the literal:
//
//	r  h(X) ← a(X,Y) ∧ p(Y)     d  p(f(W)) ← c(W)     resolved  h(X) ← a(X,f(W)) ∧ c(W)
func (t *termTable) resolve(r *rule, i int, d *rule) *rule {
	vars := r.vars + d.vars
	apart := substitution{t, t.identity(vars).to[r.vars:]}
	d = apart.rule(d, vars)
	u := unifier{t.identity(vars)}
	for c, a := range d.head.args {
		if !u.unify(a, r.body[i].atom.args[c]) {
			return nil
		}
	}
	to := substitution{terms: t}
	for _, a := range u.to {
		to.to = append(to.to, u.apply(a))
	}
	joined := *r
	joined.body = slices.Concat(r.body[:i], d.body, r.body[i+1:])
	return to.rule(&joined, vars)
}

// unifier is a triangular substitution: terms bound to variables may contain bound variables. A free variable is
// bound to itself.
type unifier struct{ substitution }

// walk follows the bindings of a variable to a term or a free variable.
func (u unifier) walk(a arg) arg {
	for a.kind == variable && (u.to[a.id].kind != variable || u.to[a.id].id != a.id) {
		a = u.to[a.id]
	}
	return a
}

// unify unifies a and b, and reports whether they unify (Robinson 1965).
func (u unifier) unify(a, b arg) bool {
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
	f, as := u.terms.open(a)
	g, bs := u.terms.open(b)
	if f < 0 || f != g {
		return false
	}
	for i := range as {
		if !u.unify(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// bind lets v stand for a, unless a contains v.
func (u unifier) bind(v int32, a arg) bool {
	if slices.Contains(u.apply(a).appendVars(nil), v) {
		return false
	}
	u.to[v] = a
	return true
}

// apply replaces all variables of a by their bindings.
func (u unifier) apply(a arg) arg {
	a = u.walk(a)
	if a.kind != compound {
		return a
	}
	args := make([]arg, len(a.args))
	for i, sub := range a.args {
		args[i] = u.apply(sub)
	}
	return u.terms.compoundArg(a.id, args)
}

// open returns the functor and arguments of a, which is no variable. The functor of a symbol is negative.
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

// atomOf returns the atom of a relation over variables.
func atomOf(rel *relation, vars []int32) atom {
	a := atom{rel: rel}
	for _, v := range vars {
		a.args = append(a.args, arg{kind: variable, id: v})
	}
	return a
}

// project returns an atom of another relation with a subset of the columns.
func (a atom) project(rel *relation, columns []int32) atom {
	out := atom{rel: rel}
	for _, c := range columns {
		out.args = append(out.args, a.args[c])
	}
	return out
}

// positive returns the positive literal of an atom.
func positive(a atom) literal { return literal{op: gdl.Holds, atom: a} }

package rules

import (
	"slices"

	"stackmate/gdl"
)

// substitution replaces variables by arguments. Compounds that are ground afterwards become
// constants.
type substitution struct {
	terms *TermTable
	To    []Arg // by variable
}

// Identity returns the substitution that leaves the given number of variables unchanged.
func (t *TermTable) Identity(vars int) substitution {
	s := substitution{terms: t, To: make([]Arg, vars)}
	for v := range s.To {
		s.To[v] = Arg{Kind: Variable, Id: int32(v)}
	}
	return s
}

func (s substitution) arg(a Arg) Arg {
	switch a.Kind {
	case Variable:
		return s.To[a.Id]
	case Compound:
		return s.terms.compoundArg(a.Id, s.args(a.Args))
	}
	return a
}

func (s substitution) args(args []Arg) []Arg {
	out := make([]Arg, len(args))
	for i, a := range args {
		out[i] = s.arg(a)
	}
	return out
}

func (s substitution) literal(l Literal) Literal {
	l.Atom.Args, l.Left, l.Right = s.args(l.Atom.Args), s.arg(l.Left), s.arg(l.Right)
	return l
}

func (s substitution) body(body []Literal) []Literal {
	var out []Literal
	for _, l := range body {
		out = append(out, s.literal(l))
	}
	return out
}

// rule returns r after the substitution, with the given number of variables.
func (s substitution) rule(r *Rule, vars int) *Rule {
	out := *r
	out.Head.Args, out.Body, out.Vars = s.args(r.Head.Args), s.body(r.Body), vars
	return &out
}

// compoundArg returns a function term: a constant if it is ground.
func (t *TermTable) compoundArg(functor int32, args []Arg) Arg {
	ground := make([]Term, len(args))
	for i, a := range args {
		if a.Kind != Constant {
			return Arg{Kind: Compound, Id: functor, Args: args}
		}
		ground[i] = a.Id
	}
	return Arg{Kind: Constant, Id: t.Compound(functor, ground)}
}

// number returns the substitution that numbers the given variables in this order from 0.
func (t *TermTable) number(order []int32) substitution {
	size := int32(0)
	for _, v := range order {
		size = max(size, v+1)
	}
	s := substitution{terms: t, To: make([]Arg, size)}
	for i, v := range order {
		s.To[v] = Arg{Kind: Variable, Id: int32(i)}
	}
	return s
}

// Compact numbers the variables of r anew, without gaps.
func (t *TermTable) Compact(r *Rule) *Rule {
	order := r.Variables()
	return t.number(order).rule(r, len(order))
}

// Canonical is a list of literals with their variables numbered in order of occurrence. Lists that differ only in
// the numbers of variables have the same canonical list.
type Canonical struct {
	Body []Literal
	Vars []int32 // by number: the variable of the original
	substitution
}

// Canonical returns the canonical form of a body.
func (t *TermTable) Canonical(body []Literal) Canonical {
	var order []int32
	for _, v := range AppendBodyVars(nil, body) {
		if !slices.Contains(order, v) {
			order = append(order, v)
		}
	}
	s := t.number(order)
	return Canonical{Body: s.body(body), Vars: order, substitution: s}
}

// Numbers returns the canonical numbers of variables, ascending.
func (c *Canonical) Numbers(vars []int32) []int32 {
	var list []int32
	for i, v := range c.Vars {
		if slices.Contains(vars, v) {
			list = append(list, int32(i))
		}
	}
	return list
}

// Key returns a comparable form of the literals and of additional numbers.
func (c *Canonical) Key(numbers []int32) string {
	var b []byte
	for i := range c.Body {
		b = c.Body[i].AppendKey(b)
	}
	return string(b) + Packed(numbers)
}

// AppendKey appends a comparable form of l.
func (l *Literal) AppendKey(b []byte) []byte {
	flags := byte(l.Op) << 1
	if l.Implied {
		flags |= 1
	}
	b = append(b, flags)
	if l.Atom.Rel != nil {
		key := l.Atom.Rel.key()
		b = append(b, Packed([]int32{int32(len(key.name)), int32(len(key.shapes)), key.auxiliary})+key.name+key.shapes...)
	}
	for _, a := range l.Atom.Args {
		b = a.appendKey(b)
	}
	return l.Right.appendKey(l.Left.appendKey(b))
}

func (a Arg) appendKey(b []byte) []byte {
	b = append(append(b, byte(a.Kind)), Packed([]int32{a.Id, int32(len(a.Args))})...)
	for _, sub := range a.Args {
		b = sub.appendKey(b)
	}
	return b
}

// Resolve returns r with literal i replaced by the body of d, or nil if d's head does not unify with the literal:
//
//	r  h(X) ← a(X,Y) ∧ p(Y)     d  p(f(W)) ← c(W)     resolved  h(X) ← a(X,f(W)) ∧ c(W)
func (t *TermTable) Resolve(r *Rule, i int, d *Rule) *Rule {
	vars := r.Vars + d.Vars
	apart := substitution{t, t.Identity(vars).To[r.Vars:]}
	d = apart.rule(d, vars)
	u := unifier{t.Identity(vars)}
	for c, a := range d.Head.Args {
		if !u.unify(a, r.Body[i].Atom.Args[c]) {
			return nil
		}
	}
	to := substitution{terms: t}
	for _, a := range u.To {
		to.To = append(to.To, u.apply(a))
	}
	joined := *r
	joined.Body = slices.Concat(r.Body[:i], d.Body, r.Body[i+1:])
	return to.rule(&joined, vars)
}

// unifier is a triangular substitution: terms bound to variables may contain bound variables. A free variable is
// bound to itself.
type unifier struct{ substitution }

// walk follows the bindings of a variable to a term or a free variable.
func (u unifier) walk(a Arg) Arg {
	for a.Kind == Variable && (u.To[a.Id].Kind != Variable || u.To[a.Id].Id != a.Id) {
		a = u.To[a.Id]
	}
	return a
}

// unify unifies a and b, and reports whether they unify (Robinson 1965).
func (u unifier) unify(a, b Arg) bool {
	a, b = u.walk(a), u.walk(b)
	switch {
	case a.Kind == Variable && b.Kind == Variable && a.Id == b.Id:
		return true
	case a.Kind == Variable:
		return u.bind(a.Id, b)
	case b.Kind == Variable:
		return u.bind(b.Id, a)
	case a.Kind == Constant && b.Kind == Constant:
		return a.Id == b.Id
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
func (u unifier) bind(v int32, a Arg) bool {
	if slices.Contains(u.apply(a).appendVars(nil), v) {
		return false
	}
	u.To[v] = a
	return true
}

// apply replaces all variables of a by their bindings.
func (u unifier) apply(a Arg) Arg {
	a = u.walk(a)
	if a.Kind != Compound {
		return a
	}
	args := make([]Arg, len(a.Args))
	for i, sub := range a.Args {
		args[i] = u.apply(sub)
	}
	return u.terms.compoundArg(a.Id, args)
}

// open returns the functor and arguments of a, which is no variable. The functor of a symbol is negative.
func (t *TermTable) open(a Arg) (int32, []Arg) {
	if a.Kind == Compound {
		return a.Id, a.Args
	}
	var args []Arg
	for _, id := range t.ArgsOf(a.Id) {
		args = append(args, Arg{Kind: Constant, Id: id})
	}
	return t.FunctorOf(a.Id), args
}

// AtomOf returns the atom of a relation over variables.
func AtomOf(rel *Relation, vars []int32) Atom {
	a := Atom{Rel: rel}
	for _, v := range vars {
		a.Args = append(a.Args, Arg{Kind: Variable, Id: v})
	}
	return a
}

// Project returns an atom of another relation with a subset of the columns.
func (a Atom) Project(rel *Relation, columns []int32) Atom {
	out := Atom{Rel: rel}
	for _, c := range columns {
		out.Args = append(out.Args, a.Args[c])
	}
	return out
}

// Positive returns the positive literal of an atom.
func Positive(a Atom) Literal { return Literal{Op: gdl.Holds, Atom: a} }

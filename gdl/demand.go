package gdl

import (
	"slices"
	"strings"
)

// demand rewrites rules that do not bind all variables of their heads. Such relations are open: they are evaluated
// for the arguments bound by their callers. The rewriting is the magic-set transformation (Beeri and Ramakrishnan,
// "On the power of magic", 1991), restricted to these relations.
//
//	(<= (free ?x) (not (true (taken ?x))))         (<= (legal p (take ?y)) (place ?y) (free ?y))
//	→ (<= (free/b ?x) (free/b/asked ?x) (not (true (taken ?x))))
//	  (<= (free/b/asked ?y) (place ?y))            (<= (legal p (take ?y)) (place ?y) (free/b ?y))
type demand struct {
	*program
	original []Rule
	byHead   map[relation][]Rule
	open     map[relation]bool
	modes    map[mode]bool      // the modes in use; whether all answers are ground
	inMode   map[mode]auxiliary // the auxiliary relations of these modes
	todo     []mode             // modes without rules yet
	changed  bool

	rewritten map[string]int // the names of auxiliary relations: 1 for questions, 2 for answers
	work      int            // literals examined so far
}

// maxDemandWork limits the literals examined by the rewriting. Known rulesheets need some thousands.
const maxDemandWork = 1 << 22

// mode is a relation with its bound arguments (an adornment).
type mode struct {
	relation relation
	bound    string // for each argument b, or f for free
}

// auxiliary holds the names of the relations of a mode: the answers, and the questions for bound arguments.
type auxiliary struct{ answers, questions string }

// evaluateOnDemand rewrites the program without open relations. It returns false if a condition on an open relation,
// read from left to right, binds too few arguments: its answers would have variables.
func (p *program) evaluateOnDemand() bool {
	d := demand{
		program: p, byHead: make(map[relation][]Rule), open: make(map[relation]bool),
		modes: make(map[mode]bool), inMode: make(map[mode]auxiliary), rewritten: make(map[string]int),
	}
	for _, r := range p.rules {
		r = askedByRole(r)
		if isHint(r.Head) && !d.binds(r, mode{}) {
			continue // managers do not query it
		}
		d.original = append(d.original, r)
		d.byHead[r.Head.relation()] = append(d.byHead[r.Head.relation()], r)
	}
	if !d.findOpen() {
		return false
	}
	p.rules = nil
	for _, r := range d.original {
		if !d.open[r.Head.relation()] {
			d.rewrite(r, mode{})
		}
	}
	for len(d.todo) > 0 && d.work < maxDemandWork {
		m := d.todo[0]
		d.todo = d.todo[1:]
		for _, r := range d.byHead[m.relation] {
			d.rewrite(r, m)
		}
	}
	return d.work < maxDemandWork
}

// isHint reports whether a head is of base or input, which managers do not query.
func isHint(head Term) bool { return head.Name == "base" || head.Name == "input" }

// askedByRole returns a rule for `legal` or `goal` with a condition that binds its role, unless it has one.
func askedByRole(r Rule) Rule {
	if r.Head.Name != "legal" && r.Head.Name != "goal" || r.Head.Args[0].Kind != Variable {
		return r
	}
	role := r.Head.Args[0]
	for _, l := range r.Body {
		if l.Op == Holds && l.Atom.holds(role.Name) {
			return r
		}
	}
	isRole := Literal{Atom: Term{Kind: Compound, Name: "role", Args: []Term{role}, Pos: role.Pos}, Pos: role.Pos}
	r.Body = append([]Literal{isRole}, r.Body...)
	return r
}

// findOpen computes the open relations and their modes as a fixpoint.
func (d *demand) findOpen() bool {
	for d.changed = true; d.changed; {
		d.changed = false
		if d.work > maxDemandWork {
			return false
		}
		for _, r := range d.original {
			head := r.Head.relation()
			if d.open[head] || d.binds(r, mode{}) {
				continue
			}
			if _, fixed := keyword(head.name); fixed && !isHint(r.Head) {
				return false
			}
			d.open[head], d.changed = true, true
		}
		for m, valid := range d.modes {
			if valid && slices.ContainsFunc(d.byHead[m.relation], func(r Rule) bool { return !d.binds(r, m) }) {
				d.modes[m], d.changed = false, true
			}
		}
	}
	return true
}

// binds reports whether a rule in a mode binds all variables of its head.
func (d *demand) binds(r Rule, m mode) bool {
	bound := m.variables(r.Head)
	d.work += 1 + len(r.Body)
	for _, l := range r.Body {
		d.watch.Step()
		if l.Op != Holds {
			continue
		}
		if !d.isGround(l.Atom, bound) {
			return false
		}
		bound.bind(l.Atom)
	}
	for _, l := range r.Body {
		if l.Op == Equal && !(bound.has(l.Left) && bound.has(l.Right)) || l.Op == Not && !d.isGround(l.Atom, bound) {
			return false
		}
	}
	return bound.has(r.Head)
}

// isGround reports whether the answers to an atom are ground, and adds its mode.
func (d *demand) isGround(atom Term, bound variables) bool {
	if !d.open[atom.relation()] {
		return true
	}
	m := bound.mode(atom)
	if _, known := d.modes[m]; !known {
		d.modes[m], d.changed = true, true
	}
	return d.modes[m]
}

// variables is a set of bound variables.
type variables set

func (b variables) bind(t Term) {
	for _, v := range t.variables(nil) {
		b[v.Name] = true
	}
}

// has reports whether all variables of t are bound.
func (b variables) has(t Term) bool {
	return !slices.ContainsFunc(t.variables(nil), func(v Term) bool { return !b[v.Name] })
}

// mode returns the mode of an atom.
func (b variables) mode(atom Term) mode {
	var bound strings.Builder
	for _, a := range atom.Args {
		if b.has(a) {
			bound.WriteByte('b')
		} else {
			bound.WriteByte('f')
		}
	}
	return mode{atom.relation(), bound.String()}
}

// variables returns the variables that the mode binds in the head of a rule.
func (m mode) variables(head Term) variables {
	out := make(variables)
	for _, a := range m.arguments(head) {
		out.bind(a)
	}
	return out
}

// arguments returns the bound arguments of an atom.
func (m mode) arguments(atom Term) (out []Term) {
	for i, c := range m.bound {
		if c == 'b' {
			out = append(out, atom.Args[i])
		}
	}
	return out
}

// rewrite adds a rule in a mode.
func (d *demand) rewrite(r Rule, m mode) {
	d.watch.Step()
	bound := m.variables(r.Head)
	var body []Literal
	if m != (mode{}) {
		r.Head.Name = d.auxiliary(m).answers
		if len(m.arguments(r.Head)) > 0 {
			body = append(body, Literal{Atom: d.asked(m, r.Head), Pos: r.Pos})
		}
	}
	for _, l := range r.Body {
		if l.Op == Holds {
			l.Atom = d.call(l.Atom, bound, body)
			bound.bind(l.Atom)
			body = append(body, l)
		}
	}
	binders := body
	for _, l := range r.Body {
		switch {
		case l.Op == Not:
			l.Atom = d.none(d.call(l.Atom, bound, binders), bound)
		case l.Op == Distinct && !(bound.has(l.Left) && bound.has(l.Right)):
			if l.Left.Equal(l.Right) {
				return
			}
			continue // a free variable is another term
		}
		if l.Op != Holds {
			body = append(body, l)
		}
	}
	d.rules = append(d.rules, Rule{Head: r.Head, Body: body, Pos: r.Pos})
}

// call returns an atom in its mode. If its relation is open, it adds a rule that asks for the arguments where the
// binders hold.
func (d *demand) call(atom Term, bound variables, binders []Literal) Term {
	if !d.open[atom.relation()] {
		return atom
	}
	m := bound.mode(atom)
	d.work += len(binders)
	if args := m.arguments(atom); len(args) > 0 && d.work < maxDemandWork {
		asked := d.asked(m, atom)
		body := d.needed(asked.variables(nil), binders)
		if len(body) != 1 || !body[0].Atom.Equal(asked) {
			d.rules = append(d.rules, Rule{Head: asked, Body: body, Pos: atom.Pos})
		}
	}
	atom.Name = d.auxiliary(m).answers
	return atom
}

// needed returns binders that bind the wanted variables. It prefers relations that are not rewritten, then questions,
// then answers, to avoid unnecessary cycles.
func (d *demand) needed(wanted []Term, binders []Literal) (out []Literal) {
	binders = slices.Clone(binders)
	slices.SortStableFunc(binders, func(a, b Literal) int { return d.rewritten[a.Atom.Name] - d.rewritten[b.Atom.Name] })
	known := make(variables)
	for _, v := range wanted {
		if known[v.Name] {
			continue
		}
		i := slices.IndexFunc(binders, func(l Literal) bool { return l.Atom.holds(v.Name) })
		known.bind(binders[i].Atom)
		out = append(out, binders[i])
	}
	return out
}

// holds reports whether a variable occurs in t.
func (t Term) holds(variable string) bool {
	return slices.ContainsFunc(t.variables(nil), func(u Term) bool { return u.Name == variable })
}

// none returns an atom that holds if some instance of atom does.
func (d *demand) none(atom Term, bound variables) Term {
	if bound.has(atom) {
		return atom
	}
	some := Term{Name: d.names.fresh("some/" + atom.Name), Pos: atom.Pos}
	seen := make(variables)
	for _, v := range atom.variables(nil) {
		if bound[v.Name] && !seen[v.Name] {
			seen[v.Name] = true
			some.Kind, some.Args = Compound, append(some.Args, v)
		}
	}
	d.rules = append(d.rules, Rule{Head: some, Body: []Literal{{Atom: atom, Pos: atom.Pos}}, Pos: atom.Pos})
	return some
}

// auxiliary returns the auxiliary relations of a mode.
func (d *demand) auxiliary(m mode) auxiliary {
	a, ok := d.inMode[m]
	if !ok {
		a.answers = d.names.fresh(m.relation.name + "/" + m.bound)
		a.questions = d.names.fresh(a.answers + "/asked")
		d.inMode[m] = a
		d.rewritten[a.questions], d.rewritten[a.answers] = 1, 2
		d.todo = append(d.todo, m)
	}
	return a
}

// asked returns the question for the bound arguments of an atom in a mode.
func (d *demand) asked(m mode, atom Term) Term {
	return Term{Kind: Compound, Name: d.auxiliary(m).questions, Args: m.arguments(atom), Pos: atom.Pos}
}

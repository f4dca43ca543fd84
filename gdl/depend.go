package gdl

import (
	"encoding/binary"
	"fmt"
)

// dependencies checks forbidden dependencies, stratification, and recursion.
func (c *checker) dependencies() {
	c.stratified = stratify(c.watch, c.sound)
	g := newGraph(c.watch, c.stratified)
	onState, onMoves := g.dependents(relation{"true", 1}), g.dependents(relation{"does", 2})
	for _, cl := range c.stratified {
		c.watch.Step()
		switch cl.Head.Name {
		case "init", "base", "input":
			c.independent(cl, g, "E024", relation{"true", 1}, onState)
			c.independent(cl, g, "E024", relation{"does", 2}, onMoves)
		case "legal", "goal", "terminal":
			c.independent(cl, g, "E025", relation{"does", 2}, onMoves)
		}
		for _, atom := range cl.unstratified(g) {
			c.findings.explain("E026", atom.Pos, atom.excerpt(), func() string {
				return fmt.Sprintf("expected a negated relation that does not depend on `%s`, found the cycle %s → not %s",
					cl.Head.Name, cl.Head.Name, g.path(atom.relation(), cl.Head.relation()))
			})
		}
		c.recursion(cl, g)
	}
	c.separated()
}

// independent reports conditions of cl that depend on a relation; dependents marks the relations that do.
func (c *checker) independent(cl *Clause, g *graph, code string, on relation, dependents []bool) {
	for _, f := range cl.Body {
		f.atoms(false, func(atom Term, _ bool) {
			if dependents[g.id(atom)] {
				c.findings.explain(code, atom.Pos, atom.excerpt(), func() string {
					return fmt.Sprintf("`%s` must not depend on `%s`, found %s → %s",
						cl.Head.Name, on.name, cl.Head.Name, g.path(atom.relation(), on))
				})
			}
		})
	}
}

// separated warns of cycles through negation that stratify could remove.
func (c *checker) separated() {
	for _, f := range c.findings.list {
		if f.Code == "E026" {
			return
		}
	}
	written := newGraph(c.watch, c.sound)
	for _, cl := range c.sound {
		c.watch.Step()
		for _, atom := range cl.unstratified(written) {
			c.findings.explain("W019", atom.Pos, atom.excerpt(), func() string {
				return fmt.Sprintf("`%s` depends on its own negation by name: %s → not %s; the arguments tell the parts apart",
					cl.Head.Name, cl.Head.Name, written.path(atom.relation(), cl.Head.relation()))
			})
		}
	}
}

// recursion checks the recursion restriction (Love et al., "General Game Playing: Game Description Language
// Specification", 2008). Each argument of a positive condition in a cycle with the head must be ground, an argument
// of the head, or an argument of a positive condition outside the cycle. An argument inside a function term outside
// the cycle, such as of a fluent, is finite too: it is only a warning.
func (c *checker) recursion(cl *Clause, g *graph) {
	if !g.cyclic[g.id(cl.Head)] {
		return
	}
	r := recursion{checker: c, clause: cl, graph: g, numbers: make(numbers)}
	known := allowed{&scope[int]{names: make(map[int]bool)}, &scope[int]{names: make(map[int]bool)}}
	for _, a := range cl.Head.Args {
		n := r.numbers.of(a)
		known.literal.names[n], known.nested.names[n] = true, true
	}
	r.conjunction(cl.Body, known)
}

// recursion is the check of one clause in a cycle.
type recursion struct {
	*checker
	clause  *Clause
	graph   *graph
	numbers numbers
}

// allowed holds the terms permitted as arguments of recursive conditions: arguments, and arguments with their
// subterms.
type allowed struct{ literal, nested *scope[int] }

// numbers assigns equal terms equal numbers.
type numbers map[string]int

// of returns the number of t, and calls inside, if given, with the number of each subterm.
func (n numbers) of(t Term, inside ...func(int)) int {
	key := append([]byte{byte(t.Kind)}, t.Name...)
	for _, a := range t.Args {
		key = binary.AppendUvarint(append(key, 0), uint64(n.of(a, inside...)))
	}
	number, ok := n[string(key)]
	if !ok {
		number = len(n)
		n[string(key)] = number
	}
	for _, visit := range inside {
		visit(number)
	}
	return number
}

// conjunction checks the conditions of a conjunction.
func (r *recursion) conjunction(conj []Formula, outer allowed) {
	known := allowed{
		&scope[int]{outer: outer.literal, names: make(map[int]bool)},
		&scope[int]{outer: outer.nested, names: make(map[int]bool)},
	}
	for _, f := range conj {
		known.literal.add(guarantees(f, r.arguments))
		known.nested.add(guarantees(f, r.subterms))
	}
	for _, f := range conj {
		switch f.Connective {
		case Atomic:
			if r.graph.inCycle(r.clause.Head, f.Atom) {
				r.atom(f.Atom, known)
			}
		case Disjunction:
			for _, branch := range f.Subs {
				r.conjunction([]Formula{branch}, known)
			}
		case Conjunction:
			r.conjunction(f.Subs, known)
		}
	}
}

// arguments passes the arguments of an atom outside the cycle to out.
func (r *recursion) arguments(atom Term, out map[int]bool) {
	r.watch.Step()
	if !r.graph.inCycle(r.clause.Head, atom) {
		for _, a := range atom.Args {
			out[r.numbers.of(a)] = true
		}
	}
}

// subterms passes all subterms of an atom outside the cycle to out.
func (r *recursion) subterms(atom Term, out map[int]bool) {
	r.watch.Step()
	if !r.graph.inCycle(r.clause.Head, atom) {
		for _, a := range atom.Args {
			r.numbers.of(a, func(n int) { out[n] = true })
		}
	}
}

// atom checks the arguments of a recursive condition.
func (r *recursion) atom(atom Term, known allowed) {
	for _, a := range atom.Args {
		r.watch.Step()
		n := r.numbers.of(a)
		if known.literal.has(n) || len(a.variables(nil)) == 0 {
			continue
		}
		code, found := "E027", "in the recursive one only"
		if known.nested.has(n) {
			code, found = "W020", "inside a function term"
		}
		r.findings.explain(code, a.Pos, a.excerpt(), func() string {
			return fmt.Sprintf("expected %s as an argument of a condition outside the cycle %s → %s, found it %s",
				a.excerpt(), r.clause.Head.Name, r.graph.path(atom.relation(), r.clause.Head.relation()), found)
		})
	}
}

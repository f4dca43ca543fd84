package gdl

import (
	"fmt"
	"maps"
)

// dependencies checks what rules may depend on, stratification, and recursion.
func (c *checker) dependencies() {
	c.stratified = stratify(c.sound)
	g := newGraph(c.stratified)
	onState, onMoves := g.dependents(relation{"true", 1}), g.dependents(relation{"does", 2})
	for _, cl := range c.stratified {
		switch cl.head.Name {
		case "init", "base", "input":
			c.independent(cl, g, "E024", relation{"true", 1}, onState)
			c.independent(cl, g, "E024", relation{"does", 2}, onMoves)
		case "legal", "goal", "terminal":
			c.independent(cl, g, "E025", relation{"does", 2}, onMoves)
		}
		for _, atom := range cl.unstratified(g) {
			c.found.add("E026", atom.Pos, atom.String(), fmt.Sprintf(
				"expected a negated relation that does not depend on `%s`, found the cycle %s → not %s",
				cl.head.Name, cl.head.Name, g.path(atom.relation(), cl.head.relation())))
		}
		c.recursion(cl, g)
	}
	c.separated()
}

// independent asks that no condition of cl depends on a relation; dependents
// tells which do.
func (c *checker) independent(cl *clause, g *graph, code string, on relation, dependents []bool) {
	for _, f := range cl.body {
		f.atoms(false, func(atom Term, _ bool) {
			if dependents[g.id(atom)] {
				c.found.add(code, atom.Pos, atom.String(), fmt.Sprintf("`%s` must not depend on `%s`, found %s → %s",
					cl.head.Name, on.name, cl.head.Name, g.path(atom.relation(), on)))
			}
		})
	}
}

// separated warns of cycles through negation that stratify could remove.
func (c *checker) separated() {
	for _, f := range c.found {
		if f.Code == "E026" {
			return
		}
	}
	written := newGraph(c.sound)
	for _, cl := range c.sound {
		for _, atom := range cl.unstratified(written) {
			c.found.add("W019", atom.Pos, atom.String(), fmt.Sprintf(
				"`%s` depends on its own negation by name: %s → not %s; the arguments tell the parts apart",
				cl.head.Name, cl.head.Name, written.path(atom.relation(), cl.head.relation())))
		}
	}
}

// recursion asks that each argument of a positive condition in a cycle with the
// head is ground, an argument of the head, or an argument of a positive condition
// outside the cycle (Love et al., "General Game Playing: Game Description Language
// Specification", 2008, recursion restriction). An argument that occurs outside
// the cycle inside a function term, as of a fluent, is as finite and only warned
// of.
func (c *checker) recursion(cl *clause, g *graph) {
	if !g.cyclic[g.id(cl.head)] {
		return
	}
	r := recursion{checker: c, clause: cl, graph: g}
	literal, nested := make(set), make(set)
	for _, a := range cl.head.Args {
		literal[a.String()] = true
		nested[a.String()] = true
	}
	r.conjunction(cl.body, literal, nested)
}

// recursion is the check of one clause in a cycle.
type recursion struct {
	*checker
	clause *clause
	graph  *graph
}

// conjunction checks conditions that hold together. Literal are the arguments,
// nested those and the terms inside arguments, that the context allows.
func (r *recursion) conjunction(conj []formula, literal, nested set) {
	literal, nested = maps.Clone(literal), maps.Clone(nested)
	for _, f := range conj {
		literal.add(f.guarantees(r.arguments))
		nested.add(f.guarantees(r.subterms))
	}
	for _, f := range conj {
		switch f.connective {
		case atomic:
			if r.graph.inCycle(r.clause.head, f.atom) {
				r.atom(f.atom, literal, nested)
			}
		case anyOf:
			for _, branch := range f.subs {
				r.conjunction([]formula{branch}, literal, nested)
			}
		case allOf:
			r.conjunction(f.subs, literal, nested)
		}
	}
}

// arguments offers the arguments of an atom outside the cycle.
func (r *recursion) arguments(atom Term, out set) {
	if !r.graph.inCycle(r.clause.head, atom) {
		for _, a := range atom.Args {
			out[a.String()] = true
		}
	}
}

// subterms offers all terms inside an atom outside the cycle.
func (r *recursion) subterms(atom Term, out set) {
	if !r.graph.inCycle(r.clause.head, atom) {
		for _, a := range atom.Args {
			a.walk(func(t Term) { out[t.String()] = true })
		}
	}
}

// atom checks the arguments of a recursive condition.
func (r *recursion) atom(atom Term, literal, nested set) {
	for _, a := range atom.Args {
		text := a.String()
		if literal[text] || len(a.variables(nil)) == 0 {
			continue
		}
		code, found := "E027", "in the recursive one only"
		if nested[text] {
			code, found = "W020", "inside a function term"
		}
		r.found.add(code, a.Pos, text, fmt.Sprintf(
			"expected %s as an argument of a condition outside the cycle %s → %s, found it %s",
			text, r.clause.head.Name, r.graph.path(atom.relation(), r.clause.head.relation()), found))
	}
}

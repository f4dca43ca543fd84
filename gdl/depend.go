package gdl

import "fmt"

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
// Specification", 2008, recursion restriction).
func (c *checker) recursion(cl *clause, g *graph) {
	if !g.cyclic[g.id(cl.head)] {
		return
	}
	offer := func(atom Term, out set) {
		if !g.inCycle(cl.head, atom) {
			for _, a := range atom.Args {
				out[a.String()] = true
			}
		}
	}
	finite := make(set)
	for _, a := range cl.head.Args {
		finite[a.String()] = true
	}
	c.recursive(cl, cl.body, finite, offer, g)
}

// recursive checks a conjunction; finite holds the arguments that the context
// allows.
func (c *checker) recursive(cl *clause, conj []formula, finite set, offer func(Term, set), g *graph) {
	allowed := make(set)
	allowed.add(finite)
	for _, f := range conj {
		allowed.add(f.guarantees(offer))
	}
	for _, f := range conj {
		switch f.connective {
		case atomic:
			if !g.inCycle(cl.head, f.atom) {
				continue
			}
			for _, a := range f.atom.Args {
				if len(a.variables(nil)) > 0 && !allowed[a.String()] {
					c.found.add("E027", a.Pos, a.String(), fmt.Sprintf(
						"expected %s in a condition outside the cycle %s → %s, found it in the recursive one only",
						a, cl.head.Name, g.path(f.atom.relation(), cl.head.relation())))
				}
			}
		case anyOf:
			for _, branch := range f.subs {
				c.recursive(cl, []formula{branch}, allowed, offer, g)
			}
		case allOf:
			c.recursive(cl, f.subs, allowed, offer, g)
		}
	}
}

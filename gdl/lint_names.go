package gdl

import (
	"fmt"
	"slices"
)

// names warns of relations and functions whose names vary in arity or clash, and of unused relations.
func (c *checker) names() {
	relations, functions := make(arities), make(arities)
	clash, defined := make(set), make(set)
	for _, cl := range c.clauses {
		defined[cl.Head.Name] = true
	}
	term := func(t Term) {
		t.walk(func(u Term) {
			c.watch.Step()
			if u.Kind != Compound {
				return
			}
			c.arity("function", functions, u)
			if defined[u.Name] && relations.uses(u.Name) && !clash[u.Name] {
				clash[u.Name] = true
				c.findings.add("W002", u.Pos, u.excerpt(), "the function "+u.Name+" has the name of a relation")
			}
		})
	}
	c.each(func(atom Term) {
		if _, ok := keyword(atom.Name); !ok {
			c.arity("relation", relations, atom)
		}
	}, func(Term) {})
	c.each(func(atom Term) {
		for _, a := range atom.Args {
			term(a)
		}
	}, term)
	c.use(defined)
}

// arities are the numbers of arguments by name, in order.
type arities map[string][]int

func (a arities) uses(name string) bool { return len(a[name]) > 0 }

// arity warns of a name with another number of arguments than before.
func (c *checker) arity(what string, known arities, t Term) {
	before := known[t.Name]
	if slices.Contains(before, len(t.Args)) {
		return
	}
	if len(before) > 0 {
		c.findings.add("W001", t.Pos, t.excerpt(), fmt.Sprintf("the %s %s has %s elsewhere, found %d",
			what, t.Name, plural(before[0], "argument"), len(t.Args)))
	}
	known[t.Name] = append(known[t.Name], len(t.Args))
}

// undefined warns of a condition on a relation without a rule.
func (c *checker) undefined(atom Term) {
	r := atom.relation()
	message := "expected a rule for " + clip(r.name) + ", found none"
	if _, isFluent := c.fluentShapes.first[r]; isFluent {
		c.findings.add("W024", atom.Pos, atom.excerpt(), message+": "+clip(r.name)+" is a fluent; write (true "+atom.excerpt()+")")
	} else if _, isMove := c.moveShapes.first[r]; isMove {
		c.findings.add("W024", atom.Pos, atom.excerpt(), message+": "+clip(r.name)+" is a move; write (does role "+atom.excerpt()+")")
	} else if advice := foreignOperators[r.name]; advice != "" {
		c.findings.add("W026", atom.Pos, atom.excerpt(), message+": "+advice)
	} else {
		c.findings.add("W004", atom.Pos, atom.excerpt(), message)
	}
}

// use warns of relations without a rule and of relations without a use.
func (c *checker) use(defined set) {
	asked := make(map[relation]bool)
	for _, cl := range append(c.leftOut, c.sound...) {
		for _, f := range cl.Body {
			f.atoms(false, func(atom Term, _ bool) {
				c.watch.Step()
				r := atom.relation()
				if _, ok := keyword(r.name); !ok && !asked[r] && !defined[r.name] {
					c.undefined(atom)
				}
				asked[r] = true
			})
		}
	}
	for _, cl := range c.sound {
		c.watch.Step()
		r := cl.Head.relation()
		if _, ok := keyword(r.name); !ok && !asked[r] {
			asked[r] = true
			c.findings.add("W005", cl.Head.Pos, cl.Head.excerpt(), "expected a condition that uses "+r.name+", found none")
		}
	}
}

// connectives warns of spellings that GDL lacks, and of redundant connectives.
func (c *checker) connectives() {
	for _, cl := range c.sound {
		for _, f := range cl.Body {
			c.connective(f, Conjunction)
		}
	}
}

// connective checks f, an operand of the given connective.
func (c *checker) connective(f Formula, inside Connective) {
	switch f.Connective {
	case Disjunction:
		switch {
		case inside == Negation:
			c.findings.add("W011", f.Pos, "(or …)", "expected an atom or `distinct` inside `not`, found an `or`")
		case inside == Disjunction:
			c.findings.add("W006", f.Pos, "(or …)", "expected a condition inside `or`, found another `or`")
		}
		if len(f.Subs) < 2 {
			c.findings.add("W006", f.Pos, "(or …)", "expected at least two conditions in `or`, found "+fmt.Sprint(len(f.Subs)))
		}
	case Conjunction:
		if c.infix {
			break
		}
		c.findings.add("W012", f.Pos, "(and …)", "expected a condition, found `and`")
	}
	for _, g := range f.Subs {
		c.connective(g, f.Connective)
	}
}

package gdl

import (
	"maps"
	"strings"
)

// safety reports variables of the head and of tests that no positive condition binds.
func (c *checker) safety(cl *Clause) {
	if len(cl.Body) == 0 {
		return
	}
	bound := &scope[string]{names: make(set)}
	for _, f := range cl.Body {
		bound.add(f.binds())
	}
	for _, v := range cl.Head.variables(nil) {
		c.watch.Step()
		if !bound.has(v.Name) {
			c.unsafe(v, "the head")
		}
	}
	for _, f := range cl.Body {
		c.tests(f, bound)
	}
}

func (c *checker) unsafe(v Term, where string) {
	if v.Name == "?" {
		return // reported as a variable without a name
	}
	advice := ""
	if c.infix && strings.ContainsAny(v.Name, "+-*/") {
		advice = ": " + noArithmetic
	}
	c.findings.add("E019", v.Pos, v.Name, "expected a positive condition that binds "+v.Name+" of "+where+", found none"+advice)
}

// tests reports variables of the tests in f that neither bound nor their branches bind.
func (c *checker) tests(f Formula, bound *scope[string]) {
	where := "`distinct`"
	switch f.Connective {
	case Atomic:
		return
	case Negation:
		where = "`not`"
	case Disjunction:
		for _, g := range f.Subs {
			c.tests(g, &scope[string]{outer: bound, names: g.binds()})
		}
		return
	case Conjunction:
		for _, g := range f.Subs {
			c.tests(g, bound)
		}
		return
	}
	for _, v := range f.variables(nil) {
		c.watch.Step()
		if !bound.has(v.Name) {
			c.unsafe(v, where)
		}
	}
}

// set is a set of names.
type set = map[string]bool

// scope is a set of names at a position in a rule, with the enclosing scopes.
type scope[K comparable] struct {
	outer *scope[K]
	names map[K]bool
}

func (s *scope[K]) add(names map[K]bool) { maps.Copy(s.names, names) }

func (s *scope[K]) has(name K) bool {
	for ; s != nil; s = s.outer {
		if s.names[name] {
			return true
		}
	}
	return false
}

// binds returns the variables that f binds whenever it holds.
func (f Formula) binds() set {
	return guarantees(f, func(atom Term, out set) {
		for _, v := range atom.variables(nil) {
			out[v.Name] = true
		}
	})
}

// guarantees collects offers of the positive atoms of f that hold in all branches: the union over conjunctions and
// the intersection over disjunctions.
func guarantees[K comparable](f Formula, offer func(atom Term, out map[K]bool)) map[K]bool {
	out := make(map[K]bool)
	switch f.Connective {
	case Atomic:
		offer(f.Atom, out)
	case Conjunction:
		for _, g := range f.Subs {
			maps.Copy(out, guarantees(g, offer))
		}
	case Disjunction:
		for i, g := range f.Subs {
			branch := guarantees(g, offer)
			if i == 0 {
				out = branch
			}
			for x := range out {
				if !branch[x] {
					delete(out, x)
				}
			}
		}
	}
	return out
}

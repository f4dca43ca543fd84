package gdl

import (
	"fmt"
	"strconv"
)

// roles warns of roles that are repeated, undeclared, or without rules.
func (c *checker) roles() {
	declared := make(set)
	rules := map[string]coverage{"legal": c.coverage("legal"), "goal": c.coverage("goal")}
	for _, cl := range c.sound {
		if cl.Head.Name != "role" || len(cl.Head.Args) != 1 {
			continue
		}
		c.watch.Step()
		role := cl.Head.Args[0]
		if declared[role.role().String()] {
			c.findings.add("W014", cl.Head.Pos, cl.Head.excerpt(), "the role "+role.excerpt()+" is declared already")
			continue
		}
		declared[role.role().String()] = true
		for _, name := range []string{"legal", "goal"} {
			if !rules[name].has(role) {
				c.findings.add("W015", cl.Head.Pos, cl.Head.excerpt(),
					"expected a rule for `"+name+"` of the role "+role.excerpt()+", found none")
			}
		}
	}
	if len(declared) == 0 {
		return
	}
	c.each(func(atom Term) {
		switch atom.Name {
		case "legal", "does", "goal", "input":
			if r := atom.Args[0]; r.Kind == Symbol && !declared[r.role().Name] {
				c.findings.add("W018", r.Pos, r.Name, "expected a declared role, found "+r.Name)
			}
		}
	}, func(Term) {})
}

// coverage is the set of roles in the heads of a relation.
type coverage struct {
	roles set
	open  bool // a head is valid for any role, or the relation has no rules
}

// coverage collects the first arguments of the heads of a relation. Another check reports missing relations.
func (c *checker) coverage(name string) coverage {
	known := coverage{roles: make(set), open: true}
	for _, cl := range c.clauses {
		switch {
		case cl.Head.Name != name:
		case cl.malformed || cl.Head.Args[0].Kind == Variable:
			return coverage{open: true}
		default:
			known.roles[cl.Head.Args[0].String()], known.open = true, false
		}
	}
	return known
}

func (k coverage) has(role Term) bool { return k.open || k.roles[role.String()] }

// goals reports values that are not goal points, and warns of values that may not be.
func (c *checker) goals() {
	for _, cl := range c.sound {
		if cl.Head.Name != "goal" {
			continue
		}
		value := cl.Head.Args[1]
		if value.Kind == Variable {
			c.findings.add("W009", value.Pos, value.Name, "expected a number from 0 to 100, found the variable "+value.Name)
		} else if !isGoalValue(value) {
			c.findings.add("E028", value.Pos, value.excerpt(), "expected a number from 0 to 100, found "+value.excerpt())
		}
	}
}

// isGoalValue reports whether t is a number from 0 to 100 in decimal digits alone.
func isGoalValue(t Term) bool {
	n, err := strconv.ParseUint(t.Name, 10, 31)
	return t.Kind == Symbol && err == nil && n <= 100
}

// fluents warns of fluents and moves that conditions or base and input mention but no rule defines, and the reverse.
// It compares only functions.
func (c *checker) fluents() {
	fluents, moves := c.fluentShapes, c.moveShapes
	c.asked("true", 0, "a fluent of `init` or `next`", fluents)
	c.asked("does", 1, "a move of `legal`", moves)
	c.announced("base", 0, "`init` or `next`", fluents)
	c.announced("input", 1, "`legal`", moves)
}

// shapes is the set of functions of the arguments of some relations.
type shapes struct {
	first map[relation]Term // by function: the first such argument
	order []relation
	open  bool // an argument is a variable
}

// arguments collects argument i of the heads of relations.
func (c *checker) arguments(i int, names ...string) shapes {
	s := shapes{first: make(map[relation]Term)}
	for _, cl := range c.clauses {
		for _, name := range names {
			if cl.Head.Name != name {
				continue
			}
			if cl.malformed || cl.Head.Args[i].Kind == Variable {
				s.open = true
				continue
			}
			t := cl.Head.Args[i]
			if _, ok := s.first[t.relation()]; !ok {
				s.first[t.relation()] = t
				s.order = append(s.order, t.relation())
			}
		}
	}
	return s
}

// has reports whether the shapes include the function of t.
func (s shapes) has(t Term) bool {
	_, ok := s.first[t.relation()]
	return ok || s.open || t.Kind == Variable
}

// asked warns of conditions on fluents or moves that no rule defines.
func (c *checker) asked(name string, i int, what string, made shapes) {
	warned, defined := make(map[relation]bool), make(map[relation]bool)
	for _, cl := range c.sound {
		defined[cl.Head.relation()] = true
	}
	c.each(func(atom Term) {
		if atom.Name != name {
			return
		}
		if t := atom.Args[i]; !made.has(t) && !warned[t.relation()] {
			warned[t.relation()] = true
			advice := ""
			if defined[t.relation()] {
				advice = ": " + clip(t.Name) + " is a relation; write " + t.excerpt() + " without `" + name + "`"
			}
			c.findings.add("W017", t.Pos, t.excerpt(), "expected "+what+", found "+t.excerpt()+advice)
		}
	}, func(Term) {})
}

// announced compares `base` or `input` with the fluents or moves that the rules define.
func (c *checker) announced(name string, i int, makers string, made shapes) {
	listed := c.arguments(i, name)
	if len(listed.order) == 0 && !listed.open {
		c.findings.add("W007", Pos{File: c.file}, "", "expected rules for `"+name+"`, found none")
		return
	}
	for _, r := range made.order {
		if t := made.first[r]; !listed.has(t) {
			c.findings.add("W008", t.Pos, t.excerpt(), fmt.Sprintf("expected `%s` to list %s, found no such rule", name, t.excerpt()))
		}
	}
	for _, r := range listed.order {
		if t := listed.first[r]; !made.has(t) {
			c.findings.add("W008", t.Pos, t.excerpt(), fmt.Sprintf("`%s` lists %s, found no %s that makes it", name, t.excerpt(), makers))
		}
	}
}

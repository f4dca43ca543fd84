package gdl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// warnings reports valid but unusual rules.
func (c *checker) warnings() {
	c.fluentShapes, c.moveShapes = c.arguments(0, "init", "next"), c.arguments(1, "legal")
	c.spelling()
	c.names()
	c.connectives()
	c.roles()
	c.goals()
	c.fluents()
	c.growth()
}

// each calls atom for every atom of the sound clauses, heads and bodies in order, and term for both arguments of every
// `distinct`.
func (c *checker) each(atom, term func(Term)) {
	for _, cl := range c.sound {
		c.watch.Step()
		atom(cl.Head)
		for _, f := range cl.Body {
			f.each(atom, term)
		}
	}
}

func (f Formula) each(atom, term func(Term)) {
	switch f.Connective {
	case Atomic:
		atom(f.Atom)
	case Differ:
		term(f.Args[0])
		term(f.Args[1])
	}
	for _, g := range f.Subs {
		g.each(atom, term)
	}
}

// walk visits t and the terms inside it.
func (t Term) walk(visit func(Term)) {
	visit(t)
	for _, a := range t.Args {
		a.walk(visit)
	}
}

// spelling warns of symbols that servers may change or confuse.
func (c *checker) spelling() {
	spelled := make(map[string]string) // by lower-case text
	seen := make(set)
	symbol := func(t Term, constant bool) {
		c.watch.Step()
		if t.Kind == Variable || seen[t.Name] {
			return
		}
		seen[t.Name] = true
		low := strings.ToLower(t.Name)
		if _, ok := keyword(t.Name); ok && constant {
			c.findings.add("W003", t.Pos, t.Name, "expected a symbol of the game, found the keyword "+t.Name+" as a constant")
		}
		if utf8.ValidString(t.Name) && strings.ContainsFunc(t.Name, func(r rune) bool { return r >= 0x7f }) {
			c.findings.add("W013", t.Pos, t.Name, "expected ASCII, found the symbol "+strconv.QuoteToASCII(t.Name))
		}
		if other, ok := spelled[low]; ok {
			c.findings.add("W010", t.Pos, t.Name, fmt.Sprintf("%s differs from %s only in case", t.Name, other))
			return
		}
		spelled[low] = t.Name
	}
	term := func(t Term) { t.walk(func(u Term) { symbol(u, true) }) }
	c.each(func(atom Term) {
		if _, ok := keyword(atom.Name); !ok {
			symbol(atom, false)
		}
		for _, a := range atom.Args {
			term(a)
		}
	}, term)
}

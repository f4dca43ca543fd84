package prover

import (
	"slices"

	"stackmate/gdl"
	"stackmate/internal/scc"
)

// program is the rules of a game in the form that the solver evaluates.
type program struct {
	terms     *terms
	facts     *facts     // rules without conditions
	relations []relation // by functor; functors of later terms have no rules

	init, holds, does, next, legal, goal, terminal functor
}

// relation is the rules of a relation, its component and its lifetime.
type relation struct {
	rules     []*rule // rules with conditions
	component int     // the same number for mutually recursive relations
	lifetime  lifetime
}

// lifetime is the time for which the answers of a relation remain valid. Relations that depend neither on `true` nor
// on `does` have the lifetime always.
type lifetime int

const (
	always lifetime = iota
	position
	jointMove
	lifetimes
)

// rule is a rule with numbered variables.
type rule struct {
	head  pattern
	body  []literal
	slots int
}

type literal struct {
	op          gdl.Op
	atom        pattern
	left, right pattern // of (distinct LEFT RIGHT) and its negation
	slots       []int   // its variables
	grows       bool    // recursive, with a variable inside a term: queries may have ever longer terms
}

func newProgram(t *terms, g *gdl.Game) *program {
	p := &program{
		terms: t, facts: newFacts(t),
		init: t.functor("init", 1), holds: t.functor("true", 1), does: t.functor("does", 2),
		next: t.functor("next", 1), legal: t.functor("legal", 2),
		goal: t.functor("goal", 2), terminal: t.functor("terminal", 0),
	}
	var rules []*rule
	for _, rule := range g.Rules {
		if r := t.rule(rule); len(r.body) == 0 {
			p.facts.insert(t.instance(&r.head, nil))
		} else {
			rules = append(rules, r)
		}
	}
	p.relations = make([]relation, len(t.signatures))
	for _, r := range rules {
		head := &p.relations[r.head.functor]
		head.rules = append(head.rules, r)
	}
	p.findComponents()
	return p
}

func (t *terms) rule(g gdl.Rule) *rule {
	slots := make(map[string]int)
	r := &rule{head: t.pattern(g.Head, slots)}
	for _, l := range g.Body {
		c := literal{op: l.Op}
		if l.Op == gdl.Holds || l.Op == gdl.Not {
			c.atom = t.pattern(l.Atom, slots)
			c.slots = c.atom.variables(nil)
		} else {
			c.left, c.right = t.pattern(l.Left, slots), t.pattern(l.Right, slots)
			c.slots = c.right.variables(c.left.variables(nil))
		}
		r.body = append(r.body, c)
	}
	r.slots = len(slots)
	return r
}

// findComponents computes the components of relations, their lifetimes from the lowest component upwards, and the conditions
// with growing terms.
func (p *program) findComponents() {
	uses := make([][]int, len(p.relations)) // by relation: the relations in the bodies of its rules
	for f := range p.relations {
		for _, r := range p.relations[f].rules {
			for i := range r.body {
				if l := &r.body[i]; l.op == gdl.Holds || l.op == gdl.Not {
					uses[f] = append(uses[f], int(l.atom.functor))
				}
			}
		}
	}
	p.relations[p.holds].lifetime, p.relations[p.does].lifetime = position, jointMove
	for i, component := range scc.Components(len(uses), func(f int) []int { return uses[f] }) {
		var life lifetime
		for _, f := range component {
			life = max(life, p.relations[f].lifetime)
			for _, below := range uses[f] {
				life = max(life, p.relations[below].lifetime)
			}
		}
		for _, f := range component {
			p.relations[f].component, p.relations[f].lifetime = i, life
		}
	}
	for f := range p.relations {
		for _, r := range p.relations[f].rules {
			for i := range r.body {
				l := &r.body[i]
				l.grows = l.op == gdl.Holds && p.relations[l.atom.functor].component == p.relations[f].component &&
					slices.ContainsFunc(l.atom.args, func(a pattern) bool { return a.slot < 0 && a.ground == unbound })
			}
		}
	}
}

// isDerived reports whether a relation has rules with conditions.
func (p *program) isDerived(f functor) bool {
	return int(f) < len(p.relations) && len(p.relations[f].rules) > 0
}

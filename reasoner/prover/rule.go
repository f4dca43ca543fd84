package prover

import "stackmate/gdl"

// rule is a rule with its variables numbered.
type rule struct {
	head  pattern
	body  []literal
	slots int
}

type literal struct {
	op          gdl.Op
	atom        pattern
	left, right pattern
	slots       []int // the variables
}

// relation is the relation of the head.
func (r *rule) relation() functor { return r.head.functor }

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

// variables appends the slots that occur in p.
func (p *pattern) variables(dst []int) []int {
	if p.slot >= 0 {
		return append(dst, p.slot)
	}
	for i := range p.args {
		dst = p.args[i].variables(dst)
	}
	return dst
}

// isAtom tells whether l asks for an atom, negated or not.
func (l *literal) isAtom() bool { return l.op == gdl.Holds || l.op == gdl.Not }

package ground

import (
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
)

// reduce removes literals that static relations make true, and rules with a literal that they make false.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (gr *grounder) reduce() error {
	if !slices.Contains(gr.without, "reduce") {
		gr.Rules = slices.DeleteFunc(gr.Rules, func(r *rules.Rule) bool { return r.Head.Rel.IsOpen() && !reduceRule(r) })
	}
	return nil
}

// reduceRule drops the literals of r that are known to hold; it returns false if one
// is known to fail.
func reduceRule(r *rules.Rule) bool {
	var body []rules.Literal
	for _, l := range r.Body {
		holds, known := valueOf(&l)
		if known && !holds {
			return false
		}
		if !known {
			body = append(body, l)
		}
	}
	r.Body = body
	return true
}

// valueOf returns the truth value of l, if it is known without a join.
func valueOf(l *rules.Literal) (holds, known bool) {
	switch l.Op {
	case gdl.Distinct, gdl.Equal:
		if l.Left.Kind == rules.Constant && l.Right.Kind == rules.Constant {
			return (l.Left.Id == l.Right.Id) == (l.Op == gdl.Equal), true
		}
		return false, false
	}
	if l.Atom.Rel.IsOpen() {
		return false, false
	}
	if l.Atom.Rel.Len() == 0 {
		return l.Op == gdl.Not, true
	}
	tuple := make([]int32, 0, len(l.Atom.Args))
	for _, a := range l.Atom.Args {
		if a.Kind != rules.Constant {
			return false, false
		}
		tuple = append(tuple, a.Id)
	}
	return (l.Atom.Rel.Find(tuple) >= 0) == (l.Op == gdl.Holds), true
}

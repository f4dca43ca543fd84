package datalog

import "stackmate/gdl"

// Inlining replaces a positive literal by the bodies of the rules that define it:
//
//	before  h(X) ← a(X,Y) ∧ p(Y)     p(Z) ← b(Z)     p(f(W)) ← c(W)
//	after   h(X) ← a(X,Y) ∧ b(Y)     h(X) ← a(X,f(W)) ∧ c(W)
//
// Inlining saves storing the tuples of p where they are only passed on, and repeats work if p is used several
// times. Assumption: p is not recursive. Negated literals of p are kept, and so are the rules of p.
type inliner struct {
	terms *termTable
	rules map[*relation][]*rule // of the relations to inline
}

// maxInlined is the largest number of rules that may replace one rule; beyond it the rule is not expanded.
const maxInlined = 32

// inlined returns the rules of the game after inlining the relations of modeInline.
func (in *interpreter) inlined() []*rule {
	x := inliner{terms: in.theory.terms, rules: make(map[*relation][]*rule)}
	for _, r := range in.rules {
		if in.cost.modes[r.head.rel] == modeInline {
			x.rules[r.head.rel] = append(x.rules[r.head.rel], r)
		}
	}
	if len(x.rules) == 0 {
		return in.rules
	}
	var out []*rule
	for _, r := range in.rules {
		if expanded := x.expand(nil, r); len(expanded) <= maxInlined {
			out = append(out, expanded...)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// expand appends the rules that replace r. It gives up after more than maxInlined rules.
func (x *inliner) expand(out []*rule, r *rule) []*rule {
	for i := range r.body {
		definition := x.rules[r.body[i].atom.rel]
		if r.body[i].op != gdl.Holds || len(definition) == 0 {
			continue
		}
		for _, d := range definition {
			if s := x.terms.resolve(r, i, d); s != nil && s.reduce() && len(out) <= maxInlined {
				out = x.expand(out, s)
			}
		}
		return out
	}
	return append(out, r)
}

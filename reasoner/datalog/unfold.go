package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// Unfolding replaces a static relation by its definition if the rule that uses it then splits into smaller
// parts:
//
//	before  line ← cell(1,A) ∧ cell(2,B) ∧ cell(3,C) ∧ alike(A,B,C)
//	        alike(A,B,C) ← has(A,X) ∧ has(B,X) ∧ has(C,X)
//	after   line ← cell(1,A) ∧ has(A,X) ∧ cell(2,B) ∧ has(B,X) ∧ cell(3,C) ∧ has(C,X)
//	        which splitting makes p(1,X) ∧ p(2,X) ∧ p(3,X)
//
// The first form has an instance for every three similar things, the second an instance
// for every thing and property. A rule is unfolded if the expected number of instances
// after splitting falls; the domains of columns bound it. Relations that are unfolded at
// all uses are never computed, regardless of their size.
type unfolder struct {
	theory *theory
	when   threshold
	terms  *termTable
	rules  map[*relation][]*rule // of the relations to unfold
}

// threshold is the condition for a rewriting: more than `above` instances or tuples
// before, and at least `gain` times fewer afterwards.
type threshold struct{ above, gain float64 }

// maxUnfolded is the number of rules of a relation that may be unfolded, maxInlined the number of rules that may
// replace one rule.
const (
	maxUnfolded = 24
	maxInlined  = 32
)

// unfold unfolds the static and the pending relations.
func (gr *grounder) unfold() error {
	th := gr.theory
	u := &unfolder{theory: th, when: gr.unfolding, terms: th.terms, rules: make(map[*relation][]*rule)}
	for _, r := range th.rules {
		if rel := r.head.rel; !rel.is(dynamic) && len(r.body) > 0 {
			u.rules[rel] = append(u.rules[rel], r)
		}
	}
	u.keepDefined()
	if len(u.rules) == 0 {
		return nil
	}
	defer estimate(th, th.rules)()
	var out []*rule
	for _, r := range th.rules {
		if !r.head.rel.is(dynamic) || !slices.ContainsFunc(r.body, u.defines) {
			out = append(out, r)
		} else {
			out = append(out, u.improve(r)...)
		}
	}
	th.rules = out
	return nil
}

// keepDefined keeps only relations that unfolding can replace: not recursive, and
// with few rules, each with conditions.
func (u *unfolder) keepDefined() {
	facts := make(map[*relation]bool)
	for _, r := range u.theory.rules {
		facts[r.head.rel] = facts[r.head.rel] || len(r.body) == 0
	}
	byHead := maps.Clone(u.rules)
	for _, component := range components(u.theory.relations, byHead) {
		rel := component[0]
		if len(component) > 1 || facts[rel] || len(byHead[rel]) > maxUnfolded || uses(byHead[rel], rel) {
			for _, rel := range component {
				delete(u.rules, rel)
			}
		}
	}
}

// defines reports whether l can be replaced.
func (u *unfolder) defines(l literal) bool { return l.op == gdl.Holds && len(u.rules[l.atom.rel]) > 0 }

// improve returns the rules into which unfolding turns r; r itself if unfolding does not pay.
func (u *unfolder) improve(r *rule) []*rule {
	rules := []*rule{r}
	cost := u.cost(rules)
	for i := 0; i < len(rules) && cost > u.when.above; i++ {
		for k := range rules[i].body {
			l := &rules[i].body[k]
			if !u.defines(*l) {
				continue
			}
			with := slices.Clone(rules[:i])
			for _, d := range u.rules[l.atom.rel] {
				if s := u.terms.resolve(rules[i], k, d); s != nil && s.reduce() {
					with = append(with, u.terms.compact(s))
				}
			}
			with = append(with, rules[i+1:]...)
			if c := u.cost(with); len(with) <= maxInlined && u.when.gain*c < cost {
				rules, cost = with, c
				i--
				break
			}
		}
	}
	return rules
}

// cost estimates the number of instances of rules after splitting, including the parts.
func (u *unfolder) cost(rules []*rule) float64 {
	scratch := &theory{watch: u.theory.watch, terms: u.theory.terms, byKey: make(map[predicateKey]*relation), made: u.theory.made, maxBytes: u.theory.maxBytes}
	s := &splitter{theory: scratch, parts: make(map[string]*relation)}
	total := 0.0
	for _, r := range rules {
		same := *r
		same.body = slices.Clone(r.body)
		made := len(s.added)
		for s.eliminate(&same) {
			for _, part := range s.added[made:] {
				n := expectedMatches(u.theory.watch, part)
				part.profileHead(n)
				if part.head.rel.isOpen() {
					total += n
				}
			}
			made = len(s.added)
		}
		total += expectedMatches(u.theory.watch, &same)
	}
	return total
}

// profileHead assigns a profile to the head of a part whose body has n matches.
func (r *rule) profileHead(n float64) {
	p := &profile{tuples: 1}
	for _, a := range r.head.args {
		terms := expectedValues(r, a.id)
		p.distinct = append(p.distinct, terms)
		p.tuples *= terms
	}
	p.tuples = min(p.tuples, n)
	r.head.rel.profile = p
}

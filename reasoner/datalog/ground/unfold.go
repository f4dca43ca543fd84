package ground

import (
	"maps"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
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
	theory *rules.Theory
	when   threshold
	terms  *rules.TermTable
	rules  map[*rules.Relation][]*rules.Rule // of the relations to unfold
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
	th := gr.Theory
	u := &unfolder{theory: th, when: gr.unfolding, terms: th.Terms, rules: make(map[*rules.Relation][]*rules.Rule)}
	for _, r := range th.Rules {
		if rel := r.Head.Rel; !rel.Is(rules.Dynamic) && len(r.Body) > 0 {
			u.rules[rel] = append(u.rules[rel], r)
		}
	}
	u.keepDefined()
	if len(u.rules) == 0 {
		return nil
	}
	defer join.Estimate(th, th.Rules)()
	var out []*rules.Rule
	for _, r := range th.Rules {
		if !r.Head.Rel.Is(rules.Dynamic) || !slices.ContainsFunc(r.Body, u.defines) {
			out = append(out, r)
		} else {
			out = append(out, u.improve(r)...)
		}
	}
	th.Rules = out
	return nil
}

// keepDefined keeps only relations that unfolding can replace: not recursive, and
// with few rules, each with conditions.
func (u *unfolder) keepDefined() {
	facts := make(map[*rules.Relation]bool)
	for _, r := range u.theory.Rules {
		facts[r.Head.Rel] = facts[r.Head.Rel] || len(r.Body) == 0
	}
	byHead := maps.Clone(u.rules)
	for _, component := range rules.Components(u.theory.Relations, byHead) {
		rel := component[0]
		if len(component) > 1 || facts[rel] || len(byHead[rel]) > maxUnfolded || rules.Uses(byHead[rel], rel) {
			for _, rel := range component {
				delete(u.rules, rel)
			}
		}
	}
}

// defines reports whether l can be replaced.
func (u *unfolder) defines(l rules.Literal) bool {
	return l.Op == gdl.Holds && len(u.rules[l.Atom.Rel]) > 0
}

// improve returns the rules into which unfolding turns r; r itself if unfolding does not pay.
func (u *unfolder) improve(r *rules.Rule) []*rules.Rule {
	rules := []*rules.Rule{r}
	cost := u.cost(rules)
	for i := 0; i < len(rules) && cost > u.when.above; i++ {
		for k := range rules[i].Body {
			l := &rules[i].Body[k]
			if !u.defines(*l) {
				continue
			}
			with := slices.Clone(rules[:i])
			for _, d := range u.rules[l.Atom.Rel] {
				if s := u.terms.Resolve(rules[i], k, d); s != nil && reduceRule(s) {
					with = append(with, u.terms.Compact(s))
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
func (u *unfolder) cost(list []*rules.Rule) float64 {
	s := &splitter{theory: u.theory.Scratch(), parts: make(map[string]*rules.Relation)}
	total := 0.0
	for _, r := range list {
		same := *r
		same.Body = slices.Clone(r.Body)
		made := len(s.added)
		for s.eliminate(&same) {
			for _, part := range s.added[made:] {
				n := join.ExpectedMatches(u.theory.Watch, part)
				profileHead(part, n)
				if part.Head.Rel.IsOpen() {
					total += n
				}
			}
			made = len(s.added)
		}
		total += join.ExpectedMatches(u.theory.Watch, &same)
	}
	return total
}

// profileHead assigns a profile to the head of a part whose body has n matches.
func profileHead(r *rules.Rule, n float64) {
	p := &tuples.Profile{Tuples: 1}
	for _, a := range r.Head.Args {
		terms := join.ExpectedValues(r, a.Id)
		p.Distinct = append(p.Distinct, terms)
		p.Tuples *= terms
	}
	p.Tuples = min(p.Tuples, n)
	r.Head.Rel.Profile = p
}

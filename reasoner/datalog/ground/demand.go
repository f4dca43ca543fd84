package ground

import (
	"maps"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
)

// demand restricts large relations to demanded tuples, for all positions at once. It applies magic sets
// (join.MagicSets) to possible atoms, with two differences. Each relation has one binding pattern, the columns bound
// at all its uses, so it stays one relation and grounds each atom once. Demand only limits the possible atoms: the
// ground rules do not contain the demand relations. Negated atoms are demanded, too.
type demand struct {
	join.MagicSets
	theory  *rules.Theory
	when    threshold
	columns map[*rules.Relation][]int32 // by restricted relation: the columns of its key
	inside  map[*rules.Relation]int     // by relation: the number of its strongly connected component
	asked   map[*rules.Relation]*join.Keyed

	plain, guarded []*rules.Rule // the rules before and after the rewriting
	forget         func()        // removes the profiles
}

// newDemand chooses keys for the open relations that may have many tuples, except the excluded relations.
// Relations keep the profiles of join.Estimate until forget is called.
func newDemand(th *rules.Theory, when threshold, exclude map[*rules.Relation]bool) *demand {
	d := &demand{theory: th, when: when, columns: make(map[*rules.Relation][]int32), inside: th.ComponentNumbers()}
	d.MagicSets = join.MagicSets{
		Watch: th.Watch, Terms: th.Terms,
		Restricts: func(_ *rules.Rule, l *rules.Literal) bool { return d.columns[l.Atom.Rel] != nil },
		// A function term of a recursive rule could make the demand infinite.
		Known: func(r *rules.Rule, l *rules.Literal, a rules.Arg) bool {
			return a.Kind != rules.Compound || d.inside[l.Atom.Rel] != d.inside[r.Head.Rel]
		},
		Table:   func(l *rules.Literal, _ []int32) *join.Keyed { return d.keyed(l.Atom.Rel) },
		Follows: func(l *rules.Literal) bool { return !l.IsOpenNegation() },
	}
	d.forget = join.Estimate(th, th.Rules)
	d.findCandidates(exclude)
	if len(d.columns) == 0 {
		return d
	}
	for d.findKeys(); d.dropUseless(); d.findKeys() {
	}
	return d
}

// findCandidates selects the relations that may be large. It skips inputs, outputs, and relations of which every
// rule is bounded by one literal. Parts of split rules are selected only if they read a selected relation.
func (d *demand) findCandidates(exclude map[*rules.Relation]bool) {
	parts := make(map[*rules.Relation]bool)
	for _, r := range d.theory.Rules {
		rel := r.Head.Rel
		switch {
		case !rel.IsOpen() || rel.Size() <= d.when.above || exclude[rel] || rel.IsInterface():
		case r.Split:
			parts[rel] = true
		case !isBounded(r):
			d.columns[rel] = rel.Columns()
		}
	}
	for found := true; found; {
		found = false
		for _, r := range d.theory.Rules {
			hands := func(l rules.Literal) bool { return l.Op == gdl.Holds && d.columns[l.Atom.Rel] != nil }
			if rel := r.Head.Rel; parts[rel] && d.columns[rel] == nil && slices.ContainsFunc(r.Body, hands) {
				d.columns[rel], found = rel.Columns(), true
			}
		}
	}
}

// isBounded reports whether one literal of a static relation or an input binds all variables of the head.
func isBounded(r *rules.Rule) bool {
	vars := r.Head.AppendVars(nil)
	return slices.ContainsFunc(r.Body, func(l rules.Literal) bool {
		if l.Op != gdl.Holds || l.Atom.Rel.IsOpen() && !l.Atom.Rel.IsInterface() {
			return false
		}
		return rules.Covers(l.Vars(), vars)
	})
}

// findKeys removes columns from each key until every use of the relation binds the whole key.
func (d *demand) findKeys() {
	for changed := true; changed; {
		changed = false
		for _, r := range d.theory.OpenRules() {
			if !slices.ContainsFunc(r.Body, func(l rules.Literal) bool { return d.columns[l.Atom.Rel] != nil }) {
				continue
			}
			d.Walk(r, d.columns[r.Head.Rel], func(i int, known []int32) {
				rel := r.Body[i].Atom.Rel
				if both := rules.Intersect(d.columns[rel], known); len(both) < len(d.columns[rel]) {
					d.columns[rel], changed = both, true
				}
			})
		}
		maps.DeleteFunc(d.columns, func(_ *rules.Relation, c []int32) bool { return len(c) == 0 })
	}
}

// dropUseless leaves a relation unrestricted if nearly all of its keys are expected to be demanded. It reports
// whether it dropped a relation.
func (d *demand) dropUseless() bool {
	all := make(map[*rules.Relation]*tuples.Profile)
	for rel := range d.columns {
		all[rel] = rel.Profile
	}
	forget := join.Estimate(d.theory, d.rules())
	before := len(d.columns)
	for rel, p := range all {
		keys := 1.0 // expected number of demanded keys
		for i, c := range d.columns[rel] {
			keys *= min(d.keyed(rel).Asked.Distinct(int32(i)), p.Distinct[c])
		}
		if d.when.gain*keys > p.Tuples {
			delete(d.columns, rel)
		}
	}
	forget()
	d.forget = join.Estimate(d.theory, d.theory.Rules)
	return len(d.columns) < before
}

// restrict adds the demand relations and their rules, and guards the rules of restricted relations by them.
func (gr *grounder) restrict() error {
	d := newDemand(gr.Theory, gr.asking, nil)
	d.plain = gr.Rules
	gr.Rules = d.rules()
	d.forget()
	gr.demand = d
	return nil
}

// rules returns the rules of the theory, guarded by demand, followed by the rules that derive demand.
func (d *demand) rules() []*rules.Rule {
	d.Restart()
	d.guarded = nil
	d.asked = make(map[*rules.Relation]*join.Keyed)
	for _, r := range d.theory.Rules {
		if r.Head.Rel.IsOpen() && len(d.columns) > 0 {
			r = d.Rewrite(r, d.keyed(r.Head.Rel))
		}
		d.guarded = append(d.guarded, r)
	}
	return slices.Concat(d.guarded, d.Asking)
}

// close makes the demand relations static, and with them each relation that depends on nothing dynamic. Relations
// derived while negated literals were ignored stay dynamic: they may hold too many tuples. It reports whether
// every negated relation is still dynamic. A relation whose rules have all become static is known exactly, and so
// is its negation.
func (d *demand) close() (exact bool) {
	th := d.theory
	var inexact, negated []*rules.Relation
	for _, r := range d.plain {
		for i := range r.Body {
			if l := &r.Body[i]; l.IsOpenNegation() {
				inexact, negated = append(inexact, r.Head.Rel), append(negated, l.Atom.Rel)
			}
		}
	}
	th.Rules = d.plain
	th.Classify(inexact...)
	th.Rules = d.guarded
	return !slices.ContainsFunc(negated, func(rel *rules.Relation) bool { return !rel.IsOpen() })
}

// keyed returns the demand relation of a relation, or nil if the relation is not restricted.
func (d *demand) keyed(of *rules.Relation) *join.Keyed {
	if d.columns[of] != nil && d.asked[of] == nil {
		rel := d.theory.Auxiliary("asked "+of.Name, len(d.columns[of]), rules.Dynamic)
		d.asked[of] = &join.Keyed{Columns: d.columns[of], Asked: rel, Answers: of}
	}
	return d.asked[of]
}

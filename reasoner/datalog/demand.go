package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// demand restricts large relations to demanded tuples, for all positions at once. It applies magic sets
// (magicsets.go) to possible atoms, with two differences. Each relation has one binding pattern, the columns bound
// at all its uses, so it stays one relation and grounds each atom once. Demand only limits the possible atoms: the
// ground rules do not contain the demand relations. Negated atoms are demanded, too.
type demand struct {
	magicSets
	theory  *theory
	when    threshold
	columns map[*relation][]int32 // by restricted relation: the columns of its key
	inside  map[*relation]int     // by relation: the number of its strongly connected component
	asked   map[*relation]*keyed

	plain, guarded []*rule // the rules before and after the rewriting
	forget         func()  // removes the profiles
}

// newDemand chooses keys for the dynamic relations that may have many tuples, except the excluded relations.
// Relations keep the profiles of th.estimate until forget is called.
func (th *theory) newDemand(when threshold, exclude map[*relation]bool) *demand {
	d := &demand{theory: th, when: when, columns: make(map[*relation][]int32), inside: th.componentNumbers()}
	d.magicSets = magicSets{
		watch: th.watch, terms: th.terms,
		restricts: func(_ *rule, l *literal) bool { return d.columns[l.atom.rel] != nil },
		// A function term of a recursive rule could make the demand infinite.
		known: func(r *rule, l *literal, a arg) bool {
			return a.kind != compound || d.inside[l.atom.rel] != d.inside[r.head.rel]
		},
		table:   func(l *literal, _ []int32) *keyed { return d.keyed(l.atom.rel) },
		follows: func(l *literal) bool { return !l.isOpenNegation() },
	}
	d.forget = estimate(th, th.rules)
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
func (d *demand) findCandidates(exclude map[*relation]bool) {
	parts := make(map[*relation]bool)
	for _, r := range d.theory.rules {
		rel := r.head.rel
		switch {
		case !rel.isOpen() || rel.size() <= d.when.above || exclude[rel] || rel.isInterface():
		case r.split:
			parts[rel] = true
		case !r.isBounded():
			d.columns[rel] = rel.columns()
		}
	}
	for found := true; found; {
		found = false
		for _, r := range d.theory.rules {
			hands := func(l literal) bool { return l.op == gdl.Holds && d.columns[l.atom.rel] != nil }
			if rel := r.head.rel; parts[rel] && d.columns[rel] == nil && slices.ContainsFunc(r.body, hands) {
				d.columns[rel], found = rel.columns(), true
			}
		}
	}
}

// isBounded reports whether one literal of a static relation or an input binds all variables of the head.
func (r *rule) isBounded() bool {
	vars := r.head.appendVars(nil)
	return slices.ContainsFunc(r.body, func(l literal) bool {
		if l.op != gdl.Holds || l.atom.rel.isOpen() && !l.atom.rel.isInterface() {
			return false
		}
		return covers(l.vars(), vars)
	})
}

// findKeys removes columns from each key until every use of the relation binds the whole key.
func (d *demand) findKeys() {
	for changed := true; changed; {
		changed = false
		for _, r := range d.theory.dynamicRules() {
			if !slices.ContainsFunc(r.body, func(l literal) bool { return d.columns[l.atom.rel] != nil }) {
				continue
			}
			d.walk(r, d.columns[r.head.rel], func(i int, known []int32) {
				rel := r.body[i].atom.rel
				if both := intersect(d.columns[rel], known); len(both) < len(d.columns[rel]) {
					d.columns[rel], changed = both, true
				}
			})
		}
		maps.DeleteFunc(d.columns, func(_ *relation, c []int32) bool { return len(c) == 0 })
	}
}

// dropUseless leaves a relation unrestricted if nearly all of its keys are expected to be demanded. It reports
// whether it dropped a relation.
func (d *demand) dropUseless() bool {
	all := make(map[*relation]*profile)
	for rel := range d.columns {
		all[rel] = rel.profile
	}
	forget := estimate(d.theory, d.rules())
	before := len(d.columns)
	for rel, p := range all {
		keys := 1.0 // expected number of demanded keys
		for i, c := range d.columns[rel] {
			keys *= min(d.keyed(rel).asked.distinct(int32(i)), p.distinct[c])
		}
		if d.when.gain*keys > p.tuples {
			delete(d.columns, rel)
		}
	}
	forget()
	d.forget = estimate(d.theory, d.theory.rules)
	return len(d.columns) < before
}

// restrict adds the demand relations and their rules, and guards the rules of restricted relations by them.
func (gr *grounder) restrict() error {
	d := gr.newDemand(gr.asking, nil)
	d.plain = gr.rules
	gr.rules = d.rules()
	d.forget()
	gr.demand = d
	return nil
}

// rules returns the rules of the theory, guarded by demand, followed by the rules that derive demand.
func (d *demand) rules() []*rule {
	d.seen, d.asking, d.guarded = make(map[string]bool), nil, nil
	d.asked = make(map[*relation]*keyed)
	for _, r := range d.theory.rules {
		if r.head.rel.isOpen() && len(d.columns) > 0 {
			r = d.rewrite(r, d.keyed(r.head.rel))
		}
		d.guarded = append(d.guarded, r)
	}
	return slices.Concat(d.guarded, d.asking)
}

// close makes the demand relations static, and with them each relation that depends on nothing dynamic. Relations
// derived while negated literals were ignored stay dynamic: they may hold too many tuples. It reports whether
// every negated relation is still dynamic. A relation whose rules have all become static is known exactly, and so
// is its negation.
func (d *demand) close() (exact bool) {
	th := d.theory
	var inexact, negated []*relation
	for _, r := range d.plain {
		for i := range r.body {
			if l := &r.body[i]; l.isOpenNegation() {
				inexact, negated = append(inexact, r.head.rel), append(negated, l.atom.rel)
			}
		}
	}
	th.rules = d.plain
	th.classify(inexact...)
	th.rules = d.guarded
	return !slices.ContainsFunc(negated, func(rel *relation) bool { return !rel.isOpen() })
}

// keyed returns the demand relation of a relation, or nil if the relation is not restricted.
func (d *demand) keyed(of *relation) *keyed {
	if d.columns[of] != nil && d.asked[of] == nil {
		rel := d.theory.auxiliary("asked "+of.name.name, len(d.columns[of]), dynamic)
		d.asked[of] = &keyed{columns: d.columns[of], asked: rel, answers: of}
	}
	return d.asked[of]
}

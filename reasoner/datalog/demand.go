package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// demand restricts large relations to what is asked for, for all positions at once: magic sets
// (magicsets.go) over possible atoms, with two differences. A relation has one kind of key, the
// columns that all its uses know, so it stays one relation and grounds to each atom
// once. And what is asked for only decides which atoms there are: the ground rules do
// not speak of it. Negated atoms are asked for, too.
type demand struct {
	magicSets
	theory  *theory
	when    threshold
	columns map[*relation][]int32 // by relation that is restricted: the columns of its key
	inside  map[*relation]int     // the number of its component
	asked   map[*relation]*keyed

	plain, guarded []*rule // the rules without and with a look at what is asked for
	forget         func()  // takes the profiles away
}

// newDemand finds the keys of the dynamic relations that may have many tuples, without
// those that are excluded. Until forget it gives relations their profiles.
func (th *theory) newDemand(when threshold, exclude map[*relation]bool) *demand {
	d := &demand{theory: th, when: when, columns: make(map[*relation][]int32), inside: th.componentNumbers()}
	d.magicSets = magicSets{
		watch: th.watch, terms: th.terms,
		restricts: func(_ *rule, l *literal) bool { return d.columns[l.atom.rel] != nil },
		// What is asked for could grow without end by function terms of a recursion.
		known: func(r *rule, l *literal, a arg) bool {
			return a.kind != compound || d.inside[l.atom.rel] != d.inside[r.head.rel]
		},
		table:   func(l *literal, _ []int32) *keyed { return d.keyed(l.atom.rel) },
		follows: func(l *literal) bool { return !isOpenNegation(l) },
	}
	d.forget = th.estimate(th.rules)
	d.findCandidates(exclude)
	if len(d.columns) == 0 {
		return d
	}
	for d.findKeys(); d.dropUseless(); d.findKeys() {
	}
	return d
}

// findCandidates finds the relations that may be large: not those that the game is
// asked for or given, nor those of which each rule has one literal that bounds them.
// The parts of rules are among them only where they hand on what is asked for.
func (d *demand) findCandidates(exclude map[*relation]bool) {
	parts := make(map[*relation]bool)
	for _, r := range d.theory.rules {
		rel := r.head.rel
		switch {
		case !rel.dynamic || rel.size() <= d.when.above || exclude[rel] || isInterface(rel):
		case r.split:
			parts[rel] = true
		case !r.isBounded():
			d.columns[rel] = rel.all.columns
		}
	}
	for found := true; found; {
		found = false
		for _, r := range d.theory.rules {
			hands := func(l literal) bool { return l.op == gdl.Holds && d.columns[l.atom.rel] != nil }
			if rel := r.head.rel; parts[rel] && d.columns[rel] == nil && slices.ContainsFunc(r.body, hands) {
				d.columns[rel], found = rel.all.columns, true
			}
		}
	}
}

// isBounded tells whether one literal, of a relation that is not derived, binds all
// variables of the head.
func (r *rule) isBounded() bool {
	vars := r.head.appendVars(nil)
	return slices.ContainsFunc(r.body, func(l literal) bool {
		if l.op != gdl.Holds || l.atom.rel.dynamic && !isInterface(l.atom.rel) {
			return false
		}
		return covers(l.vars(), vars)
	})
}

// findKeys takes from the keys what some use does not know, until all do.
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

// dropUseless leaves relations unrestricted of which nearly everything seems to be asked
// for, and tells whether there was one.
func (d *demand) dropUseless() bool {
	all := make(map[*relation]*profile)
	for rel := range d.columns {
		all[rel] = rel.profile
	}
	forget := d.theory.estimate(d.rules())
	before := len(d.columns)
	for rel, p := range all {
		keys := 1.0 // that are asked for, of those that there are
		for i, c := range d.columns[rel] {
			keys *= min(d.keyed(rel).asked.distinct(int32(i)), p.distinct[c])
		}
		if d.when.gain*keys > p.tuples {
			delete(d.columns, rel)
		}
	}
	forget()
	d.forget = d.theory.estimate(d.theory.rules)
	return len(d.columns) < before
}

// restrict adds the relations of what is asked for, and the rules that ask, and lets the
// rules of restricted relations look into them.
func (gr *grounder) restrict() error {
	d := gr.newDemand(gr.asking, nil)
	d.plain = gr.rules
	gr.rules = d.rules()
	d.forget()
	gr.demand = d
	return nil
}

// rules are those of the theory, which look at what is asked for, and then those that ask.
func (d *demand) rules() []*rule {
	d.seen, d.asking, d.guarded = make(map[string]bool), nil, nil
	d.asked = make(map[*relation]*keyed)
	for _, r := range d.theory.rules {
		if r.head.rel.dynamic && len(d.columns) > 0 {
			r = d.rewrite(r, d.keyed(r.head.rel))
		}
		d.guarded = append(d.guarded, r)
	}
	return slices.Concat(d.guarded, d.asking)
}

// close makes what was asked for part of what is known, and with it the relations that
// differ between positions in nothing else, but for those that were computed with open
// negations: they may have tuples too many. It tells whether no others do: a relation of
// which no rule that differs between positions is left is known, and so is its negation.
func (d *demand) close() (exact bool) {
	th := d.theory
	var inexact, negated []*relation
	for _, r := range d.plain {
		for i := range r.body {
			if l := &r.body[i]; isOpenNegation(l) {
				inexact, negated = append(inexact, r.head.rel), append(negated, l.atom.rel)
			}
		}
	}
	for _, rel := range th.relations {
		rel.dynamic = false
	}
	th.rules = d.plain
	th.markDynamic(inexact...)
	th.rules = d.guarded
	return !slices.ContainsFunc(negated, func(rel *relation) bool { return !rel.dynamic })
}

// keyed is what is asked for of a relation, or nil if it is not restricted.
func (d *demand) keyed(of *relation) *keyed {
	if d.columns[of] != nil && d.asked[of] == nil {
		rel := d.theory.auxiliary("asked "+of.name.name, len(d.columns[of]))
		rel.dynamic = true
		d.asked[of] = &keyed{columns: d.columns[of], asked: rel, answers: of}
	}
	return d.asked[of]
}

// isInterface tells whether the game is asked for a relation, or given it.
func isInterface(rel *relation) bool {
	name := rel.name.name
	return name == "true" || name == "does" || slices.ContainsFunc(outputs, func(k functorKey) bool { return k.name == name })
}

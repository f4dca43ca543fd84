package datalog

import (
	"slices"

	"stackmate/gdl"
)

// fixpoint evaluates rules together until nothing new is derived, semi-naively:
// after the first round a rule is joined only where one of its literals matches
// a tuple of the round before. A round costs what its new tuples do, however many
// rules there are. Literals for which ignore holds are left out. Negated literals
// that are not ignored must speak of relations that are complete.
type fixpoint struct {
	joiner *joiner
	ignore func(*literal) bool
	uses   []use
	usesOf map[*relation][]int // by relation that grows: the uses that read it
	grown  []*relation         // in the running round
	record *recorder           // of the rules that it has begun, or nil
}

// use is a literal of a rule whose relation grows in the fixpoint.
type use struct {
	rule    *rule
	literal int
	plan    *plan
}

// fixpoint evaluates rules without a record of what they match.
func (j *joiner) fixpoint(rules []*rule, ignore func(*literal) bool) error {
	f := &fixpoint{joiner: j, ignore: ignore}
	return f.run(rules)
}

func (f *fixpoint) run(rules []*rule) error {
	f.usesOf = make(map[*relation][]int)
	for _, r := range rules {
		rel := r.head.rel
		f.usesOf[rel] = nil
		rel.old, rel.seen = 0, rel.n
	}
	for _, r := range rules {
		p := newPlan(f.joiner.meter.watch, r, -1, f.ignore)
		f.lookBack(p)
		if err := f.derive(p); err != nil {
			return err
		}
		f.collectUses(r)
	}
	for delta := f.advance(nil); len(delta) > 0; delta = f.advance(delta) {
		if err := f.round(delta); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixpoint) collectUses(r *rule) {
	for i := range r.body {
		l := &r.body[i]
		if l.op != gdl.Holds || f.ignore(l) {
			continue
		}
		if of, grows := f.usesOf[l.atom.rel]; grows {
			f.usesOf[l.atom.rel] = append(of, len(f.uses))
			f.uses = append(f.uses, use{rule: r, literal: i})
		}
	}
}

// lookBack makes a plan of the first round blind to the tuples of that round: these are the
// delta of the second, and no match is to be recorded twice.
func (f *fixpoint) lookBack(p *plan) {
	for i := range p.steps {
		if _, grows := f.usesOf[p.steps[i].rel]; grows && f.record != nil {
			p.steps[i].window = windowSeen
		}
	}
}

// derive runs a plan and notes whether its head has grown.
func (f *fixpoint) derive(p *plan) (err error) {
	rel := p.rule.head.rel
	before := rel.n
	if f.record != nil && f.record.of[p.rule] != nil {
		err = f.record.matches(p)
	} else {
		err = f.joiner.derive(p)
	}
	if before == rel.seen && rel.n > before {
		f.grown = append(f.grown, rel)
	}
	return err
}

// advance makes the tuples of the last round the delta of the next, and returns
// the relations that have any. Last are those that had some before.
func (f *fixpoint) advance(last []*relation) []*relation {
	for _, rel := range last {
		rel.old = rel.seen
	}
	delta := f.grown
	for _, rel := range delta {
		rel.old, rel.seen = rel.seen, rel.n
	}
	f.grown = nil
	return delta
}

// round joins what uses the relations of the delta.
func (f *fixpoint) round(delta []*relation) error {
	var uses []int
	for _, rel := range delta {
		uses = append(uses, f.usesOf[rel]...)
	}
	slices.Sort(uses)
	for _, i := range uses {
		u := &f.uses[i]
		if u.plan == nil || u.plan.grown() {
			u.plan = newPlan(f.joiner.meter.watch, u.rule, u.literal, f.ignore)
		}
		if err := f.derive(u.plan); err != nil {
			return err
		}
	}
	return nil
}

package datalog

import "stackmate/gdl"

// fixpoint evaluates rules together until nothing new is derived, semi-naively:
// after the first round a rule is joined only where one of its literals matches
// a tuple of the round before. Literals for which ignore holds are left out.
// Negated literals that are not ignored must speak of relations that are
// complete.
type fixpoint struct {
	joiner *joiner
	ignore func(*literal) bool
	heads  map[*relation]bool
	uses   []use
}

// use is a literal of a rule whose relation grows in the fixpoint.
type use struct {
	rule    *rule
	literal int
	plan    *plan
}

func (j *joiner) fixpoint(rules []*rule, ignore func(*literal) bool) error {
	f := &fixpoint{joiner: j, ignore: ignore, heads: make(map[*relation]bool)}
	var heads []*relation
	for _, r := range rules {
		if rel := r.head.rel; !f.heads[rel] {
			f.heads[rel] = true
			heads = append(heads, rel)
		}
	}
	for _, rel := range heads {
		rel.old, rel.seen = 0, rel.n
	}
	for _, r := range rules {
		if err := j.derive(newPlan(r, -1, ignore)); err != nil {
			return err
		}
		f.collectUses(r)
	}
	for advance(heads) {
		if err := f.round(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixpoint) collectUses(r *rule) {
	for i := range r.body {
		l := &r.body[i]
		if l.op == gdl.Holds && f.heads[l.atom.rel] && !f.ignore(l) {
			f.uses = append(f.uses, use{rule: r, literal: i})
		}
	}
}

// advance makes the tuples of the last round the delta of the next and tells
// whether there are any.
func advance(heads []*relation) bool {
	any := false
	for _, rel := range heads {
		rel.old, rel.seen = rel.seen, rel.n
		any = any || rel.old < rel.seen
	}
	return any
}

func (f *fixpoint) round() error {
	for i := range f.uses {
		u := &f.uses[i]
		rel := u.rule.body[u.literal].atom.rel
		if rel.old == rel.seen {
			continue
		}
		if u.plan == nil || u.plan.grown() {
			u.plan = newPlan(u.rule, u.literal, f.ignore)
		}
		if err := f.joiner.derive(u.plan); err != nil {
			return err
		}
	}
	return nil
}

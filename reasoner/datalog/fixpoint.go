package datalog

import (
	"errors"
	"slices"

	"stackmate/gdl"
)

// fixpoint evaluates rules jointly to their least fixpoint, semi-naively: after the first round a rule is joined
// only where one of its literals matches a tuple of the delta. The cost of a round depends on its delta and not on
// the number of rules. Literals ignored by the planning are skipped. All other negated literals must refer to
// complete relations.
//
// Invariant: between runs, tuples [0, seen) of a member have been joined with each other.
type fixpoint struct {
	planning
	// take evaluates the plan of a rule, or returns false to let the joiner derive the heads; nil derives all.
	take    func(p *plan) (taken bool, err error)
	members map[*relation]*member
	first   []use // all rules, for the first round
	uses    []use // one for each body literal of a member
	grown   []*member
	delta   []*member // members with new tuples in the last round
	due     []int32   // scratch: the uses of a round
}

// member is a relation that grows in a fixpoint.
type member struct {
	rel   *relation
	uses  []int32 // indices of the uses that read it
	grown bool    // in the current round
}

// use is a rule with the literal that reads the delta of its relation.
type use struct {
	rule    *rule
	literal int // or wholeRule
	head    *member
	plan    *plan // nil before its first use
}

// newFixpoint prepares the evaluation of rules. Members are the heads of the rules, and the given relations, which
// grow from outside.
func newFixpoint(o planning, rules []*rule, growing ...*relation) *fixpoint {
	f := &fixpoint{members: make(map[*relation]*member)}
	f.planning = o
	f.grows = func(rel *relation) bool { return f.members[rel] != nil }
	for _, r := range rules {
		growing = append(growing, r.head.rel)
	}
	for _, rel := range growing {
		if f.members[rel] == nil {
			f.members[rel] = &member{rel: rel}
		}
	}
	for _, r := range rules {
		head := f.members[r.head.rel]
		f.first = append(f.first, use{rule: r, literal: wholeRule, head: head})
		for i := range r.body {
			l := &r.body[i]
			if m := f.members[l.atom.rel]; m != nil && l.op == gdl.Holds && (f.ignore == nil || !f.ignore(l)) {
				m.uses = append(m.uses, int32(len(f.uses)))
				f.uses = append(f.uses, use{rule: r, literal: i, head: head})
			}
		}
	}
	return f
}

// fixpoint adds the tuples of the least fixpoint of rules to their stored relations.
func (j *joiner) fixpoint(rules []*rule) error {
	return newFixpoint(planning{watch: j.meter.watch}, rules).run(j)
}

// plan makes the plans of all uses, and thereby the indexes that they read.
func (f *fixpoint) plan(uses []use) {
	for i := range uses {
		uses[i].plan = f.newPlan(uses[i].rule, uses[i].literal, nil)
	}
}

// run evaluates all rules to their least fixpoint.
func (f *fixpoint) run(j *joiner) error {
	for i := range f.first {
		f.first[i].head.rel.startRounds()
	}
	for i := range f.first {
		if err := f.derive(j, &f.first[i]); err != nil {
			return err
		}
	}
	return f.saturate(j)
}

// saturate repeats rounds from the new tuples until the delta is empty.
func (f *fixpoint) saturate(j *joiner) error {
	for f.advance(); len(f.delta) > 0; f.advance() {
		f.due = f.due[:0]
		for _, m := range f.delta {
			f.due = append(f.due, m.uses...)
		}
		slices.Sort(f.due)
		for _, i := range f.due {
			if err := f.derive(j, &f.uses[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// derive joins a rule and records whether its head has grown. After an error the delta is emptied.
func (f *fixpoint) derive(j *joiner, u *use) (err error) {
	if u.plan == nil || u.plan.grown() {
		u.plan = f.newPlan(u.rule, u.literal, nil)
	}
	taken := false
	if f.take != nil {
		taken, err = f.take(u.plan)
	}
	if !taken {
		err = j.derive(u.plan, nil)
	}
	if f.noteMember(u.head); err != nil {
		for _, m := range f.grown {
			m.grown = false
		}
		f.grown, f.delta = f.grown[:0], f.delta[:0]
	}
	return err
}

// note records that a relation may have new tuples, which were derived elsewhere.
func (f *fixpoint) note(rel *relation) { f.noteMember(f.members[rel]) }

// noteMember adds a member to grown if it has new tuples.
func (f *fixpoint) noteMember(m *member) {
	if !m.grown && m.rel.hasNew() {
		m.grown = true
		f.grown = append(f.grown, m)
	}
}

// advance makes the new tuples of the last round the delta of the next round.
func (f *fixpoint) advance() {
	for _, m := range f.delta {
		m.rel.endDelta()
	}
	f.delta, f.grown = f.grown, f.delta[:0]
	for _, m := range f.delta {
		m.rel.nextRound()
		m.grown = false
	}
}

// tryFixpoint is fixpoint with limits of its own on the number of tuples and on the
// work. It returns false if one was hit, having forgotten the terms made on the way.
func (j *joiner) tryFixpoint(rules []*rule, maxTuples int) bool {
	m := j.meter
	tuples, terms, limit := m.tuples, len(j.terms.head), m.limits.MaxTuples
	m.limits.MaxTuples = min(limit, tuples+maxTuples)
	m.work, m.stop = 0, eagerWork
	err := j.fixpoint(rules)
	m.limits.MaxTuples, m.stop = limit, 0
	if !errors.Is(err, ErrLimit) && !errors.Is(err, errTooMuchWork) {
		return true // the meter keeps an error of the context
	}
	m.err, m.tuples = nil, tuples
	j.terms.truncate(terms)
	return false
}

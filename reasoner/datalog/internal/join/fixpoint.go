package join

import (
	"errors"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/rules"
)

// Fixpoint evaluates rules jointly to their least fixpoint, semi-naively: after the first round a rule is joined
// only where one of its literals matches a tuple of the delta. The cost of a round depends on its delta and not on
// the number of rules. Literals ignored by the planning are skipped. All other negated literals must refer to
// complete relations.
//
// Invariant: between runs, tuples [0, seen) of a member have been joined with each other.
type Fixpoint struct {
	Planning
	// Take evaluates the plan of a rule, or returns false to let the joiner derive the heads; nil derives all.
	Take    func(p *Plan) (taken bool, err error)
	members map[*rules.Relation]*member
	first   []use // all rules, for the first round
	uses    []use // one for each body literal of a member
	grown   []*member
	delta   []*member // members with new tuples in the last round
	due     []int32   // scratch: the uses of a round
}

// member is a relation that grows in a fixpoint.
type member struct {
	rel   *rules.Relation
	uses  []int32 // indices of the uses that read it
	grown bool    // in the current round
}

// use is a rule with the literal that reads the delta of its relation.
type use struct {
	rule    *rules.Rule
	literal int // or WholeRule
	head    *member
	plan    *Plan // nil before its first use
}

// NewFixpoint prepares the evaluation of the rules of list. Members are the heads of the rules, and the given relations, which
// grow from outside.
func NewFixpoint(o Planning, list []*rules.Rule, growing ...*rules.Relation) *Fixpoint {
	f := &Fixpoint{members: make(map[*rules.Relation]*member)}
	f.Planning = o
	f.Grows = func(rel *rules.Relation) bool { return f.members[rel] != nil }
	for _, r := range list {
		growing = append(growing, r.Head.Rel)
	}
	for _, rel := range growing {
		if f.members[rel] == nil {
			f.members[rel] = &member{rel: rel}
		}
	}
	for _, r := range list {
		head := f.members[r.Head.Rel]
		f.first = append(f.first, use{rule: r, literal: WholeRule, head: head})
		for i := range r.Body {
			l := &r.Body[i]
			if m := f.members[l.Atom.Rel]; m != nil && l.Op == gdl.Holds && (f.Ignore == nil || !f.Ignore(l)) {
				m.uses = append(m.uses, int32(len(f.uses)))
				f.uses = append(f.uses, use{rule: r, literal: i, head: head})
			}
		}
	}
	return f
}

// Fixpoint adds the tuples of the least fixpoint of rules to their stored relations.
func (j *Joiner) Fixpoint(list []*rules.Rule) error {
	return NewFixpoint(Planning{Watch: j.Meter.Watch}, list).Run(j)
}

// MakePlans makes the plans of all rounds, and thereby the indexes that they read; the plans of the first round only
// if first is set.
func (f *Fixpoint) MakePlans(first bool) {
	for i := range f.uses {
		f.uses[i].plan = f.NewPlan(f.uses[i].rule, f.uses[i].literal, nil)
	}
	for i := range f.first {
		if first {
			f.first[i].plan = f.NewPlan(f.first[i].rule, f.first[i].literal, nil)
		}
	}
}

// Run evaluates all rules to their least fixpoint.
func (f *Fixpoint) Run(j *Joiner) error {
	for i := range f.first {
		f.first[i].head.rel.StartRounds()
	}
	for i := range f.first {
		if err := f.derive(j, &f.first[i]); err != nil {
			return err
		}
	}
	return f.Saturate(j)
}

// Saturate repeats rounds from the new tuples until the delta is empty.
func (f *Fixpoint) Saturate(j *Joiner) error {
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
func (f *Fixpoint) derive(j *Joiner, u *use) (err error) {
	if u.plan == nil || u.plan.grown() {
		u.plan = f.NewPlan(u.rule, u.literal, nil)
	}
	taken := false
	if f.Take != nil {
		taken, err = f.Take(u.plan)
	}
	if !taken {
		err = j.Derive(u.plan, nil)
	}
	if f.noteMember(u.head); err != nil {
		for _, m := range f.grown {
			m.grown = false
		}
		f.grown, f.delta = f.grown[:0], f.delta[:0]
	}
	return err
}

// Note records that a relation may have new tuples, which were derived elsewhere.
func (f *Fixpoint) Note(rel *rules.Relation) { f.noteMember(f.members[rel]) }

// noteMember adds a member to grown if it has new tuples.
func (f *Fixpoint) noteMember(m *member) {
	if !m.grown && m.rel.HasNew() {
		m.grown = true
		f.grown = append(f.grown, m)
	}
}

// advance makes the new tuples of the last round the delta of the next round.
func (f *Fixpoint) advance() {
	for _, m := range f.delta {
		m.rel.EndDelta()
	}
	f.delta, f.grown = f.grown, f.delta[:0]
	for _, m := range f.delta {
		m.rel.NextRound()
		m.grown = false
	}
}

// eagerWork bounds the work of computing a static relation: some tenths of a second.
const eagerWork = 20_000_000

// TryFixpoint is Fixpoint with limits of its own on the number of tuples and on the
// work. It returns false if one was hit, having forgotten the terms made on the way.
func (j *Joiner) TryFixpoint(list []*rules.Rule, maxTuples int) bool {
	m := j.Meter
	tuples, terms, limit := m.tuples, j.terms.Len(), m.limits.MaxTuples
	m.limits.MaxTuples = min(limit, tuples+maxTuples)
	m.Work, m.stop = 0, eagerWork
	err := j.Fixpoint(list)
	m.limits.MaxTuples, m.stop = limit, 0
	if !errors.Is(err, datalog.ErrLimit) && !errors.Is(err, errTooMuchWork) {
		return true // the meter keeps an error of the context
	}
	m.Err, m.tuples = nil, tuples
	j.terms.Truncate(terms)
	return false
}

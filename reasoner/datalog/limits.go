package datalog

import (
	"errors"
	"fmt"

	"stackmate/internal/guard"
)

// Limits bound the work of Ground and NewMachine. Zero fields mean the defaults. Thorough grounding doubles the
// defaults, as it adds the tuples of demand relations.
type Limits struct {
	MaxTuples    int   // of all relations; default 6 million
	MaxAtoms     int   // possible atoms of dynamic relations; default 2.5 million
	MaxInstances int   // rule instances; default 5 million
	MaxBytes     int64 // memory of tables and instances; default 3 GiB
	// Thorough makes Ground rewrite rules wherever the program may become smaller, which takes longer. Without it
	// Ground rewrites rules only if the program is expected to become smaller.
	Thorough bool
	// Large is called once, if the rule instances reach half of MaxInstances; it may be nil.
	Large func()
}

// largeShare divides Limits.MaxInstances: the number of instances at which Limits.Large is called.
const largeShare = 2

// maxTerms is the maximal number of function terms in a grounding.
const maxTerms = 10_000

// ErrLimit is wrapped by errors that name the exceeded limit.
var ErrLimit = errors.New("limit of grounding")

func (l Limits) withDefaults() Limits {
	times := 1
	if l.Thorough {
		times = 2
	}
	if l.MaxTuples <= 0 {
		l.MaxTuples = times * 6_000_000
	}
	if l.MaxAtoms <= 0 {
		l.MaxAtoms = times * 2_500_000
	}
	if l.MaxInstances <= 0 {
		l.MaxInstances = times * 5_000_000
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 3 << 30
	}
	return l
}

// grounding names the operation in the errors of a context that is done.
const grounding = "grounding"

// meter checks the limits and the context while rules are joined. err is the first violation.
type meter struct {
	watch  *guard.Watch
	limits Limits
	tuples int
	atoms  int
	ticks  int
	terms  func() int // the number of function terms; nil if unlimited
	work   int64      // tried matches
	stop   int64      // the work at which tryFixpoint gives up; 0 for no bound
	bytes  func() int64
	err    error
}

// ticksPerCheck is the number of matches between checks of the context and the memory: some milliseconds of work.
const ticksPerCheck = 1 << 14

// tick counts a match and reports whether evaluation may continue.
func (m *meter) tick(p *plan) bool {
	m.work++
	if m.ticks++; m.ticks >= ticksPerCheck {
		m.ticks = 0
		m.check(p)
	}
	return m.err == nil
}

func (m *meter) check(p *plan) {
	if m.err != nil {
		return
	}
	if m.stop > 0 && m.work > m.stop {
		m.err = errTooMuchWork
	} else if err := m.watch.Err(); err != nil {
		m.err = fmt.Errorf("%w, at %s", err, describe(p.rule))
	} else if m.terms != nil && m.terms() > maxTerms {
		m.exceed(p.rule, "more than %d function terms", maxTerms)
	} else if b := m.bytes(); b > m.limits.MaxBytes {
		m.exceed(p.rule, "more than %d bytes", m.limits.MaxBytes)
	}
}

// exceed sets the error of an exceeded limit, unless there is an error already.
func (m *meter) exceed(r *rule, what string, limit int64) {
	if m.err == nil {
		m.err = fmt.Errorf("%w: "+what+", at %s", ErrLimit, limit, describe(r))
	}
}

// tuple counts a new tuple.
func (m *meter) tuple(p *plan) {
	if m.tuples++; m.tuples > m.limits.MaxTuples {
		m.exceed(p.rule, "more than %d tuples", int64(m.limits.MaxTuples))
	}
	if p.rule.head.rel.dynamic {
		if m.atoms++; m.atoms > m.limits.MaxAtoms {
			m.exceed(p.rule, "more than %d possible atoms", int64(m.limits.MaxAtoms))
		}
	}
}

// errTooMuchWork ends tryFixpoint.
var errTooMuchWork = errors.New("too much work")

// describe names the rule of the rulesheet, with its position, from which r was made.
func describe(r *rule) string {
	if r.source.Head.Name == "" {
		return "the carry from one position to the next"
	}
	what := "the rule"
	if r.split {
		what = "a part of the rule"
	}
	pos := r.source.Pos
	return fmt.Sprintf("%s for %s at %s:%d:%d", what, r.source.Head, pos.File, pos.Line, pos.Column)
}

package datalog

import (
	"errors"
	"fmt"

	"stackmate/internal/guard"
)

// maxTerms is the maximal number of function terms in a grounding.
const maxTerms = 10_000

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
	if p.rule.head.rel.isOpen() {
		if m.atoms++; m.atoms > m.limits.MaxAtoms {
			m.exceed(p.rule, "more than %d possible atoms", int64(m.limits.MaxAtoms))
		}
	}
}

// errTooMuchWork ends tryFixpoint.
var errTooMuchWork = errors.New("too much work")

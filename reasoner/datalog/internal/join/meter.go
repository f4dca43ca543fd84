package join

import (
	"errors"
	"fmt"

	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/rules"
)

// maxTerms is the maximal number of function terms in a grounding.
const maxTerms = 10_000

// Meter checks the limits and the context while rules are joined. Err is the first violation.
type Meter struct {
	Watch  *guard.Watch
	limits datalog.Limits
	tuples int
	atoms  int
	ticks  int
	Terms  func() int // the number of function terms; nil if unlimited
	Work   int64      // tried matches
	stop   int64      // the work at which TryFixpoint gives up; 0 for no bound
	Bytes  func() int64
	Err    error
}

// NewMeter returns a meter; bytes returns the memory in use.
func NewMeter(w *guard.Watch, lim datalog.Limits, bytes func() int64) *Meter {
	return &Meter{Watch: w, limits: lim, Bytes: bytes}
}

// Reset sets the counts of tuples to zero.
func (m *Meter) Reset() { m.tuples, m.atoms = 0, 0 }

// Add counts a tuple that no plan derived.
func (m *Meter) Add() { m.tuples++ }

// ticksPerCheck is the number of matches between checks of the context and the memory: some milliseconds of work.
const ticksPerCheck = 1 << 14

// tick counts a match and reports whether evaluation may continue.
func (m *Meter) tick(p *Plan) bool {
	m.Work++
	if m.ticks++; m.ticks >= ticksPerCheck {
		m.ticks = 0
		m.check(p)
	}
	return m.Err == nil
}

func (m *Meter) check(p *Plan) {
	if m.Err != nil {
		return
	}
	if m.stop > 0 && m.Work > m.stop {
		m.Err = errTooMuchWork
	} else if err := m.Watch.Err(); err != nil {
		m.Err = fmt.Errorf("%w, at %s", err, rules.Describe(p.Rule))
	} else if m.Terms != nil && m.Terms() > maxTerms {
		m.Exceed(p.Rule, "more than %d function terms", maxTerms)
	} else if b := m.Bytes(); b > m.limits.MaxBytes {
		m.Exceed(p.Rule, "more than %d bytes", m.limits.MaxBytes)
	}
}

// Exceed sets the error of an exceeded limit, unless there is an error already.
func (m *Meter) Exceed(r *rules.Rule, what string, limit int64) {
	if m.Err == nil {
		m.Err = fmt.Errorf("%w: "+what+", at %s", datalog.ErrLimit, limit, rules.Describe(r))
	}
}

// tuple counts a new tuple.
func (m *Meter) tuple(p *Plan) {
	if m.tuples++; m.tuples > m.limits.MaxTuples {
		m.Exceed(p.Rule, "more than %d tuples", int64(m.limits.MaxTuples))
	}
	if p.Rule.Head.Rel.IsOpen() {
		if m.atoms++; m.atoms > m.limits.MaxAtoms {
			m.Exceed(p.Rule, "more than %d possible atoms", int64(m.limits.MaxAtoms))
		}
	}
}

// errTooMuchWork ends TryFixpoint.
var errTooMuchWork = errors.New("too much work")

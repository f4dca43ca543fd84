package simultaneous

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
	"stackmate/search/threads"
)

// Several threads run best-first search of the same position, each with its own frames, expander and engine, and one common table. Each searches
// the best cell that no other worker is in; if all are occupied, it follows into the best one and finds work further down. A worker returns to a
// position on its path once the table, filled by other workers, answers the question asked there.
//
// A search of few nodes is done before the other workers would have begun: they join later. The first worker that completes the search ends it, and
// worker 0 reads the result from the table.
//
// Invariant: a proved bound holds, whichever worker proves it. With one thread there is no crew, and the search is reproducible.

// crew is the workers of one search.
type crew struct {
	threads.Crew
	busy    threads.Busy
	workers []*solver // the first one makes the result
	errs    []error   // of them
}

// aloneNodes is the number of nodes below which a search is not worth several threads: it
// ends within a tenth of a second, and is reproducible.
const aloneNodes = 1 << 14

// question is a position that is searched in a window.
type question struct {
	position    machine.State
	alpha, beta float64
}

// together searches position q on all threads.
func (s *solver) together(ctx context.Context, q machine.State, lim search.Limits) (v search.Interval, f *frame, strategies [][]search.Weighted) {
	n := s.config.threads()
	if n == 1 || s.horizon != nil {
		return s.settle(q)
	}
	s.crew = &crew{workers: append([]*solver{s}, make([]*solver, n-1)...), errs: make([]error, n)}
	c := s.crew
	if s.limits.MaxNodes > 0 {
		s.limits.MaxNodes = max(lim.MaxNodes/int64(n), 1)
	}
	limits := s.limits
	limits.Progress = nil
	first := c.Together(n, func(i int) (bool, error) {
		if i == 0 {
			v, f, strategies = s.root(q)
			return !s.stopped, s.err
		}
		w, err := newSolver(ctx, s.config, s.machine, s.maxBytes)
		if err != nil {
			return false, err
		}
		c.workers[i] = w
		w.memory.table, w.crew, w.payoffs = s.memory.table.Another(), c, s.payoffs
		w.begin(ctx, limits)
		w.root(q)
		return !w.stopped, w.err
	}, func(i int, err error) { c.errs[i] = err })
	s.crew, s.outrun = nil, 0
	for i, w := range c.workers {
		if w != nil && w != s {
			s.add(w)
		}
		if err := c.errs[i]; err != nil {
			s.fail(err)
		}
	}
	switch {
	case s.err != nil:
	case first > 0:
		s.stopped, s.cause, s.limits.MaxNodes = false, nil, 0
		v, f, strategies = s.settle(q)
	case errors.Is(s.cause, errRepeats):
		s.limits.MaxNodes = lim.MaxNodes
		v, f, strategies = s.settle(q)
	}
	return v, f, strategies
}

// add adds the counters of another worker.
func (s *solver) add(w *solver) {
	s.counters.Nodes += w.counters.Nodes
	s.counters.LPCalls += w.counters.LPCalls
	s.counters.LPTime += w.counters.LPTime
	s.counters.TableHits += w.counters.TableHits
	s.rounded, s.actions = s.rounded || w.rounded, max(s.actions, w.actions)
	for _, f := range w.frames {
		s.peak += f.bytes()
	}
}

// isElsewhere reports whether another worker is in a cell.
func (s *solver) isElsewhere(f *frame, at int) bool { return s.crew.busy.Has(s.hash(f, at)) }

// hash returns the hash of the first position of a cell, which equals the hash of all symmetric positions.
func (s *solver) hash(f *frame, at int) uint64 {
	return table.Hash(s.symmetry.canon.Find(f.expansion.Child(f.first(at/f.n, at%f.n))).State)
}

// meetOthers looks, now and then, whether another worker has answered one of the questions on
// the path. If so this one unwinds to that position.
func (s *solver) meetOthers() {
	if s.crew == nil {
		return
	}
	if s == s.crew.workers[0] && s.counters.Nodes >= s.config.alone {
		s.crew.Join()
	}
	if s.stopped = s.stopped || s.crew.IsOver(); s.stopped || s.outrun > 0 || s.counters.Nodes%threads.OutrunNodes != 0 {
		return
	}
	for k, a := range s.path {
		if v, ok := s.memory.lookup(a.position); ok && s.isCloseEnough(v, a.alpha, a.beta) {
			s.outrun = k + 1
			return
		}
	}
}

// caughtUp returns the value of the last position on the path when the search unwinds: v, or the answer of another worker if that is the reason of
// the unwinding.
func (s *solver) caughtUp(v search.Interval) search.Interval {
	if s.outrun < len(s.path) {
		return v
	}
	s.outrun = 0
	if answer, ok := s.memory.lookup(s.path[len(s.path)-1].position); ok {
		v = meet(answer, v)
	}
	return v
}

// unwinds reports whether the search must return with the bounds known so far.
func (s *solver) unwinds() bool { return s.stopped || s.outrun > 0 }

// Package analysis searches positions for people: the page, the terminal, and players of saved solutions. It knows saved solutions
// and searches. It knows neither matches nor messages.
package analysis

import (
	"context"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// Saved is a saved solution.
type Saved struct {
	Name string // for the log
	// Open reads the solution within so many bytes. The error says whether it belongs to other rules.
	Open func(rules *gdl.Game, m machine.Machine, bytes int64) (search.Solution, error)
}

// searcher searches positions exactly for half of the time and, unless that solves them, by sampling for the other half.
type searcher struct {
	exact, sampler *solve.Solver
	bytes          int64 // of memory, for each of the two searches
}

// newSearcher returns a searcher with so many threads and bytes.
func newSearcher(threads int, bytes int64) (*searcher, error) {
	s := &searcher{bytes: bytes}
	for method, solver := range map[string]**solve.Solver{solve.Auto: &s.exact, solve.MonteCarlo: &s.sampler} {
		o := solve.Default()
		o.Method, o.Memory, o.Threads = method, max(1, bytes>>20), threads
		var err error
		if *solver, err = solve.New(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// expectRepetition makes later results lead to an end: positions of the game repeat.
func (s *searcher) expectRepetition(m machine.Machine) {
	s.exact.ExpectRepetition(m)
	s.sampler.ExpectRepetition(m)
}

// search returns the result of a search of q within a time. Report receives interim results with the name of their method.
func (s *searcher) search(ctx context.Context, m machine.Machine, q machine.State, within time.Duration, report func(search.Result, string)) (search.Result, error) {
	limited := func(solver *solve.Solver, method string, merge func(search.Result) search.Result) (search.Result, error) {
		half, cancel := context.WithTimeout(ctx, within/2)
		defer cancel()
		r, err := solver.Search(half, m, q, search.Limits{MaxBytes: s.bytes, Seed: 1, Progress: func(r search.Result) { report(merge(r), method) }})
		if r = merge(r); err == nil {
			report(r, method)
		}
		return r, err
	}
	proved, failure := limited(s.exact, "exact", func(r search.Result) search.Result { return r })
	if failure == nil && proved.Solved() || ctx.Err() != nil {
		return proved, failure
	}
	return limited(s.sampler, "sampling", func(r search.Result) search.Result {
		if failure == nil && proved.Proved && r.Proved && len(proved.Values) == len(r.Values) {
			r.Values, r.Estimates = slices.Clone(r.Values), slices.Clone(r.Estimates)
			for role, v := range proved.Values {
				v = search.Interval{Lower: max(v.Lower, r.Values[role].Lower), Upper: min(v.Upper, r.Values[role].Upper)}
				if r.Values[role] = v; role < len(r.Estimates) {
					r.Estimates[role] = min(max(r.Estimates[role], v.Lower), v.Upper)
				}
			}
		}
		return r
	})
}

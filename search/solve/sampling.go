package solve

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// sampling is Monte Carlo tree search whose values are the proved bounds, with separate estimates.
type sampling struct{ *montecarlo.Searcher }

// Search implements search.Searcher.
func (s sampling) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if tell := lim.Progress; tell != nil {
		lim.Progress = func(r search.Result) { tell(s.proved(r)) }
	}
	r, err := s.Searcher.Search(ctx, m, q, lim)
	if err != nil {
		return r, err
	}
	return s.proved(r), nil
}

// proved returns r with its estimates separated from the proved bounds.
func (s sampling) proved(r search.Result) search.Result {
	bounds := s.Bounds()
	if r.Proved || len(bounds) != len(r.Values) {
		return r
	}
	r.Estimates = make([]float64, len(r.Values))
	for role, v := range r.Values {
		r.Estimates[role] = v.Lower
	}
	r.Values, r.Proved = bounds, true
	return r
}

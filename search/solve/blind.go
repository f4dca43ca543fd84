package solve

import (
	"context"
	"iter"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
)

// blind is a search on a machine without symmetries.
type blind struct{ search.Searcher }

// Search implements search.Searcher.
func (b blind) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	return b.Searcher.Search(ctx, plain{m}, q, lim)
}

// blindKeeper is a blind search that keeps its proofs.
type blindKeeper struct{ search.Keeper }

// Search implements search.Searcher.
func (b blindKeeper) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	return blind{b.Keeper}.Search(ctx, m, q, lim)
}

// Keep implements search.Keeper.
func (b blindKeeper) Keep(m machine.Machine, maxBytes int64, records iter.Seq2[[]uint64, error]) error {
	return b.Keeper.Keep(plain{m}, maxBytes, records)
}

// withoutSymmetries returns a search that uses no symmetries.
func withoutSymmetries(s search.Searcher) search.Searcher {
	if k, ok := s.(search.Keeper); ok {
		return blindKeeper{k}
	}
	return blind{s}
}

// plain is a machine without symmetries; machines derived from it have none, either.
type plain struct{ machine.Machine }

// Unwrap implements machine.Wrapper.
func (m plain) Unwrap() machine.Machine { return m.Machine }

// Symmetries implements facts.Symmetric.
func (plain) Symmetries() []facts.Symmetry { return nil }

// Decisive implements facts.Deciding.
func (m plain) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	if decisive := facts.Decisive(ctx, m.Machine, atOnce); decisive != nil {
		return plain{decisive}
	}
	return nil
}

// Subgames implements facts.Divisible.
func (m plain) Subgames(ctx context.Context) []facts.Subgame {
	parts := slices.Clone(facts.Subgames(ctx, m.Machine))
	for i := range parts {
		parts[i].Machine = plain{parts[i].Machine}
	}
	return parts
}

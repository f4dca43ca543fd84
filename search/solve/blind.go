package solve

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// blind is a search that is shown no symmetries.
type blind struct{ search.Searcher }

// Search implements search.Searcher.
func (b blind) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	return b.Searcher.Search(ctx, plain{m}, q, lim)
}

// plain is a machine that says nothing of its symmetries.
type plain struct{ machine.Machine }

// Symmetries implements machine.Machine.
func (plain) Symmetries() []machine.Symmetry { return nil }

// Decisive implements machine.Decider, where the machine does.
func (m plain) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	if d, ok := m.Machine.(machine.Decider); ok {
		if decisive := d.Decisive(ctx, atOnce); decisive != nil {
			return plain{decisive}
		}
	}
	return nil
}

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

// plain is a machine that says nothing of its symmetries. All else that it may know beside the
// rules it forwards; plans make no use of symmetries.
type plain struct{ machine.Machine }

var (
	_ machine.Decider   = plain{}
	_ machine.Factored  = plain{}
	_ machine.Planner   = plain{}
	_ machine.Signaller = plain{}
)

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

// Subgames implements machine.Factored, where the machine does.
func (m plain) Subgames(ctx context.Context) []machine.Subgame {
	d, ok := m.Machine.(machine.Factored)
	if !ok {
		return nil
	}
	var list []machine.Subgame
	for _, g := range d.Subgames(ctx) {
		g.Machine = plain{g.Machine}
		list = append(list, g)
	}
	return list
}

// Plan implements machine.Planner, where the machine does.
func (m plain) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	p, ok := m.Machine.(machine.Planner)
	if !ok {
		return machine.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}, errNoPlans
	}
	return p.Plan(ctx, s, lim)
}

// Signals implements machine.Signaller, where the machine does.
func (m plain) Signals(ctx context.Context) machine.Signals {
	if d, ok := m.Machine.(machine.Signaller); ok {
		return d.Signals(ctx)
	}
	return nil
}

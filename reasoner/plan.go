package reasoner

import (
	"context"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
)

// planning makes a planner when it is first asked for a plan.
type planning struct {
	once    sync.Once
	planner *prove.Planner
	err     error
}

var _ machine.Planner = (*decider)(nil)

// Plan implements machine.Planner.
func (d *decider) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	d.once.Do(func() { d.planner, d.err = prove.NewPlanner(d.game, d.Machine) })
	if d.err != nil {
		return machine.Plan{}, d.err
	}
	return d.planner.Plan(ctx, s, lim)
}

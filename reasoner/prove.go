package reasoner

import (
	"context"
	"sync"

	"stackmate/gdl"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/plan"
	"stackmate/reasoner/prove"
)

// planning makes a planner when it is first asked for a plan.
type planning struct {
	once    sync.Once
	planner *plan.Planner
	err     error
}

// Plan implements machine.Analysis.
func (d *decider) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	d.once.Do(func() { d.planner, d.err = plan.New(d.game.Whole(), d.Machine) })
	if d.err != nil {
		return machine.Plan{}, d.err
	}
	return d.planner.Plan(ctx, s, lim)
}

// Prove tells what holds in all positions of a game: findings for people, and the names
// in which their lines are.
func Prove(ctx context.Context, g *gdl.Game, o Options, lim prove.Limits) ([]prove.Finding, *machine.Names, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	game, err := Circuit(ctx, g, o)
	if err != nil {
		return nil, nil, err
	}
	m, err := circuit.Compile(ctx, game, circuit.Options{Memory: o.Memory / batchShare})
	if err != nil {
		return nil, nil, err
	}
	findings, err := prove.Rules(ctx, game.Whole(), m, lim)
	return findings, m.Names(), err
}

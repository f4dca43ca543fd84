package reasoner

import (
	"context"

	"stackmate/gdl"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/plan"
	"stackmate/reasoner/prove"
)

// planner finds the plans of a game, or says why there are none.
type planner struct {
	*plan.Planner
	err error
}

// Plan implements machine.Analysis.
func (d *decider) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	p := d.planner.get(func() planner {
		p, err := plan.New(d.game.Whole(), d.Machine)
		return planner{p, err}
	})
	if p.err != nil {
		return machine.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}, p.err
	}
	return p.Plan(ctx, s, lim)
}

// proved is a number, and whether it is proved.
type proved[T any] struct {
	value T
	ok    bool
}

// factMemory bounds the formulas of the facts that a machine proves, in bytes.
const factMemory = 1 << 30

// ProvedGoalSum implements machine.Analysis.
func (d *decider) ProvedGoalSum(ctx context.Context) (sum int32, ok bool) {
	p := d.goalSum.get(func() proved[int32] {
		sum, ok := prove.GoalSum(ctx, d.game.Whole(), d.Machine, factMemory)
		return proved[int32]{sum, ok}
	})
	return p.value, p.ok
}

// ProvedLength implements machine.Analysis.
func (d *decider) ProvedLength(ctx context.Context) (moves int, ok bool) {
	p := d.length.get(func() proved[int] {
		moves, ok := prove.Length(ctx, d.game.Whole(), d.Machine, factMemory)
		return proved[int]{moves, ok}
	})
	return p.value, p.ok
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

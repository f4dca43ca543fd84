package machine

import "context"

// Planner is a Machine that finds plans in games for one role without chance: it reads
// the rules as a formula, where searches try moves.
type Planner interface {
	// Plan looks for the plan with the best goal from position s until none better is left
	// or ctx ends. The error says why there are no plans for this game.
	Plan(ctx context.Context, s State, lim PlanLimits) (Plan, error)
}

// PlanLimits bound the search for a plan besides its context.
type PlanLimits struct {
	Bytes int64 // that it may take, about; 0 for no limit
	// Progress, if not nil, is told of each plan that is better than those before.
	Progress func(Plan)
}

// Plan is the best one known.
type Plan struct {
	Line  [][]Move // joint moves to a terminal position; nil if no plan is known
	Goal  int32    // goal points at its end; NoGoal if no plan is known
	Bound int32    // goal points: it is proved that no plan has more
	Calls int64    // of the engine that decides formulas
	Bytes int64    // the largest formula
}

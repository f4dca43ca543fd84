package solve

import (
	"context"
	"fmt"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// planner is the machine's own search for plans.
type planner struct{}

var _ search.Searcher = planner{}

// Search implements search.Searcher. For a machine or game without plans it returns trivial bounds without an error,
// as other searches may run in parallel.
func (planner) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	limits := facts.PlanLimits{MaxBytes: lim.MaxBytes}
	if lim.Progress != nil {
		limits.Progress = func(found facts.Plan) { lim.Progress(planned(m, found, began)) }
	}
	found, err := facts.FindPlan(ctx, m, q, limits)
	if err != nil {
		found = facts.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}
	}
	r := planned(m, found, began)
	r.Unfinished = err
	if found.Faulty != nil && found.Bound < machine.MaxGoal {
		play.Outcome(m, q, found.Faulty) // a machine that checks its goals (package goals) refuses the bound
	}
	return r, confirm(m, q, found)
}

// confirm makes the joint moves of a plan. The plan engine reads the rules of a single goal value; the end of the plan
// shows whether the role has this goal alone. It returns an error for another end.
func confirm(m machine.Machine, q machine.State, p facts.Plan) error {
	if p.Line == nil {
		return nil
	}
	switch goals, over := play.Outcome(m, q, p.Line); {
	case over && goals[0] == p.Goal:
		return nil
	case over && goals[0] == machine.NoGoal:
		return search.ErrGoals
	}
	return fmt.Errorf("expected a plan of %d joint moves to a goal of %d, found another end: this is a fault of the program", len(p.Line), p.Goal)
}

// planned returns a plan as search result.
func planned(m machine.Machine, p facts.Plan, began time.Time) search.Result {
	roles := len(m.Names().Roles)
	r := search.Result{
		Values: make([]search.Interval, roles), Proved: true, Strategies: make([][]search.Weighted, roles), Line: p.Line,
		Counters: search.Counters{Nodes: p.Calls, PeakBytes: p.Bytes, Elapsed: time.Since(began)},
	}
	for role := range r.Values {
		r.Values[role] = search.Interval{Lower: float64(search.Points(p.Goal)), Upper: float64(search.Points(p.Bound))}
	}
	if p.Bound < machine.MaxGoal {
		r.Concept = search.BestEnd
	}
	if len(p.Line) > 0 {
		r.Moves = make([][]search.Known, roles)
		for role, move := range p.Line[0] {
			r.Strategies[role] = []search.Weighted{{Move: move, Probability: 1}}
			sure := search.Interval{Lower: r.Values[role].Lower, Upper: machine.MaxGoal}
			r.Moves[role] = []search.Known{{Move: move, Bounds: sure, Estimate: sure.Lower}}
		}
	}
	return r
}

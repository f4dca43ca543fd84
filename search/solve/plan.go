package solve

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// planner is the search for plans that the machine knows itself.
type planner struct{}

var _ search.Searcher = planner{}

// Search implements search.Searcher. Of a machine or game without plans it knows nothing,
// which is no error: there may be searches beside it.
func (planner) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	limits := machine.PlanLimits{MaxBytes: lim.MaxBytes}
	if lim.Progress != nil {
		limits.Progress = func(found machine.Plan) { lim.Progress(planned(m, found, began)) }
	}
	found, err := m.Plan(ctx, q, limits)
	if err != nil {
		found = machine.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}
	}
	r := planned(m, found, began)
	r.Unfinished = err
	return r, nil
}

// planned is a plan as the result of a search.
func planned(m machine.Machine, p machine.Plan, began time.Time) search.Result {
	roles := len(m.Names().Roles)
	r := search.Result{
		Values: make([]search.Interval, roles), Proved: true, Strategies: make([][]search.Weighted, roles), Line: p.Line,
		Counters: search.Counters{Nodes: p.Calls, PeakBytes: p.Bytes, Elapsed: time.Since(began)},
	}
	for role := range r.Values {
		r.Values[role] = search.Interval{Lower: float64(search.Points(p.Goal)), Upper: float64(search.Points(p.Bound))}
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

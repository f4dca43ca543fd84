package prove

import (
	"context"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/prove/sat"
)

// Plans by formulas of all joint moves at once, at growing horizons in turn, each given as
// much time as all longer ones together (Rintanen, "Evaluation strategies for planning as
// satisfiability", 2004): at which horizon the best goal can be reached is not known, and
// that there is none within too short a one can be hardest to prove. Each horizon is asked
// for the best goal that is not yet refuted, and for any that is better than the best plan
// so far.

const (
	// firstHorizon is the first number of joint moves that is tried; the others are
	// twice that, and so on.
	firstHorizon = 4
	// firstConflicts is what the first call of the engine may take. Each round doubles
	// it for the horizons tried before, and adds one.
	firstConflicts = 500
	// circuitBytes is the memory of a step, for each gate of the game.
	circuitBytes = 500
)

// horizon is what is known of the games of up to so many joint moves.
type horizon struct {
	steps   int
	refuted int32 // goals of at least that are refuted
}

// nextHorizon asks the next horizon; after the last one comes a longer one, then the first
// again. It tells whether there is anything left to ask: not all horizons are done.
func (q *planning) nextHorizon(ctx context.Context) bool {
	if q.asking == len(q.horizons) {
		if !q.grow() {
			return false
		}
		q.asking = 0
	}
	conflicts := int64(firstConflicts) << min(len(q.horizons)-1-q.asking, 40)
	if q.complete { // no longer one will follow: the last is worth as much as all others
		conflicts = firstConflicts << min(len(q.horizons)-1, 40)
	}
	q.try(ctx, q.asking, conflicts)
	q.asking = min(q.asking+1, len(q.horizons))
	return true
}

// grow adds a horizon, or tells that there is nothing more to try: all are done.
func (q *planning) grow() bool {
	open := false
	for _, h := range q.horizons {
		open = open || h.refuted > q.plan.Goal+1
	}
	if q.complete || q.full {
		return open
	}
	last := q.horizons[len(q.horizons)-1].steps
	q.horizons = append(q.horizons, horizon{2 * last, q.plan.Bound + 1})
	return true
}

// try asks a horizon for better plans, each call of the engine within a number of conflicts.
func (q *planning) try(ctx context.Context, i int, conflicts int64) {
	h := &q.horizons[i]
	if !q.unrollTo(ctx, h.steps) {
		q.horizons = q.horizons[:i]
		return
	}
	lim := sat.Limits{Conflicts: conflicts, Bytes: q.limits.Bytes / formulaShare}
	ended := q.at(h.steps, q.game.Terminal)
	if i == len(q.horizons)-1 && !q.complete {
		q.complete = q.solve(ctx, lim, ended.Not()) == sat.Unsat
	}
	for _, least := range []func() int32{func() int32 { return q.highest(h) }, func() int32 { return q.plan.Goal + 1 }} {
		for status := sat.Sat; status != sat.Unknown && h.refuted > q.plan.Goal+1; {
			goal := least()
			q.plan.Calls++
			status = q.solve(ctx, lim, ended, q.goalAtLeast(h.steps, 0, goal))
			switch status {
			case sat.Unsat:
				q.refute(i, goal)
			case sat.Sat:
				if !q.take(q.line(h.steps)) {
					q.full = true // an assignment that recursive rules do not know: there would be more
					q.horizons = q.horizons[:0]
					return
				}
			}
		}
	}
}

// highest is the highest goal that is not refuted at a horizon.
func (q *planning) highest(h *horizon) int32 {
	best := q.plan.Goal + 1
	for _, g := range q.game.Goals {
		if g.Value < h.refuted && g.When != circuit.False {
			best = max(best, g.Value)
		}
	}
	return best
}

// refute takes note that no plan of horizon i has a goal of that or more.
func (q *planning) refute(i int, goal int32) {
	for j := range q.horizons[:i+1] {
		q.horizons[j].refuted = min(q.horizons[j].refuted, goal)
	}
	if q.complete && i == len(q.horizons)-1 {
		q.lower(goal)
	}
}

// unrollTo adds the steps up to a horizon, or tells that there is no memory for them.
func (q *planning) unrollTo(ctx context.Context, steps int) bool {
	for k := q.played; k < steps; k++ {
		q.plan.Bytes = max(q.plan.Bytes, q.bytes())
		if ctx.Err() != nil || q.plan.Bytes+circuitBytes*int64(q.game.Net.Len()) > q.limits.Bytes/formulaShare {
			q.full = true
			return false
		}
		q.play(k + 1)
		q.assertAll(k+1, q.invariants)
		if k < brokenSteps {
			q.leaveOutImages(k, q.ties)
		}
		q.leaveOutDoubles(k, q.doubles)
	}
	return true
}

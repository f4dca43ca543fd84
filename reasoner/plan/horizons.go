package plan

import (
	"context"

	"stackmate/reasoner/prove"
	"stackmate/reasoner/prove/sat"
)

// Plans by formulas of all joint moves, at growing horizons. Each horizon gets as much time as all longer horizons
// together (Rintanen, "Evaluation strategies for planning as satisfiability", 2004): the shortest horizon of a plan
// is unknown, and the refutation of a horizon just below it can be the hardest. Each horizon is asked for the best
// goal that is not refuted, and for any goal better than the best plan.

const (
	// firstHorizon is the number of joint moves of the first horizon; each later horizon is twice as long.
	firstHorizon = 4
	// firstConflicts bounds the conflicts of the first call of the engine. Each round doubles the bound for the
	// horizons tried before, and adds a horizon.
	firstConflicts = 500
)

// horizons is the state of the search by formulas.
type horizons struct {
	*planning
	*prove.Formula
	assumed  *prove.Invariants // invariants assumed at all steps
	list     []horizon
	complete bool // every game ends within the last horizon
	full     bool // no memory for more steps
}

// horizon is the games of up to a number of joint moves.
type horizon struct {
	steps   int
	refuted int32 // least goal whose refutation is known
}

func (q *planning) newHorizons() *horizons {
	return &horizons{
		planning: q, Formula: prove.NewFormula(q.game, q.start), assumed: q.invariants,
		list: []horizon{{firstHorizon, q.plan.Bound + 1}},
	}
}

// byHorizons asks the horizons in order, then adds a longer horizon, and begins again with the first.
func (q *planning) byHorizons(ctx context.Context, pause func() bool) {
	h := q.newHorizons()
	defer h.Close()
	for i := 0; ; i++ {
		if i >= len(h.list) {
			if !h.grow() {
				return
			}
			i = 0
		}
		rounds := len(h.list) - 1 - i
		if h.complete { // the last horizon gets as much as the others together
			rounds = len(h.list) - 1
		}
		h.tryHorizon(ctx, i, firstConflicts<<min(rounds, 40))
		if !pause() {
			return
		}
	}
}

// grow adds a horizon. If there cannot be a longer horizon, it reports whether a horizon still has goals that are not
// refuted.
func (h *horizons) grow() bool {
	if h.complete || h.full {
		for _, k := range h.list {
			if k.refuted > h.plan.Goal+1 {
				return true
			}
		}
		return false
	}
	h.list = append(h.list, horizon{2 * h.list[len(h.list)-1].steps, h.plan.Bound + 1})
	return true
}

// tryHorizon asks a horizon for better plans, with a bound on the conflicts of each call of the engine.
func (h *horizons) tryHorizon(ctx context.Context, i int, conflicts int64) {
	k := &h.list[i]
	if !h.unrollTo(ctx, k.steps) {
		h.list = h.list[:i]
		return
	}
	lim := sat.Limits{MaxConflicts: conflicts, MaxBytes: h.limits.MaxBytes / formulaShare}
	ended := h.SignalAt(k.steps, h.game.Terminal)
	if i == len(h.list)-1 && !h.complete {
		h.complete = h.Solve(ctx, lim, ended.Not()) == sat.Unsat
	}
	for _, least := range []func() int32{func() int32 { return h.nextGoal(k.refuted) }, func() int32 { return h.plan.Goal + 1 }} {
		for status := sat.Sat; status != sat.Unknown && k.refuted > h.plan.Goal+1; {
			goal := least()
			h.plan.Calls++
			status = h.Solve(ctx, lim, ended, h.GoalAtLeast(k.steps, 0, goal))
			switch status {
			case sat.Unsat:
				h.refute(i, goal)
			case sat.Sat:
				if !h.offer(h.Line(k.steps)) {
					h.full = true // the model is a fixpoint of recursive rules, but not the least
					h.list = h.list[:0]
					return
				}
			}
		}
	}
}

// refute records that no plan of horizon i has a goal of at least the given value.
func (h *horizons) refute(i int, goal int32) {
	for j := range h.list[:i+1] {
		h.list[j].refuted = min(h.list[j].refuted, goal)
	}
	if h.complete && i == len(h.list)-1 {
		h.refuteGoal(goal)
	}
}

// unrollTo unrolls the formula to a horizon, and assumes the invariants known by now at all steps. If there is not
// enough memory or time, it sets full and returns false.
func (h *horizons) unrollTo(ctx context.Context, steps int) bool {
	if h.assumed != h.invariants {
		h.assumed = h.invariants
		for k := 1; k <= h.Played; k++ {
			h.Assume(k, h.assumed)
		}
	}
	for k := h.Played; k < steps; k++ {
		h.plan.Bytes = max(h.plan.Bytes, h.Bytes())
		if ctx.Err() != nil || h.plan.Bytes+prove.StepBytes*int64(h.game.Net.Len()) > h.limits.MaxBytes/formulaShare {
			h.full = true
			return false
		}
		h.Play(k + 1)
		h.Assume(k+1, h.assumed)
	}
	return true
}

package plan

import (
	"context"

	"stackmate/reasoner/prove"
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
)

// horizons is a search by formulas.
type horizons struct {
	*planning
	*prove.Formula
	assumed  *prove.Invariants // at all steps
	list     []horizon
	complete bool // every game ends within the last horizon
	full     bool // there is no memory for more steps
}

// horizon is what is known of the games of up to so many joint moves.
type horizon struct {
	steps   int
	refuted int32 // goals of at least that are refuted
}

func (q *planning) newHorizons() *horizons {
	return &horizons{
		planning: q, Formula: prove.NewFormula(q.game, q.start), assumed: q.invariants,
		list: []horizon{{firstHorizon, q.plan.Bound + 1}},
	}
}

// byHorizons asks one horizon after the other; after the last one comes a longer one, then the
// first again.
func (q *planning) byHorizons(ctx context.Context, pause func() bool) {
	h := q.newHorizons()
	defer h.Close()
	for at := 0; ; at++ {
		if at >= len(h.list) {
			if !h.grow() {
				return
			}
			at = 0
		}
		rounds := len(h.list) - 1 - at
		if h.complete { // no longer one will follow: the last is worth as much as all others
			rounds = len(h.list) - 1
		}
		h.tryHorizon(ctx, at, firstConflicts<<min(rounds, 40))
		if !pause() {
			return
		}
	}
}

// grow adds a horizon, or tells that there is nothing more to try: all are done.
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

// try asks a horizon for better plans, each call of the engine within a number of conflicts.
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
					h.full = true // an assignment that recursive rules do not know: there would be more
					h.list = h.list[:0]
					return
				}
			}
		}
	}
}

// refute takes note that no plan of horizon i has a goal of that or more.
func (h *horizons) refute(i int, goal int32) {
	for j := range h.list[:i+1] {
		h.list[j].refuted = min(h.list[j].refuted, goal)
	}
	if h.complete && i == len(h.list)-1 {
		h.refuteGoal(goal)
	}
}

// unrollTo adds the steps up to a horizon, or tells that there is no memory for them.
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

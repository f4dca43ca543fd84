package plan

import (
	"context"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
	"stackmate/reasoner/prove/sat"
)

// Plans by their last position. Where many moves can be made in any order, as in the
// puzzles that fill a board, a formula of all steps drowns in the orders. But the last
// position is a small formula of its own: terminal, with the goal, and with all
// invariants. Its model is a target, and the line to it is searched for move by move: a
// fluent that stays true once it is true must not become true if it is false in the
// target. That leaves hardly anything but the order.
//
// A target that is not reached proves nothing: another one is asked for.

const (
	// maxTargets is how many targets are tried for a goal, and targetNodes how many
	// positions on the way to each.
	maxTargets     = 30
	maxTargetNodes = 20_000
	// firstTargets is what the first call of the engine may take. Each that is too short
	// doubles it.
	firstTargetConflicts = 1_000
)

// byTargets finds invariants, and then tries targets for the best goal that is not refuted; if that
// leads nowhere, targets for the next lower one.
func (q *planning) byTargets(ctx context.Context, pause func() bool) {
	if q.findInvariants(ctx, pause); len(q.invariants.Lasting()) == 0 {
		return
	}
	for goal := q.plan.Bound; goal > q.plan.Goal && pause(); {
		q.tryTargets(ctx, pause, goal)
		next := q.nextGoal(goal)
		if next >= goal {
			return
		}
		goal = next
	}
}

// findInvariants makes more and more invariants known to all searches.
func (q *planning) findInvariants(ctx context.Context, pause func() bool) {
	if found := q.Planner.invariants.Load(); found != nil {
		q.invariants = found
		return
	}
	for found := range prove.FindInvariants(ctx, q.game, q.machine, q.limits.MaxBytes/searchShare, false) {
		q.invariants = found
		if !pause() {
			return
		}
	}
	if ctx.Err() == nil {
		q.Planner.invariants.Store(q.invariants)
	}
}

// tryTargets tries targets with a goal of at least that.
func (q *planning) tryTargets(ctx context.Context, pause func() bool, goal int32) {
	f := prove.NewFormula(q.game, nil)
	defer f.Close()
	f.Assume(0, q.invariants)
	for _, l := range q.invariants.Lasting() {
		if prove.Holds(q.start, l) {
			f.Require(f.SignalAt(0, l))
		}
	}
	f.Require(f.SignalAt(0, q.game.Terminal))
	f.Require(f.GoalAtLeast(0, 0, goal))
	f.Count(ctx, q.invariants)
	limits := sat.Limits{MaxConflicts: firstTargetConflicts, MaxBytes: q.limits.MaxBytes / searchShare}
	for tried := 0; tried < maxTargets && f.Bytes() <= limits.MaxBytes && pause(); {
		q.plan.Calls++
		switch f.Solve(ctx, limits) {
		case sat.Unknown:
			limits.MaxConflicts *= 2
			continue
		case sat.Unsat:
			if tried == 0 { // nothing was left out, and invariants hold for good
				q.refuteGoal(goal)
			}
			return
		}
		tried++
		if q.searchTarget(ctx, pause, f, goal) {
			return
		}
	}
}

// searchTarget searches for a line to the target of a formula's model, or to any other position with that
// goal on which the same literals that last do not become true. If there is none, the formula has
// another target from now on.
func (q *planning) searchTarget(ctx context.Context, pause func() bool, f *prove.Formula, goal int32) bool {
	var other []logic.Lit                                                    // what is true of another target, one at least
	rise, fall := q.machine.Names().NewState(), q.machine.Names().NewState() // what must not become true, and false
	for _, l := range q.invariants.Lasting() {
		switch value := f.Value(f.SignalAt(0, l)); {
		case value && !prove.Holds(q.start, l):
			other = append(other, f.SignalAt(0, l).Not())
		case value:
		case l.Complemented():
			other = append(other, f.SignalAt(0, l))
			fall.Set(int(l.Node() - 1))
		default:
			other = append(other, f.SignalAt(0, l))
			rise.Set(int(l.Node() - 1))
		}
	}
	q.newExplorer(ctx).depthFirst(func() bool { return q.plan.Goal < goal && pause() }, maxTargetNodes, func(s machine.State) bool {
		for w, word := range s {
			if word&rise[w] != 0 || ^word&fall[w] != 0 {
				return false
			}
		}
		return true
	}, nil)
	if q.plan.Goal >= goal {
		return true
	}
	f.Require(other...)
	return false
}

package plan

import (
	"context"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
	"stackmate/reasoner/prove/sat"
)

// Plans by their last position. If many moves commute, as in puzzles that fill a board, a formula of all steps has to
// refute all their orders. The formula of the last position is small: the position is terminal, has the goal, and
// satisfies the invariants. Its model is a target. The search for a line to the target is depth first, and only
// follows joint moves that agree with the target on lasting fluents: a fluent that is false in the target, and would
// stay true, must not become true. This leaves little but the order of the moves.
//
// A target that is not reached proves nothing; the formula is asked for another target.

const (
	// maxTargets bounds the targets of a goal, and maxTargetNodes the expansions for each target.
	maxTargets     = 30
	maxTargetNodes = 20_000
	// firstTargetConflicts bounds the conflicts of the first call of the engine; the bound doubles after each
	// undecided call.
	firstTargetConflicts = 1_000
)

// byTargets finds invariants and then tries targets, first for the best goal that is not refuted, then for the next
// lower goals.
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

// findInvariants finds invariants, which all searches use as soon as they are known.
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

// tryTargets tries targets with at least the given goal.
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
			if tried == 0 { // no target was excluded, so there is no such terminal position
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

// searchTarget searches for a line to the target in the model of f. The line may also end in another position with
// the goal, if it has the lasting literals of the target. If there is no line, the target is excluded from f.
func (q *planning) searchTarget(ctx context.Context, pause func() bool, f *prove.Formula, goal int32) bool {
	var other []logic.Lit                                                    // clause: a lasting literal differs from the target
	rise, fall := q.machine.Names().NewState(), q.machine.Names().NewState() // fluents that must not become true, or false
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

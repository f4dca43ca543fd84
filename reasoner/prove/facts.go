package prove

import (
	"context"
	"time"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// Facts that searches rely on are proved for every position that can be reached, or unknown. Random games only
// suggest the number in a fact, or refute the fact.

const (
	// factWalks is the number of random games that suggest a sum of goals.
	factWalks = 3
	// factShare is the share of the remaining time for each attempt to prove a fact.
	factShare = 0.25
	// maxFactTime bounds the proof of a fact if the context has no deadline.
	maxFactTime = 10 * time.Second
)

// GoalSum returns the sum of the players' goals in terminal positions, if it is proved to be the same in all games.
// It also proves that each player has exactly one goal there. It tries goal-directed induction (lemmas.go) first,
// then the methods of Rules: the formula of a single position, and induction with invariants.
func GoalSum(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64) (sum int32, proved bool) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	w := newWalks(m)
	w.play(ctx, factWalks)
	players := g.Names.Players()
	p := newProver(ctx, g, w, maxBytes, []property{singleGoals(players), constantSum(players, w.sum)})
	defer p.close()
	open := map[int]property{0: p.properties[0], 1: p.properties[1]}
	if p.refuted[0] || p.refuted[1] {
		return machine.NoGoal, false
	}
	if proved, _ := holdsEverywhere(ctx, g, m, maxBytes, p.properties); proved {
		return w.sum, true
	}
	if len(newPlayouts(m).play(ctx, open)) > 0 {
		return machine.NoGoal, false
	}
	for range p.strengthen(ctx, true) {
		if p.attemptAll(ctx, p.attempt) {
			return w.sum, true
		}
	}
	if p.longest, _ = p.length(ctx); p.longest > 0 && p.attemptAll(ctx, p.decide) {
		return w.sum, true
	}
	return machine.NoGoal, false
}

// withDeadline returns ctx, with a deadline maxFactTime from now if it has no deadline.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, maxFactTime)
}

// attemptAll tries to prove the properties by one method, and reports whether all are proved.
func (p *prover) attemptAll(ctx context.Context, attempt func(context.Context, int, property)) bool {
	for i, q := range p.properties {
		end, _ := ctx.Deadline()
		within, cancel := context.WithTimeout(ctx, time.Duration(factShare*float64(time.Until(end))))
		if p.findings[i].Verdict == Open {
			attempt(within, i, q)
		}
		cancel()
		if p.findings[i].Verdict != Proved {
			return false
		}
	}
	return true
}

// Length returns a number of joint moves within which every game ends or is stuck, because a role has no legal move;
// false if no number is proved. There are three proofs: by the clock; by lasting literals, if every joint move makes
// such a literal true; by a formula of all joint moves.
func Length(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64) (moves int, proved bool) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if moves, proved = g.ClockEnd(); proved {
		return moves, true
	}
	w := newWalks(m)
	w.play(ctx, factWalks)
	p := newProver(ctx, g, w, maxBytes, nil)
	defer p.close()
	for range p.strengthen(ctx, false) {
		if moves = p.ranking(ctx); moves > 0 {
			return moves, true
		}
	}
	if w.cycle == nil {
		moves = p.lengthByFormula(ctx)
	}
	return moves, moves > 0
}

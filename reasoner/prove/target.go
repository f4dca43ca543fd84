package prove

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Plans by their last position. Where many moves can be made in any order, as in the
// puzzles that fill a board, a formula of all steps drowns in the orders. But the last
// position is a small formula of its own: terminal, with the goal, and with all
// invariants. Its model is a target, and the way there is searched for move by move: a
// fluent that stays true once it is true must not become true if it is false in the
// target. That leaves hardly anything but the order.
//
// A target that is not reached proves nothing: another one is asked for.

const (
	// maxTargets is how many targets are tried for a goal, and targetNodes how many
	// positions on the way to each.
	maxTargets  = 30
	targetNodes = 20_000
	// maxWalk is the longest way: no match takes more joint moves.
	maxWalk = 300
)

// aiming is the formula of targets for plans with a goal of at least that.
type aiming struct {
	*formula
	goal    int32
	targets int // that were tried
	done    bool
}

func (q *planning) newAiming(goal int32) *aiming {
	a := &aiming{formula: newFormula(unroll(q.game, nil), sat.New()), goal: goal}
	a.assertStatic(0, q.invariants)
	for _, l := range q.invariants.lasting {
		if holds(q.start, l) {
			a.require(a.fluentLit(0, l))
		}
	}
	a.done = len(q.invariants.lasting) == 0 || goal == machine.NoGoal
	return a
}

// aim tries targets, each found within a number of conflicts.
func (q *planning) aim(ctx context.Context, f *aiming, conflicts int64) {
	lim := sat.Limits{Conflicts: conflicts, Bytes: q.limits.Bytes}
	for ; !f.done; f.targets++ {
		if f.bytes() > q.limits.Bytes || f.targets == maxTargets {
			f.done = true
			return
		}
		q.plan.Calls++
		switch f.solve(ctx, lim, f.at(0, q.game.Terminal), f.goalAtLeast(0, 0, f.goal)) {
		case sat.Unknown:
			return
		case sat.Unsat:
			if f.targets == 0 { // nothing was left out, and invariants hold for good
				q.lower(f.goal)
			}
			f.done = true
			return
		}
		var block []int32                                                        // literals of which another target has one
		rise, fall := q.machine.Names().NewState(), q.machine.Names().NewState() // what must not become true, and false
		for _, l := range q.invariants.lasting {
			if at := f.fluentLit(0, l); !f.value(at) {
				if l&1 == 0 {
					rise.Set(int(l >> 1))
				} else {
					fall.Set(int(l >> 1))
				}
				block = append(block, l)
			} else if !holds(q.start, l) {
				block = append(block, l^1)
			}
		}
		if w := q.walk(ctx, rise, fall, f.goal); w != nil {
			q.take(w)
			f.done = true
			return
		}
		f.require(f.fluentLits(0, block)...)
		for _, y := range q.symmetries { // what leads to an image is the image of what leads here
			image := make([]int32, len(block))
			for i, l := range block {
				image[i] = 2*y.Fluents[l>>1] | l&1
			}
			f.require(f.fluentLits(0, image)...)
		}
	}
}

// walk searches for a plan with a goal of at least that, on which some fluents
// never are true and others never false: depth first, each position once.
func (q *planning) walk(ctx context.Context, rise, fall machine.State, goal int32) [][]machine.Move {
	x := machine.NewExpander(q.machine)
	x.Limit(ctx, q.limits.Bytes, 0)
	type level struct {
		machine.Expansion
		next int
	}
	levels := []*level{{next: -1}}
	seen := map[string]bool{}
	if terminal, _ := x.Look(q.start); terminal || x.Expand(&levels[0].Expansion, q.start) != nil {
		return nil
	}
	for depth := 0; depth >= 0 && len(seen) < targetNodes && ctx.Err() == nil; {
		l := levels[depth]
		if l.next++; l.next >= l.Children {
			depth--
			continue
		}
		child := l.Child(l.next)
		missed := false
		for w, word := range child {
			missed = missed || word&rise[w] != 0 || ^word&fall[w] != 0
		}
		if missed {
			continue
		}
		if l.Terminal[l.next] {
			if l.ChildGoals(l.next)[0] >= goal {
				line := make([][]machine.Move, depth+1)
				for i := range line {
					line[i] = make([]machine.Move, 1)
					levels[i].Joint(line[i], levels[i].next)
				}
				return line
			}
			continue
		}
		if key := stateKey(child); !seen[key] && depth+1 < maxWalk {
			seen[key] = true
			if depth++; depth == len(levels) {
				levels = append(levels, &level{})
			}
			levels[depth].next = -1
			if x.Expand(&levels[depth].Expansion, child) != nil {
				depth--
			}
		}
	}
	return nil
}

// stateKey is a position as a key of maps.
func stateKey(s machine.State) string {
	key := make([]byte, 0, 8*len(s))
	for _, w := range s {
		for shift := 0; shift < 64; shift += 8 {
			key = append(key, byte(w>>shift))
		}
	}
	return string(key)
}

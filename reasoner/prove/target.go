package prove

import (
	"context"
	"iter"

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
	// firstTargets is what the first call of the engine may take. Each that is too short
	// doubles it.
	firstTargets = 1_000
	// maxWalk is the longest way: no match takes more joint moves.
	maxWalk = 300
)

// targets is the search for invariants, and for plans by their last position.
type targets struct {
	*planning
	more   func() (*Invariants, bool) // goes on with the search for invariants
	stop   func()                     // ends it
	aiming *aiming                    // once there are invariants
}

func newTargets(ctx context.Context, q *planning) *targets {
	t := &targets{planning: q}
	found := q.Planner.invariants.Load()
	known := func(yield func(*Invariants) bool) { yield(found) }
	if found == nil {
		known = findInvariants(ctx, q.game, q.machine, q.limits.Bytes/wayShare, false)
	}
	t.more, t.stop = iter.Pull(known)
	return t
}

func (t *targets) close() {
	t.stop()
	if t.aiming != nil {
		t.aiming.engine.Close()
	}
}

// next goes on with the search for invariants, then with targets for the best goal that is
// not refuted; if that leads nowhere, with targets for the next lower one.
func (t *targets) next(ctx context.Context) bool {
	if t.aiming == nil {
		if found, ok := t.more(); ok {
			t.know(found)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		t.Planner.invariants.Store(t.invariants)
		t.aim(ctx, t.plan.Bound)
	}
	if !t.aiming.done {
		t.shoot(ctx, t.aiming)
		return true
	}
	goal := t.highest(&horizon{refuted: t.aiming.goal})
	if goal >= t.aiming.goal {
		return false
	}
	t.aiming.engine.Close()
	t.aim(ctx, goal)
	return !t.aiming.done
}

// know makes invariants true at all steps.
func (q *planning) know(found *Invariants) {
	if q.invariants == found {
		return
	}
	q.invariants = found
	for k := 1; k <= q.played; k++ {
		q.assertAll(k, found)
	}
}

// aiming is the formula of targets for plans with a goal of at least that.
type aiming struct {
	*formula
	goal      int32
	targets   int // that were tried
	conflicts int64
	done      bool
}

// aim begins with targets for a goal, if it is better than that of the best plan.
func (t *targets) aim(ctx context.Context, goal int32) {
	a := &aiming{formula: newFormula(unroll(t.game, nil), sat.New()), goal: goal, conflicts: firstTargets}
	t.aiming = a
	if a.done = len(t.invariants.lasting) == 0 || goal <= t.plan.Goal; a.done {
		return
	}
	a.assertStatic(0, t.invariants)
	for _, l := range t.invariants.lasting {
		if holds(t.start, l) {
			a.require(a.fluentLit(0, l))
		}
	}
	a.require(a.at(0, t.game.Terminal))
	a.require(a.goalAtLeast(0, 0, goal))
	a.count(ctx, t.invariants)
}

// shoot tries one target.
func (t *targets) shoot(ctx context.Context, f *aiming) {
	if f.bytes() > t.limits.Bytes/wayShare || f.targets == maxTargets {
		f.done = true
		return
	}
	t.plan.Calls++
	switch f.solve(ctx, sat.Limits{Conflicts: f.conflicts, Bytes: t.limits.Bytes / wayShare}) {
	case sat.Unknown:
		f.conflicts *= 2
		return
	case sat.Unsat:
		if f.targets == 0 { // nothing was left out, and invariants hold for good
			t.lower(f.goal)
		}
		f.done = true
		return
	}
	f.targets++
	var block []int32                                                        // literals of which another target has one
	rise, fall := t.machine.Names().NewState(), t.machine.Names().NewState() // what must not become true, and false
	for _, l := range t.invariants.lasting {
		if at := f.fluentLit(0, l); !f.value(at) {
			if l&1 == 0 {
				rise.Set(int(l >> 1))
			} else {
				fall.Set(int(l >> 1))
			}
			block = append(block, l)
		} else if !holds(t.start, l) {
			block = append(block, l^1)
		}
	}
	if w := t.walk(ctx, rise, fall, f.goal); w != nil {
		t.take(w)
		f.done = true
		return
	}
	f.require(f.fluentLits(0, block)...)
	for _, y := range t.symmetries { // what leads to an image is the image of what leads here
		image := make([]int32, len(block))
		for i, l := range block {
			image[i] = 2*y.Fluents[l>>1] | l&1
		}
		f.require(f.fluentLits(0, image)...)
	}
}

// walk searches for a plan with a goal of at least that, on which some fluents
// never are true and others never false: depth first, each position once.
func (q *planning) walk(ctx context.Context, rise, fall machine.State, goal int32) [][]machine.Move {
	x := machine.NewExpander(q.machine)
	x.Limit(ctx, q.limits.Bytes/wayShare, 0)
	type level struct {
		machine.Expansion
		next int
	}
	levels := []*level{{next: -1}}
	seen := newPositions(q.machine.Words())
	if terminal, _ := x.Look(q.start); terminal || x.Expand(&levels[0].Expansion, q.start) != nil {
		return nil
	}
	for depth := 0; depth >= 0 && seen.len() < targetNodes && ctx.Err() == nil; {
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
		if depth+1 < maxWalk && seen.add(child) {
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

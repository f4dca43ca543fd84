package goals

import (
	"context"
	"slices"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// view is a machine whose terminal positions are checked for faults. For a player of a game of
// two it is that player's zero-sum game: the other player has the rest of machine.MaxGoal. The value
// of that game is the most that the player can guarantee (maximin) in the game itself.
type view struct {
	machine.Machine
	watch *watch
	own   machine.Role // machine.NoRole where the goals of all roles are left as they are
	other machine.Role
	// hundred: the goals of two players must add up to machine.MaxGoal in every terminal position that a
	// search meets (see shared).
	hundred bool
}

// watch collects the first fault of a game, which ends the search.
type watch struct {
	names   *machine.Names
	players []machine.Role
	facts   Facts
	fault   atomic.Pointer[Fault]
	sum     atomic.Bool                        // a sum other than machine.MaxGoal was met where that must be the sum
	end     atomic.Pointer[context.CancelFunc] // of the search under way
}

func newWatch(m machine.Machine, f Facts) *watch {
	return &watch{names: m.Names(), players: m.Names().Players(), facts: f}
}

// found takes note of a fault.
func (w *watch) found(role machine.Role, q machine.State) {
	w.fault.CompareAndSwap(nil, newFault(w.names, role, q, nil))
	w.stop()
}

// stop ends the search under way.
func (w *watch) stop() {
	if end := w.end.Load(); end != nil {
		(*end)()
	}
}

// checked returns m with its terminal positions checked, and without decisive moves, for which the
// sum of the goals must be proved.
func checked(m machine.Machine, w *watch) machine.Machine {
	if w.facts.Constant || w.facts.Single && len(w.players) == 1 {
		return m
	}
	return &view{m, w, machine.NoRole, machine.NoRole, false}
}

// against returns the zero-sum game of a player's goal.
func against(m machine.Machine, w *watch, own machine.Role) machine.Machine {
	other := w.players[0]
	if other == own {
		other = w.players[1]
	}
	return &view{m, w, own, other, false}
}

// shared returns the game itself for one zero-sum search of the first player's goal that finds the guarantees of
// both players, although the sum of the goals is not proved. Let the search prove that the first player's goal
// lies in [L, U]. All its bounds come from terminal positions that it met, where the goals add up to 100, and
// from positions that it did not search, with the whole range [0, 100]. By induction over the search tree the second
// player's goal then lies in [100−U, 100−L]: where the goals are known, as they add up to 100; elsewhere, as 100−[0, 100]
// is the whole range of its goals, too. This fails for any other sum, for decisive moves, which say something about the goals at ends
// that are not met, and for symmetries that exchange the players, by which a position is worth half of the sum.
func shared(m machine.Machine, w *watch) machine.Machine {
	return &view{m, w, machine.NoRole, machine.NoRole, true}
}

// isOwn reports whether the view is the zero-sum game of one player.
func (v *view) isOwn() bool { return v.own != machine.NoRole }

// NewBatch implements machine.Machine.
func (v *view) NewBatch() machine.Batch { return v.batch(v.Machine.NewBatch()) }

// NewNarrowBatch implements machine.Machine.
func (v *view) NewNarrowBatch() machine.Batch { return v.batch(v.Machine.NewNarrowBatch()) }

func (v *view) batch(inside machine.Batch) *batch {
	b := &batch{Batch: inside, view: v}
	b.limited, _ = machine.As[machine.Limited](inside)
	b.preparing, _ = machine.As[machine.Preparing](inside)
	return b
}

// Unwrap implements machine.Wrapper.
func (v *view) Unwrap() machine.Machine { return v.Machine }

// Symmetries implements facts.Symmetric. Where the sum of the goals is not proved, a symmetry must leave
// the players in their places.
func (v *view) Symmetries() []facts.Symmetry {
	all := facts.Symmetries(v.Machine)
	if !v.isOwn() && !v.hundred {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(y facts.Symmetry) bool {
		return slices.ContainsFunc(v.watch.players, func(r machine.Role) bool { return y.Roles[r] != r })
	})
}

// GoalValues implements facts.Valued.
func (v *view) GoalValues() [][]int32 {
	values := facts.GoalValues(v.Machine)
	if values == nil || !v.isOwn() {
		return values
	}
	values = slices.Clone(values)
	values[v.other] = nil
	for _, g := range values[v.own] {
		values[v.other] = append(values[v.other], machine.MaxGoal-g)
	}
	return values
}

// Decisive implements facts.Deciding. Decisive moves take the best goal of a role for its only
// goal, which must be proved.
func (v *view) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	if !v.isOwn() || !v.watch.facts.Single {
		return nil
	}
	if m := facts.Decisive(ctx, v.Machine, atOnce); m != nil {
		return &view{m, v.watch, v.own, v.other, v.hundred}
	}
	return nil
}

// Subgames implements facts.Divisible: subgames have other goals.
func (v *view) Subgames(context.Context) []facts.Subgame { return nil }

// ProvedLength implements facts.Proving.
func (v *view) ProvedLength(ctx context.Context) (moves int, proved bool) {
	return facts.ProvedLength(ctx, v.Machine)
}

// ProvedGoalSum implements facts.Proving.
func (v *view) ProvedGoalSum(ctx context.Context) (sum int32, proved bool) {
	if v.isOwn() {
		return machine.MaxGoal, v.watch.facts.Single
	}
	return facts.ProvedGoalSum(ctx, v.Machine)
}

// batch is a batch of a view. It has the abilities of the batch inside that searches use, except Summing, whose answers depend on goals.
type batch struct {
	machine.Batch
	limited   machine.Limited   // the batch inside, or nil
	preparing machine.Preparing // the batch inside, or nil
	view      *view
	none      []uint64 // no lanes
}

// Prepare implements machine.Preparing.
func (b *batch) Prepare(n int) {
	if b.preparing == nil {
		b.Evaluate(n)
		return
	}
	b.preparing.Prepare(n)
}

// Lost implements machine.Limited.
func (b *batch) Lost() []uint64 {
	if b.limited == nil {
		return nil
	}
	return b.limited.Lost()
}

// Goals implements machine.Batch.
func (b *batch) Goals(dst []int32, lane int) {
	b.Batch.Goals(dst, lane)
	v := b.view
	r := faulty(v.watch.players, dst)
	switch {
	case r != machine.NoRole && !v.watch.facts.Single && b.isOver(lane):
		v.watch.found(r, b.position(lane))
	case r == machine.NoRole && v.hundred && dst[v.watch.players[0]]+dst[v.watch.players[1]] != machine.MaxGoal && b.isOver(lane):
		v.watch.sum.Store(true)
		v.watch.stop()
	}
	if v.isOwn() {
		dst[v.own] = max(dst[v.own], 0)
		dst[v.other] = machine.MaxGoal - dst[v.own]
	}
}

// isOver reports whether the position in a lane is known to be terminal.
func (b *batch) isOver(lane int) bool {
	return b.Terminal()[lane>>6]>>uint(lane&63)&1 != 0 && machine.Unknown(b.Batch, lane) == nil
}

// position returns a copy of the position in a lane.
func (b *batch) position(lane int) machine.State {
	words := len(b.view.Initial())
	states := make([]uint64, (lane+1)*words)
	b.Store(states, lane+1)
	return states[lane*words:]
}

// AppendSensible implements machine.Foreseeing. Which moves of a role may be left out follows from the
// goals of the other role, of which a view knows nothing.
func (b *batch) AppendSensible(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	return b.AppendLegal(dst, lane, r)
}

// Wins implements machine.Foreseeing. A win of the player whose game this is says something about its
// goal, a win of the other player does not.
func (b *batch) Wins(r machine.Role) (goal int32, lanes []uint64) {
	goal, lanes = machine.Wins(b.Batch, r)
	if r == b.view.own {
		return goal, lanes
	}
	if b.none == nil {
		b.none = make([]uint64, len(lanes))
	}
	return machine.NoGoal, b.none
}

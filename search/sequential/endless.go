package sequential

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// In a game with repeated positions every iteration reaches the horizon, and a guessed value that closes a window can
// hide proved bounds. So two searches to the full depth follow: the first guesses the least goal for the
// maximiser, the second guesses the greatest goal. A guess of the least goal is a lower bound, so the first
// search returns the best proved lower bound for all windows; the second search returns the best upper bound.
// They have separate tables, since entries hold guesses.

// endlessMemory divides the memory limit: the quotient is for each of the two tables.
const endlessMemory = 4

// boundEndless tightens the proved bounds of position s, the root of r.
func (v *Solver) boundEndless(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits, r *run) {
	if v.config.horizon != nil {
		return
	}
	for i, guess := range []float64{0, machine.MaxGoal} {
		if v.endless[i] == nil {
			c := v.config
			c.horizon, c.Halves, c.Falling, c.Threads, c.Without = &guess, false, false, 1, c.Without|Deepening
			v.endless[i] = New(c)
			v.endless[i].newPayoff = func(*machine.Names) (*payoff, error) { return v.payoff, nil } // shares the sum of the goals
		}
		own := search.Limits{MaxBytes: lim.MaxBytes / endlessMemory, NoLine: true}
		if lim.MaxNodes > 0 {
			own.MaxNodes = max(1, lim.MaxNodes-r.nodes)
		}
		found, err := v.endless[i].Search(ctx, m, s, own)
		if err != nil {
			return
		}
		if errors.Is(found.Unfinished, play.ErrTooWide) {
			r.unseen = found.Unfinished
		}
		r.nodes += found.Nodes
		r.root.tighten(&v.endless[i].last)
	}
}

// tighten intersects the bounds with the proved bounds of another root of the same position.
func (t *root) tighten(other *root) {
	t.value = t.value.tightened(other.value.proved)
	if len(t.actions) == 0 {
		t.actions = other.actions
	}
	for a := range min(len(t.actions), len(other.actions)) {
		t.actions[a] = t.actions[a].tightened(other.actions[a].proved)
	}
}

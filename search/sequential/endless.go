package sequential

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Where positions repeat, every iteration meets positions beyond the depth, and a guess that closes
// a window hides what is proved behind it. So two searches follow to the full depth: one that
// guesses the least goal for the first role, and one that guesses the greatest. A guess of the least
// goal is a lower bound, so the first search returns the best proved lower bound, whatever windows
// it closes; the second one the best upper bound. The searches have tables of their own, since
// entries hold guesses.

// endlessMemory is the part of the memory that each of the two tables takes.
const endlessMemory = 4

// boundEndless tightens what is proved of position s, the root of r.
func (v *Solver) boundEndless(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits, r *run) {
	if v.config.horizon != nil {
		return
	}
	for i, guess := range []float64{v.config.Goals.Lower, v.config.Goals.Upper} {
		if v.endless[i] == nil {
			c := v.config
			c.horizon, c.Halves, c.Threads, c.Without = &guess, false, 1, c.Without|Deepening
			v.endless[i] = New(c)
			v.endless[i].newPayoff = func(*machine.Names, search.Interval) (*payoff, error) { return v.payoff, nil } // with its sum
		}
		own := search.Limits{MaxBytes: lim.MaxBytes / endlessMemory, NoLine: true}
		if lim.MaxNodes > 0 {
			own.MaxNodes = max(1, lim.MaxNodes-r.nodes)
		}
		found, err := v.endless[i].Search(ctx, m, s, own)
		if err != nil {
			return // as where memory is short: the bounds stay as they are
		}
		r.nodes += found.Nodes
		r.root.tighten(&v.endless[i].last)
	}
}

// tighten takes over what is proved of another root for the same position.
func (t *root) tighten(other *root) {
	t.value = t.value.tightened(other.value.proved)
	if len(t.actions) == 0 {
		t.actions = other.actions
	}
	for a := range min(len(t.actions), len(other.actions)) {
		t.actions[a] = t.actions[a].tightened(other.actions[a].proved)
	}
}

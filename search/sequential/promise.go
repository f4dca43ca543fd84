package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// With a tolerance ε, a strategy must keep the bounds that an earlier search has proved at the previous position. A
// search that ignores them may lose ε at every move. A search that respects them loses ε once, so that
// the strategies of both players are an ε-equilibrium (conjecture at the end of the paper).
//
// The transposition table stores these bounds. A position may have better bounds than its stored children show:
// glances do not store bounds, and entries are evicted. The window then closes at the worse bounds. Such a
// position is searched again with ε = 0, which finds a move that keeps every bound.

// promise returns the stored bounds of position s before its search; with ε = 0 it returns the range of goals.
func (r *run) promise(s machine.State) search.Interval {
	if r.Epsilon == 0 {
		return search.GoalRange
	}
	f := r.frame(0)
	r.find(&f.key, f.image, s)
	known, _ := r.recall(&f.key, 0)
	return known.proved
}

// breaks reports whether a completed search has a worse bound than the promised interval.
func (v *Solver) breaks(promised search.Interval, res search.Result) bool {
	b := res.Values[v.payoff.First]
	return res.Proved && b.Upper-b.Lower <= v.config.Epsilon && (b.Lower < promised.Lower || b.Upper > promised.Upper)
}

// exactly runs a search with ε = 0.
func (v *Solver) exactly(find func() (search.Result, error)) (search.Result, error) {
	epsilon := v.config.Epsilon
	v.config.Epsilon = 0
	defer func() { v.config.Epsilon = epsilon }()
	return find()
}

package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// With a tolerance, strategies have to keep what was promised above. A search that begins
// anew at every position may give away ε each time; one that follows the bounds which the
// first search has left behind gives away ε once, so that the strategies of both players
// are an ε-equilibrium (the conjecture at the end of the paper). The table holds those bounds. But
// a position may be proved to be worth more than its children say that are in the table,
// by a glance or since entries were lost, and its window closes on what these say. Then it
// is searched without tolerance, which finds a move that keeps any promise.

// promise is what the table knows of position s before it is searched.
func (r *run) promise(s machine.State) search.Interval {
	if r.Epsilon == 0 {
		return r.Goals
	}
	f := r.frame(0)
	r.find(&f.key, f.image, s)
	return r.bounds(&f.key)
}

// breaks tells whether the result of a search that was not stopped says less than was
// promised.
func (v *Solver) breaks(promised search.Interval, res search.Result) bool {
	b := res.Values[v.payoff.maximiser]
	return res.Proved && b.Upper-b.Lower <= v.config.Epsilon && (b.Lower < promised.Lower || b.Upper > promised.Upper)
}

// exactly searches without tolerance.
func (v *Solver) exactly(find func() (search.Result, error)) (search.Result, error) {
	epsilon := v.config.Epsilon
	v.config.Epsilon = 0
	defer func() { v.config.Epsilon = epsilon }()
	return find()
}

package player

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// Where it is proved that there is nothing to win, the other player may still go wrong, and one
// move is harder to answer than another. Alpha-beta does not know which: to it all that are worth
// the same are the same, and its table proves them all at once from then on. Playouts do.

// lacks tells whether one of the searches has proved that role, one of two who move in
// turns, gets less than all.
func (t *thinker) lacks(f findings, role machine.Role) bool {
	for _, r := range []*search.Result{f.exact, f.sampled} {
		if settles(r, role) && r.Values[role].Lower < bestGoal {
			return t.class.Players == 2 && t.isInTurns()
		}
	}
	return false
}

// resist looks by playouts for the move that is hardest to answer, no longer than for what tells
// equal moves apart, and lets their opinion take the place of that of the search that deepens.
func (t *thinker) resist(ctx context.Context, at position, f findings) findings {
	memory := min(comparisonBytes, t.memory.share()/2)
	if memory == 0 {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, tieTime)
	defer cancel()
	c := t.sampling(t.mind.unlearnt())
	c.Workers = t.threads
	c.Without |= montecarlo.Bounds // what is proved is known, and tells no moves apart
	s := montecarlo.New(c)
	r, err := s.Search(ctx, at.machine, at.state, search.Limits{MaxBytes: memory, Seed: t.seed})
	if err != nil || r.Nodes == 0 {
		return f
	}
	if settles(f.sampled, at.role) {
		f.exact = f.sampled
	}
	f.sampled, f.ranking = &r, s.Ranking(at.role)
	return f
}

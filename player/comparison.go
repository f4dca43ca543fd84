package player

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// comparison is between ways to find moves.
type comparison struct {
	searcher func(rival int) search.Searcher // makes the search of one of them
	memory   int64                           // bytes that a search takes at most
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

// duelMatch is one match between the two of a comparison.
type duelMatch struct {
	*comparison
	seed     uint64 // odd ones swap the sides
	machine  machine.Machine
	batch    machine.Batch
	rng      *machine.Rand
	state    machine.State
	steps    int
	seats    []int // by role: the rival that plays it; -1 is chance
	rivals   [2]search.Searcher
	openings *machine.Rand
	hopes    [2]float64 // the share of the points that the first rival gets, as each of them expects
	settled  bool       // they agree, or one of them has proved it
}

const (
	// comparisonBytes bounds each search, comparisonSteps a match, in case the game never ends.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

// newDuelMatch begins a match from the position at.
func newDuelMatch(c *comparison, seed uint64, at position) *duelMatch {
	t := &duelMatch{
		comparison: c, seed: seed, machine: at.machine, batch: at.machine.NewNarrowBatch(),
		rng: machine.NewRand(seed), openings: machine.NewRand(seed / 2), state: slices.Clone(at.state),
		seats: seats(at.machine.Names(), seed), hopes: [2]float64{0.5, 0.5},
	}
	for i := range t.rivals {
		t.rivals[i] = c.searcher(i)
	}
	return t
}

// surely is the share that both rivals must expect, at least, for a match to end before its time: one that is
// won is not worth the time that it takes to win it.
const surely = 0.95

// play continues the match until it is over, or settled, and returns the share of the points that the first rival gets, or
// until ctx is done. Who finds no move gets nothing, and a match without end is a draw.
func (t *duelMatch) play(ctx context.Context) (share float64, ok bool) {
	b := t.batch
	for ; t.steps < comparisonSteps; t.steps++ {
		b.Load(t.state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, len(t.seats))
			b.Goals(goals, 0)
			return t.share(func(r int) float64 { return float64(search.Points(goals[r])) }), true
		}
		if b.Stuck()[0]&1 != 0 {
			break
		}
		for r, rival := range t.seats {
			move, found := t.move(ctx, machine.Role(r), rival)
			if ctx.Err() != nil {
				return 0, false
			}
			if !found {
				return float64(rival), true
			}
			if t.settled {
				return t.hopes[rival], true
			}
			b.Choose(0, machine.Role(r), move)
		}
		b.Advance(1)
		b.Store(t.state, 1)
	}
	return 0.5, true
}

// share is that of the first rival of the points that roles get.
func (t *duelMatch) share(of func(role int) float64) float64 {
	var points [2]float64
	for r, rival := range t.seats {
		if rival >= 0 {
			points[rival] += of(r)
		}
	}
	if points[0]+points[1] == 0 {
		return 0.5
	}
	return points[0] / (points[0] + points[1])
}

// move is that of a role, which a rival or chance plays.
func (t *duelMatch) move(ctx context.Context, r machine.Role, rival int) (m machine.Move, ok bool) {
	legal := t.batch.AppendLegal(nil, 0, r)
	switch {
	case t.steps < t.opening:
		return legal[t.openings.Intn(len(legal))], true
	case rival < 0 || len(legal) == 1:
		return legal[t.rng.Intn(len(legal))], true
	}
	found, err := t.rivals[rival].Search(ctx, t.machine, t.state, search.Limits{MaxBytes: t.memory, Seed: t.seed})
	if err != nil || len(found.Strategies) <= int(r) {
		return machine.NoMove, false
	}
	t.hope(rival, &found)
	return draw(t.rng, legal, found.Strategies[r]), true
}

// hope takes note of what a rival expects.
func (t *duelMatch) hope(rival int, found *search.Result) {
	t.hopes[rival] = t.share(func(r int) float64 { return (found.Values[r].Lower + found.Values[r].Upper) / 2 })
	t.settled = found.Solved() || min(t.hopes[0], t.hopes[1]) >= surely || max(t.hopes[0], t.hopes[1]) <= 1-surely
}

// seats says which rival plays each role; -1 is chance.
func seats(names *machine.Names, seed uint64) []int {
	out := slices.Repeat([]int{-1}, len(names.Roles))
	for i, r := range names.Players() {
		out[r] = (i + int(seed)) & 1
	}
	return out
}

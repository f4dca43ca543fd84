package player

import (
	"context"
	"slices"
	"testing"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// comparison configures matches between two rivals: two configurations of a search.
type comparison struct {
	searcher func(rival int) search.Searcher // returns the search of a rival
	memory   int64                           // limit of each search
	// opening is the number of random joint moves at the start, equal in the two matches of a pair
	// with swapped sides.
	opening int
	// ponder, if not nil, is called in each position in which the other rival chooses alone.
	ponder func(rival int, at position)
}

// duelMatch is one match between the rivals of a comparison.
type duelMatch struct {
	*comparison
	seed     uint64 // odd seeds swap the sides
	machine  machine.Machine
	batch    machine.Batch
	rng      *machine.Rand
	state    machine.State
	steps    int
	seats    []int // by role: the rival that plays it, or -1 for chance
	rivals   [2]search.Searcher
	openings *machine.Rand
	hopes    [2]float64 // share of the points that the first rival gets, as each rival estimates it
	settled  bool       // both rivals expect the same winner, or a rival has proved the result
}

const (
	// comparisonBytes bounds the memory of each search, comparisonSteps the length of a match.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

// newDuelMatch returns a match that begins in a position.
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

// surely is the share of the points that both rivals must expect for one of them before a match is adjudicated: the
// end of a decided match is not worth its time.
const surely = 0.95

// play continues the match until it ends, is adjudicated or ctx is done, and returns the first rival's share of the
// points; ok is false if ctx was done. A rival that finds no move gets 0. A match of comparisonSteps moves is a draw.
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
		t.rest()
		b.Advance(1)
		b.Store(t.state, 1)
	}
	return 0.5, true
}

// rest lets the rival ponder that has no choice while the other one has.
func (t *duelMatch) rest() {
	if t.ponder == nil || t.steps < t.opening {
		return
	}
	var chooses [2]bool
	for r, rival := range t.seats {
		if rival >= 0 && len(t.batch.AppendLegal(nil, 0, machine.Role(r))) > 1 {
			chooses[rival] = true
		}
	}
	if i := slices.Index(chooses[:], false); i >= 0 && chooses[1-i] {
		t.ponder(i, position{machine: t.machine, state: t.state})
	}
}

// share returns the first rival's share of the points of all roles.
func (t *duelMatch) share(points func(role int) float64) float64 {
	var sums [2]float64
	for r, rival := range t.seats {
		if rival >= 0 {
			sums[rival] += points(r)
		}
	}
	if sums[0]+sums[1] == 0 {
		return 0.5
	}
	return sums[0] / (sums[0] + sums[1])
}

// move returns the move of a role: a random move in the opening or of chance, else a sample of the rival's strategy.
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

// hope records the share that a rival expects, and whether the match can be adjudicated.
func (t *duelMatch) hope(rival int, found *search.Result) {
	t.hopes[rival] = t.share(func(r int) float64 { return (found.Values[r].Lower + found.Values[r].Upper) / 2 })
	t.settled = found.Solved() || min(t.hopes[0], t.hopes[1]) >= surely || max(t.hopes[0], t.hopes[1]) <= 1-surely
}

// seats returns by role the rival that plays it; -1 stands for chance.
func seats(names *machine.Names, seed uint64) []int {
	out := slices.Repeat([]int{-1}, len(names.Roles))
	for i, r := range names.Players() {
		out[r] = (i + int(seed)) & 1
	}
	return out
}

// timed is a search with a fixed time for each move.
type timed struct {
	search.Searcher
	clock time.Duration
}

func (s timed) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.clock)
	defer cancel()
	return s.Searcher.Search(ctx, m, q, lim)
}

func TestEachRivalHasItsOwnSide(t *testing.T) {
	// The row player wins by every move, so the rival in its seat gets all points: the first with even seeds, the second with odd
	// ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		c := comparison{searcher: func(int) search.Searcher { return limited{montecarlo.New(montecarlo.Config{}), 500} }}
		share, over := newDuelMatch(&c, seed, at).play(t.Context())
		if !over || share != float64(1-seed&1) {
			t.Errorf("seed %d: the first gets %v, %v; want all for rival %d", seed, share, over, seed&1)
		}
	}
}

func TestChanceHasNoSeat(t *testing.T) {
	got := seats(&machine.Names{Roles: []string{"a", machine.RandomRole, "b"}}, 1)
	if got[0] != 1 || got[1] != -1 || got[2] != 0 {
		t.Errorf("seats %v, want 1 -1 0", got)
	}
}

// limited is a search with a number of nodes a move.
type limited struct {
	search.Searcher
	nodes int64
}

func (s limited) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = s.nodes
	return s.Searcher.Search(ctx, m, q, lim)
}

package player

import (
	"context"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

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

// limited is a search with so many nodes a move.
type limited struct {
	search.Searcher
	nodes int64
}

func (s limited) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = s.nodes
	return s.Searcher.Search(ctx, m, q, lim)
}

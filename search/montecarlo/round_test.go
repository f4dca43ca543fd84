package montecarlo

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/search"
)

func TestRoundsGrowWithTheTree(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := gamestest.Machine(t, "connectFour")
	s := New(Config{Playouts: 1, Lanes: 512})
	for _, c := range []struct {
		nodes       int64
		least, most int
	}{{500, firstLeaves, firstLeaves}, {100_000, 2 * firstLeaves, 1 << 30}} {
		if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: c.nodes, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		w := s.workers[0]
		w.reset(t.Context(), 0)
		visits := int(w.tree.at(w.tree.root).visits)
		if n := len(w.gather()); n < c.least || n > min(c.most, max(firstLeaves, visits/leafVisits)) {
			t.Errorf("%d leaves in a round after %d visits", n, visits)
		}
	}
}

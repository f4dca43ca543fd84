package layers

import (
	"context"
	"errors"
	"sync"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/search"
)

// TestWhoeverAsksFindsItsLayerThoughOthersWantMemory reads layers of which two or three fit into the memory at a time.
func TestWhoeverAsksFindsItsLayerThoughOthersWantMemory(t *testing.T) {
	m := gamestest.Machine(t, exhaustive.Choose("goofspiel-6", "goofspiel-7"))
	solved := func(bytes int64) *Searcher {
		solver := New(Config{Folder: t.TempDir(), Threads: 4})
		if _, err := solver.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: bytes}); err != nil && !errors.Is(err, search.ErrMemory) {
			t.Fatal(err)
		}
		return solver
	}
	bytes := int64(1 << 16)
	for solved(bytes).Solution() == nil { // the least that it can be solved with
		bytes += bytes / 8
	}
	bytes += bytes / 8
	var s *Solution
	for s == nil { // depends on the memory of the other threads at the same time
		s = solved(bytes).Solution()
	}
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			for rest := toys.Positions(m, 50, seed); len(rest) > 0; rest = rest[len(m.Initial()):] {
				if _, err := s.At(context.Background(), rest[:len(m.Initial())]); err != nil {
					t.Errorf("%v", err)
					return
				}
			}
		})
	}
	group.Wait()
}

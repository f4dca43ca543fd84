package montecarlo

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/search"
)

func TestAFullTreeForgetsWhatNobodyComesBackTo(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := gamestest.Machine(t, "connectFour")
	s := New(Config{Lanes: 64})
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 20_000, MaxBytes: 1 << 19, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree := s.workers[0].tree
	checkLinks(t, tree)
	if tree.bytes() > tree.room {
		t.Errorf("%d bytes in a room of %d", tree.bytes(), tree.room)
	}
	// A tree that stays as it is when it is full knows lines of 4 to 7 moves.
	if len(r.Line) < 10 {
		t.Errorf("a line of %d moves", len(r.Line))
	}
}

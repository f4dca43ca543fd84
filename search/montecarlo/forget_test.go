package montecarlo

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
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

func TestLeavesWithFewVisitsAreForgottenFirst(t *testing.T) {
	tree := newTree(1, 1, -1, 1<<16, true)
	tree.plant(machine.State{0})
	tree.open(tree.root, [][]machine.Move{{0, 1, 2}})
	var kids []int32
	for i, visits := range []int32{5, 1, 3} {
		kid := tree.links.at(tree.grow(tree.root, int64(i), machine.State{uint64(i + 1)})).to
		tree.at(kid).visits, tree.at(kid).done = visits, visits
		kids = append(kids, kid)
	}
	for _, want := range []bool{true, false, false} { // no second leaf has one visit
		if got := tree.forget(); got != want || tree.at(kids[0]).in == none || tree.at(kids[1]).in != none || tree.at(kids[2]).in == none {
			t.Errorf("forgets: %v, want the leaf with one visit: %v", got, want)
		}
	}
}

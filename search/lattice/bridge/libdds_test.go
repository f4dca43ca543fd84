//go:build dds

package bridge

import (
	"testing"

	"stackmate/internal/must"
	"stackmate/search/lattice/bridge/libdds"
)

// TestDoubleDummyAgreesWithLibdds compares 1 000 deals of up to 32 cards, some with
// cards on the table, all with one table and with tables of their own.
func TestDoubleDummyAgreesWithLibdds(t *testing.T) {
	var shared [5]*doubleDummy
	for i := range 1000 {
		rng := newRand(i)
		e := randomEnding(rng, 1+rng.IntN(8), rng.IntN(4))
		hands := [4]uint64{uint64(e.hands[0]), uint64(e.hands[1]), uint64(e.hands[2]), uint64(e.hands[3])}
		var trick []int
		for _, c := range e.trick {
			trick = append(trick, int(c))
		}
		want := must.Get(libdds.Tricks(hands, int(e.trump), int(e.leader), trick))(t)
		if next := (e.leader + Seat(len(e.trick))) & 3; !next.isDeclarer() {
			want = e.left - want
		}
		if i%2 == 0 || shared[e.trump] == nil {
			shared[e.trump] = newDoubleDummy(e.trump, singles(), East)
		}
		if got := tricksOf(shared[e.trump], e); got != want {
			t.Fatalf("deal %d: %v, trump %v, lead %v, on the table %v: found %d, libdds %d", i, e.hands, e.trump, e.leader, e.trick, got, want)
		}
	}
}

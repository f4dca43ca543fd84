package bridge

import (
	"context"
	"slices"
	"testing"

	"stackmate/internal/must"
)

func (s worlds) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// TestWhatIsProvedOfAWorldHoldsInThoseAlike asks double dummy in one world, and then, with a table of its own, in
// each that is said to be alike, with no, some or all cards of a trick on the table.
func TestWhatIsProvedOfAWorldHoldsInThoseAlike(t *testing.T) {
	others := 0
	for seed := range 200 {
		rng := newRand(seed)
		e := randomEnding(rng, 3, rng.IntN(4))
		p := must.Get(newProblem(e.deal(), Options{}))(t)
		q := p.state
		s := newSearch(context.Background(), newDoubleDummy(e.trump, singles(), East), q.hidden, 0)
		wins := func(d *doubleDummy, i int) (bool, Cards) {
			d.hands, d.trick, d.played = q.hands(s.universe(&q).west[i]), q.trick, int(q.played)
			return d.wins(q.leader, 2)
		}
		for i := range s.universe(&q).west {
			won, relevant := wins(s.dd, i)
			class := s.equivalent(&q, i, relevant)
			if !class.has(i) {
				t.Fatalf("ending %d, %v: world %d is not like itself", seed, e.deal(), i)
			}
			for j := range s.universe(&q).west {
				if i == j || !class.has(j) {
					continue
				}
				others++
				if alone, _ := wins(newDoubleDummy(e.trump, singles(), East), j); alone != won {
					t.Fatalf("ending %d, %v: %v in world %d, but %v in world %d, which is like it by %v", seed, e.deal(), won, i, alone, j, relevant)
				}
			}
		}
	}
	if others < 1000 {
		t.Errorf("only %d worlds were like others", others)
	}
}

// TestSetsAreThoseOfTheNextTrick follows random sets of worlds from trick to trick and back, beside each world by itself.
func TestSetsAreThoseOfTheNextTrick(t *testing.T) {
	for seed := range 100 {
		rng := newRand(seed)
		e := randomEnding(rng, 2+rng.IntN(6), 0)
		p := must.Get(newProblem(e.deal(), Options{}))(t)
		s := newSearch(context.Background(), newDoubleDummy(e.trump, singles(), East), p.state.hidden, 0)
		q := p.state
		for i := range q.trick {
			hand := e.hands[(e.leader+Seat(i))&3]
			q.trick[i] = hand.top()
		}
		q.played = 4
		way := s.passage(&q)
		set := newWorlds(len(way.from.west))
		for i := range set {
			set[i] = rng.Uint64() & way.from.full[i]
		}
		want := newWorlds(len(way.to.west))
		for j, i := range way.worlds {
			if set.has(int(i)) {
				want.add(j)
			}
		}
		down := way.down(set, newWorlds(len(way.to.west)))
		if !slices.Equal(down, want) {
			t.Fatalf("ending %d, %d of %d worlds go on: found %x, want %x", seed, len(way.worlds), len(way.from.west), down, want)
		}
		back := way.up(down, newWorlds(len(way.from.west)))
		if kept := set.intersection(way.possible, newWorlds(len(way.from.west))); !slices.Equal(back, kept) {
			t.Fatalf("ending %d: back as %x, want %x", seed, back, kept)
		}
	}
}

package layers

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// guessed returns a game, positions of it, and the packing that is guessed from the first ones.
func guessed(t *testing.T, name string, first int) (*game, sample, *packing) {
	t.Helper()
	m := gamestest.Machine(t, name)
	g := must.Get(newGame(m, m.Initial(), New(Config{Threads: 1}).config))(t)
	g.begin(t.Context(), search.Limits{})
	g.findGroups()
	s := g.playouts()
	return g, s, must.Get(g.guess(s[:first]))(t)
}

var packed = []string{"goofspiel-6", "biddingTicTacToe-4", "tron-4x4", "oshiZumo-12-2", "pig-8-2", "connectFour-4x4"}

func TestPackingIsInvertibleAndTakesWhatItWasGuessedFrom(t *testing.T) {
	for _, name := range packed {
		const first = 500
		_, s, p := guessed(t, name, first)
		fit := 0
		back := make(machine.State, len(s[0]))
		for i := range len(s) {
			key, ok := p.pack(s[i])
			if !ok {
				if i < first {
					t.Fatalf("%s: a position that the packing was guessed from does not fit", name)
				}
				continue
			}
			fit++
			if p.unpack(back, key); key>>p.width != 0 || !back.Equal(s[i]) {
				t.Fatalf("%s: key %d of %d bits stands for %v, want %v", name, key, p.width, back, s[i])
			}
		}
		if fit < len(s)/2 {
			t.Errorf("%s: %d of %d positions fit", name, fit, len(s))
		}
	}
}

// Every packed position can be unpacked, for any position: a wrong guess costs room, not truth.
func TestPackingRefusesWhatItWouldAlter(t *testing.T) {
	_, s, p := guessed(t, "goofspiel-6", 500)
	rapid.Check(t, func(t *rapid.T) {
		q := slices.Clone(s[rapid.IntRange(0, len(s)-1).Draw(t, "position")])
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			b := rapid.IntRange(0, 64*len(s[0])-1).Draw(t, "bit")
			q[b>>6] ^= 1 << (b & 63)
		}
		key, ok := p.pack(q)
		if !ok {
			return
		}
		back := make(machine.State, len(s[0]))
		if p.unpack(back, key); !back.Equal(q) {
			t.Fatalf("packed %v, unpacked %v", q, back)
		}
	})
}

func TestAPositionWithoutAFluentOfAGroupDoesNotFit(t *testing.T) {
	for _, name := range packed {
		_, s, p := guessed(t, name, 500)
		for i := range p.groups {
			q := slices.Clone(s[0])
			for k, w := range p.groups[i].word {
				q[w] &^= p.groups[i].mask[k]
			}
			if key, ok := p.pack(q); ok {
				t.Errorf("%s: a position without group %d has key %d", name, i, key)
			}
		}
	}
}

func TestImagesHaveOneRepresentative(t *testing.T) {
	for _, name := range packed {
		g, s, p := guessed(t, name, 500)
		if len(p.images) != len(g.symmetries) {
			t.Errorf("%s: the packing keeps %d of %d symmetries", name, len(p.images), len(g.symmetries))
		}
		for i := range 500 {
			key, _ := p.pack(s[i])
			want, _ := p.represent(key)
			for k := range g.symmetries {
				key, ok := p.pack(g.symmetries[k].apply(s[i]))
				if got, _ := p.represent(key); !ok || got != want {
					t.Fatalf("%s: an image of %v has the representative %d, want %d", name, s[i], got, want)
				}
			}
		}
	}
}

func TestSetsOfKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.OneOf(rapid.Uint64Max(20), rapid.Uint64Max(1<<40), rapid.Uint64Min(math.MaxUint64-2))).Draw(t, "keys")
		var c collector
		buffers := []*buffer{{room: 5}, {room: 3}}
		for i, key := range keys {
			if b := buffers[i%2]; b.add(key) {
				c.insert(b.flush())
			}
		}
		for _, b := range buffers {
			c.insert(b.flush())
		}
		want := slices.Compact(slices.Sorted(slices.Values(keys)))
		if got := union(c.sets); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

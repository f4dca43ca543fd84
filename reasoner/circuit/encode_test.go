package circuit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
)

// recoded returns a game after encoding and decoding.
func recoded(t testing.TB, g *Optimised) *Optimised {
	t.Helper()
	data := g.AppendTo([]byte("before"))
	h := must.Get(Decode(data[len("before"):]))(t)
	if again := h.AppendTo([]byte("before")); !bytes.Equal(again, data) {
		t.Fatal("the encoding of a decoded game differs")
	}
	for _, of := range []*Game{h.Game, h.Unshared} {
		must.OK(t, of.Verify())
	}
	return h
}

func TestDecodedGamesAreTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := randomGame(rt)
		h := must.Get(Optimise(t.Context(), g, PassOptions{}))(rt)
		h = recoded(t, h)
		m := must.Get(h.Compile(t.Context(), Options{}))(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		checkLanes(rt, g, g.Net, m, reachable(rt, g, m.wide.Lanes(), seed), seed)
	})
}

func TestDecodedGamesKeepSplitMoves(t *testing.T) {
	g := optimised(t, queens(4), PassOptions{})
	if !g.isSplit() {
		t.Fatal("no table was split")
	}
	h := recoded(t, g)
	played := func(g *Optimised) []uint64 {
		m := compiled(t, g, Options{Kernel: kernel.Portable64})
		b, rng := m.NewBatch(), machine.NewRand(1)
		b.Fill(m.Initial(), nil)
		for range 3 {
			b.Evaluate(64)
			b.ChooseRandom(rng, 64)
			b.Advance(64)
		}
		states := make([]uint64, 64*len(m.Initial()))
		b.Store(states, 64)
		return states
	}
	if !slices.Equal(played(g), played(h)) || len(h.Whole().Legal[0]) != len(g.Whole().Legal[0]) {
		t.Error("a decoded game has other matches, or other unsplit moves")
	}
}

// Damaged data decode to a valid game or an error.
func TestDamagedGamesAreErrors(t *testing.T) {
	g := optimised(t, queens(3), PassOptions{})
	whole := g.AppendTo(nil)
	rng := rand.New(rand.NewPCG(1, 2))
	errs := 0
	try := func(data []byte) {
		g, err := Decode(data)
		if err != nil {
			errs++
			return
		}
		if _, err := g.Compile(t.Context(), Options{Kernel: kernel.Portable64}); err != nil {
			t.Log(err)
		}
	}
	damages := exhaustive.Choose(90, 300)
	for range damages {
		data := bytes.Clone(whole)
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		try(data)
	}
	flipped := errs
	for range damages {
		try(whole[:rng.IntN(len(whole))])
	}
	if flipped < damages/3 || errs != flipped+damages {
		t.Errorf("%d of %d games with a wrong bit are errors, and %d of as many truncated games", flipped, damages, errs-flipped)
	}
}

func FuzzDecode(f *testing.F) {
	for size := range 2 {
		g := optimised(f, queens(2+size), PassOptions{})
		f.Add(g.AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := Decode(data); err == nil {
			if _, err := g.Compile(t.Context(), Options{Kernel: kernel.Portable64}); err != nil {
				t.Log(err)
			}
		}
	})
}

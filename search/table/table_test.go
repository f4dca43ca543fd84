package table

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
)

// walk calls visit with positions of random games, until it has done so often enough or visit returns false.
func walk(m machine.Machine, positions int, visit func(machine.State) bool) {
	b, rng, words := m.NewNarrowBatch(), machine.NewRand(5), len(m.Initial())
	states, over := make([]uint64, b.Lanes()*words), make([]uint64, max(b.Lanes()/64, 1))
	for positions > 0 {
		b.Evaluate(b.Lanes())
		copy(over, b.Terminal())
		b.Store(states, b.Lanes())
		for lane := range b.Lanes() {
			if over[lane/64]>>(lane%64)&1 != 0 {
				continue
			}
			if positions--; !visit(states[lane*words : (lane+1)*words]) {
				return
			}
		}
		b.ChooseRandom(rng, b.Lanes())
		b.Advance(b.Lanes())
		b.Fill(m.Initial(), over)
	}
}

// Keys of one word and of several, values that fit beside them and that do not, and of chess positions that the
// packing does not take.
func TestATableOfPackedPositionsHoldsWhatAMapHolds(t *testing.T) {
	for _, game := range []string{"ticTacToe", "connectFour-7x6", "goofspiel-13", "checkers", "chess"} {
		m := gamestest.Machine(t, game)
		for _, bits := range []int{3, 21, 64, 74, 161} {
			for _, bound := range []int64{0, 1, 1 << 20} {
				codec := Codec[[3]uint64]{Bits: bits, Encode: func(dst []uint64, v [3]uint64) { copy(dst, v[:]) }}
				codec.Decode = func(src []uint64) (v [3]uint64) {
					copy(v[:], src[:(bits+63)/64])
					return v
				}
				table := New(m, codec, bound)
				want := map[string][3]uint64{}
				rng := machine.NewRand(uint64(bits))
				walk(m, exhaustive.Choose(2_000, 8_000), func(s machine.State) bool {
					var v [3]uint64
					for i := range bits {
						v[i/64] |= rng.Uint64() & 1 << (i % 64)
					}
					name := fmt.Sprint(s)
					if old, ok := table.Lookup(s); ok && old != want[name] {
						t.Fatalf("%s, %d bits: %v holds %x, want %x", game, bits, s, old, want[name])
					}
					table.Store(s, v, 1)
					want[name] = v
					if got, ok := table.Lookup(s); !ok || got != v {
						t.Fatalf("%s, %d bits: %v holds %x (%t), want %x", game, bits, s, got, ok, v)
					}
					return true
				})
				if game == "chess" && table.shared.overflow(false) == nil {
					t.Error("all positions of chess are packed")
				}
				listed := 0
				table.shared.Each(func(s machine.State, v []uint64, cost uint8) bool {
					listed++
					if w := want[fmt.Sprint(s)]; !slices.Equal(v, w[:len(v)]) || cost != 1 {
						t.Errorf("%s, %d bits: %v is listed with %x, want %x", game, bits, s, v, w)
					}
					return true
				})
				stats := table.Stats()
				if int64(listed) != stats.Entries || stats.Entries+stats.Evictions != int64(len(want)) && bound == 0 ||
					bound == 0 && listed != len(want) || bound == 1<<20 && stats.Bytes > bound {
					t.Errorf("%s, %d bits, bound %d: %+v, %d listed of %d", game, bits, bound, stats, listed, len(want))
				}
			}
		}
	}
}

func TestMixedWordsAreUnmixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.UintRange(minWidth, 64).Draw(t, "width")
		words := rapid.SliceOfN(rapid.Uint64(), 1, 5).Draw(t, "words")
		m := newMixer(width)
		words[0] &= m.mask
		want := slices.Clone(words)
		if m.mix(words); words[0]&^m.mask != 0 {
			t.Fatalf("%x has more than %d bits", words[0], width)
		}
		if m.unmix(words); !slices.Equal(words, want) {
			t.Fatalf("%x became %x", want, words)
		}
	})
}

// Packed positions are small numbers, and often differ in few bits.
func TestMixedWordsSpread(t *testing.T) {
	for _, width := range []uint{24, 50, 64} {
		m := newMixer(width)
		var buckets [256]int
		for i := range uint64(1 << 16) {
			words := []uint64{i * 127}
			m.mix(words)
			buckets[words[0]&15<<4|words[0]>>(width-4)]++ // the bits that address a bucket and a block
		}
		for i, n := range buckets {
			if n < 128 || n > 512 { // of 256
				t.Errorf("width %d: %d words in part %d", width, n, i)
			}
		}
	}
}

func TestLookupAndStoreAllocateNothingOnceGrown(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-5x5")
	one := Codec[uint64]{Bits: 64, Encode: func(dst []uint64, v uint64) { dst[0] = v }, Decode: func(src []uint64) uint64 { return src[0] }}
	table := New(m, one, 1)
	var states []machine.State
	walk(m, 20_000, func(s machine.State) bool {
		table.Store(s, 1, 1)
		states = append(states, slices.Clone(s))
		return true
	})
	i := 0
	allocs := testing.AllocsPerRun(5000, func() {
		table.Store(states[i], 2, 1)
		table.Lookup(states[i+1])
		i++
	})
	if allocs != 0 {
		t.Fatalf("%v allocations per call", allocs)
	}
}

func TestHashSpreadsSparseStates(t *testing.T) {
	// One-hot fields, as in the states of machines: every position of ten
	// counters of ten values each, sampled; each hash bit must be balanced and
	// flip in half of the cases when one input bit flips.
	rng := machine.NewRand(7)
	const samples = 4000
	var ones, flips [64]float64
	seen := map[uint64]bool{}
	for range samples {
		s := make(machine.State, 2)
		for c := range 10 {
			s.Set(c*10 + rng.Intn(10))
		}
		h := Hash(s)
		seen[h] = true
		s.Set(rng.Intn(100)) // may change nothing; such samples are skipped
		other := Hash(s)
		for other == h {
			s.Set(rng.Intn(100))
			other = Hash(s)
		}
		for b := range 64 {
			ones[b] += float64(h >> b & 1)
			flips[b] += float64((h ^ other) >> b & 1)
		}
	}
	if len(seen) < samples-1 {
		t.Errorf("%d distinct hashes of %d positions", len(seen), samples)
	}
	limit := 5 * math.Sqrt(samples) / 2 // five standard deviations
	for b := range 64 {
		if d := math.Abs(ones[b] - samples/2); d > limit {
			t.Errorf("bit %d is set in %v of %d", b, ones[b], samples)
		}
		if d := math.Abs(flips[b] - samples/2); d > limit {
			t.Errorf("bit %d flips in %v of %d", b, flips[b], samples)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	s := make(machine.State, 4)
	for b.Loop() {
		s[0] = Hash(s)
	}
}

func TestQuestionsAreAnsweredInTheirOrderByWhoeverKnows(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	sum := Codec[uint64]{
		Bits: 40, Encode: func(dst []uint64, v uint64) { dst[0] = v }, Decode: func(src []uint64) uint64 { return src[0] },
		Merge: func(v, old uint64) uint64 { return v + old },
	}
	one := New(m, sum, 0)
	other := one.Another()
	want := map[string]uint64{}
	var states []machine.State
	walk(m, 300, func(s machine.State) bool {
		states = append(states, slices.Clone(s))
		if v := uint64(len(states)); v%3 > 0 {
			[]*Table[uint64]{one, other}[v%2].Store(s, v, 1)
			want[fmt.Sprint(s)] += v
		}
		return true
	})
	for start := 0; start+7 <= len(states); start += 7 {
		for _, s := range states[start : start+7] {
			other.Ask(s)
		}
		for _, s := range states[start : start+7] {
			v, ok := other.Answer()
			if w, known := want[fmt.Sprint(s)]; v != w || ok != known {
				t.Fatalf("%v: %d (%t), want %d (%t)", s, v, ok, w, known)
			}
		}
	}
}

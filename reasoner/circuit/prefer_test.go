package circuit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
)

// In every lane the move is made that has the highest rank of those that a batch without
// preferences draws one after the other, and the last of equal ones; what is noted are these
// moves.
func TestTheHighestOfSeveralDrawsIsChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		if rapid.Bool().Draw(t, "parts") {
			g = splitTables(t.Context(), g, 1)
		}
		draws, seed := rapid.IntRange(1, 4).Draw(t, "draws"), rapid.Uint64().Draw(t, "seed")
		for _, k := range kernel.All() {
			m, err := Compile(t.Context(), g, Options{Lanes: k.Lanes()})
			if err != nil {
				t.Fatal(err)
			}
			checkPreference(t, m, draws, anywhere(g, m, seed), seed)
		}
	})
}

func checkPreference(t *rapid.T, m *Machine, draws int, states []uint64, seed uint64) {
	t.Helper()
	preferring, plain := m.newBatch(m.wide), m.newBatch(m.wide)
	lanes, rng := preferring.Lanes(), machine.NewRand(seed)
	features := preferring.Features()
	ranks := make([]uint8, len(features))
	for i := range ranks {
		ranks[i] = uint8(rng.Intn(machine.MaxRank + 1))
	}
	noted := make([]uint64, preferring.words)
	for i := range noted {
		noted[i] = rng.Uint64()
	}
	preferring.Prefer(ranks, draws)
	preferring.Note(noted)
	want := make([]int32, len(features))
	for range 3 { // joint moves
		same := *rng
		for _, b := range []*Batch{preferring, plain} {
			b.Load(states, lanes)
			b.Evaluate(lanes)
		}
		preferring.ChooseRandom(rng, lanes)
		var drawn [][]bool // by draw, then feature and lane
		for range draws {
			plain.ChooseRandom(&same, lanes)
			drawn = append(drawn, plain.madeFeatures())
		}
		got := preferring.madeFeatures()
		first := 0
		for r := range machine.Role(len(m.names.Roles)) {
			n := 0
			for _, role := range features {
				if role == r {
					n++
				}
			}
			for lane := range lanes {
				best, most := 0, -1
				for d, made := range drawn {
					rank := 0
					for i := first; i < first+n; i++ {
						if made[i*lanes+lane] {
							rank += int(ranks[i])
						}
					}
					if rank >= most {
						best, most = d, rank
					}
				}
				for i := first; i < first+n; i++ {
					at := i*lanes + lane
					if got[at] != drawn[best][at] {
						t.Fatalf("lane %d, feature %d of role %d: not that of draw %d, which has rank %d", lane, i-first, r, best, most)
					}
				}
			}
			first += n
		}
		preferring.Advance(lanes)
		preferring.Store(states, lanes)
		for i := range want {
			for lane := range lanes {
				if got[i*lanes+lane] && noted[lane>>6]>>uint(lane&63)&1 != 0 {
					want[i] |= 1 << (lane % 8)
				}
			}
		}
	}
	checkCounts(t, preferring, features, want)
}

// checkCounts compares what was noted with the lanes modulo 8 in which it must have been.
func checkCounts(t *rapid.T, b *Batch, features []machine.Role, want []int32) {
	t.Helper()
	counts, got := make([]int32, len(features)), make([]int32, len(features))
	for lane := range 8 {
		mask := make([]uint64, b.words)
		for w := range mask {
			mask[w] = 0x0101010101010101 << lane
		}
		masks := slices.Repeat([][]uint64{mask}, len(b.m.does))
		b.Count(counts, masks)
		for i, n := range counts {
			if n > 0 {
				got[i] |= 1 << lane
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("noted %v, want %v", got, want)
	}
	b.Forget()
	if b.Count(counts, slices.Repeat([][]uint64{b.terminal}, len(b.m.does))); slices.Max(append(counts, 0)) != 0 {
		t.Fatal("what was noted is not forgotten")
	}
}

// madeFeatures tells, by feature and lane, what is chosen.
func (b *Batch) madeFeatures() []bool {
	var made []bool
	for _, k := range b.preferences().blocks {
		for i := range k.count {
			for lane := range b.Lanes() {
				made = append(made, b.bit(output{row: k.first + i}, lane))
			}
		}
	}
	return made
}

package table

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

func TestTableWithoutBoundHoldsWhatAMapHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		keys := rapid.Uint64Range(1, 20000).Draw(t, "keys")
		rng := machine.NewRand(rapid.Uint64().Draw(t, "seed"))
		table := New[int64](words, 0)
		want := map[string]int64{}
		s := make(machine.State, words)
		for step := range 12000 {
			// Few distinct, sparse and clustered words: like real positions.
			for i := range s {
				s[i] = 1 << (rng.Uint64() % keys % 64)
			}
			s[0] = rng.Uint64() % keys
			name := fmt.Sprint(s)
			if rng.Intn(2) == 0 {
				*table.Insert(s, int64(step)) = int64(step)
				want[name] = int64(step)
				continue
			}
			got := table.Lookup(s)
			value, ok := want[name]
			if ok != (got != nil) || ok && *got != value {
				t.Fatalf("position %v: got %v, want %v (present: %v)", s, got, value, ok)
			}
		}
		if got := table.Stats().Entries; got != int64(len(want)) {
			t.Fatalf("%d entries, want %d", got, len(want))
		}
	})
}

func TestBoundedTableNeverExceedsItsMemoryAndNeverLies(t *testing.T) {
	const bound = 1 << 18
	table := New[uint64](2, bound)
	rng := machine.NewRand(1)
	s := make(machine.State, 2)
	for range 200_000 {
		s[0], s[1] = rng.Uint64()%50_000, rng.Uint64()%2
		if v := table.Lookup(s); v != nil && *v != s[0]*2+s[1] {
			t.Fatalf("position %v holds the value of another: %d", s, *v)
		}
		*table.Insert(s, 1) = s[0]*2 + s[1]
		if got := table.Stats().Bytes; got > bound {
			t.Fatalf("%d bytes, bound is %d", got, bound)
		}
	}
	stats := table.Stats()
	if stats.Evictions == 0 || stats.Hits == 0 {
		t.Fatalf("the test did not fill the table: %+v", stats)
	}
}

func TestDearEntriesSurviveCheapOnes(t *testing.T) {
	table := New[int](1, 1)
	for i := range uint64(100) {
		*table.Insert(machine.State{i}, 1<<20) = int(i)
	}
	for i := range uint64(100_000) {
		table.Insert(machine.State{i + 100}, 1)
	}
	for i := range uint64(100) {
		if v := table.Lookup(machine.State{i}); v == nil || *v != int(i) {
			t.Fatalf("entry %d was lost to entries that cost less", i)
		}
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

func TestLookupAndInsertAllocateNothingOnceGrown(t *testing.T) {
	table := New[[4]float64](3, 1)
	s := make(machine.State, 3)
	i := uint64(0)
	allocs := testing.AllocsPerRun(5000, func() {
		i++
		s[0] = i
		table.Insert(s, 1)
		table.Lookup(s)
	})
	if allocs != 0 {
		t.Fatalf("%v allocations per call", allocs)
	}
}

func BenchmarkTable(b *testing.B) {
	for _, words := range []int{2, 8} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			table := New[[2]float64](words, 256<<20)
			rng := machine.NewRand(3)
			s := make(machine.State, words)
			for b.Loop() {
				s[words-1] = rng.Uint64() % (1 << 20)
				if table.Lookup(s) == nil {
					table.Insert(s, 1)
				}
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	s := make(machine.State, 4)
	for b.Loop() {
		s[0] = Hash(s)
	}
}

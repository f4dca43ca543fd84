package table

import (
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

func overwrite(_, _ []uint64) {}

func TestSharedTableWithoutBoundHoldsWhatAMapHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		keys := rapid.Uint64Range(1, 20000).Draw(t, "keys")
		rng := machine.NewRand(rapid.Uint64().Draw(t, "seed"))
		table := NewShared(words, 2, 0)
		want := map[string][2]uint64{}
		s := make(machine.State, words)
		value := make([]uint64, 2)
		for step := range uint64(12000) {
			for i := range s {
				s[i] = 1 << (rng.Uint64() % keys % 64)
			}
			s[0] = rng.Uint64() % keys
			name := fmt.Sprint(s)
			if rng.Intn(2) == 0 {
				value[0], value[1] = step, 1
				table.Update(value, s, Hash(s), int64(step), func(value, old []uint64) { value[1] += old[1] })
				want[name] = [2]uint64{step, want[name][1] + 1}
				continue
			}
			got := table.Lookup(value, s, Hash(s))
			if w, ok := want[name]; ok != got || ok && w != [2]uint64(value) {
				t.Fatalf("position %v: got %v, want %v (present: %v)", s, value, w, ok)
			}
		}
		if got := table.Stats().Entries; got != int64(len(want)) {
			t.Fatalf("%d entries, want %d", got, len(want))
		}
		table.Each(func(s machine.State, value []uint64, cost uint8) bool {
			name := fmt.Sprint(s)
			if want[name] != [2]uint64(value) {
				t.Fatalf("position %v listed with %v, want %v", s, value, want[name])
			}
			delete(want, name)
			return true
		})
		if len(want) > 0 {
			t.Fatalf("%d entries were not listed", len(want))
		}
	})
}

// Every value says which position it belongs to, in both words, so a torn or misplaced
// one would show.
func TestSharedTableNeverMixesWhatSeveralGoroutinesWrite(t *testing.T) {
	for _, bound := range []int64{0, 1 << 17} {
		table := NewShared(2, 2, bound)
		var wait sync.WaitGroup
		for worker := range uint64(4) {
			wait.Go(func() {
				rng := machine.NewRand(worker)
				s, value := make(machine.State, 2), make([]uint64, 2)
				for range 10_000 {
					s[0], s[1] = rng.Uint64()%1000, rng.Uint64()%4
					name := s[0]*4 + s[1]
					if table.Lookup(value, s, Hash(s)) && (value[0]>>8 != name || value[1]>>8 != name || value[0] != value[1]) {
						t.Errorf("position %v holds %x", s, value)
						return
					}
					value[0], value[1] = name<<8|worker, name<<8|worker
					table.Update(value, s, Hash(s), 1, overwrite)
				}
			})
		}
		wait.Go(func() {
			for range 20 {
				table.Each(func(s machine.State, value []uint64, _ uint8) bool {
					if value[0]>>8 != s[0]*4+s[1] || value[0] != value[1] {
						t.Errorf("position %v is listed with %x", s, value)
					}
					return true
				})
				if got := table.Stats().Bytes; bound > 0 && got > bound {
					t.Errorf("%d bytes, bound is %d", got, bound)
				}
			}
		})
		wait.Wait()
		if stats := table.Stats(); bound == 0 && stats.Entries != 4000 || bound > 0 && stats.Evictions == 0 {
			t.Errorf("bound %d: %+v", bound, stats)
		}
	}
}

func TestSharedTableKeepsDearEntries(t *testing.T) {
	table := NewShared(1, 1, 1)
	value := make([]uint64, 1)
	for i := range uint64(100) {
		s := machine.State{i}
		value[0] = i
		table.Update(value, s, Hash(s), 1<<20, overwrite)
	}
	for i := range uint64(100_000) {
		s := machine.State{i + 100}
		table.Update(value, s, Hash(s), 1, overwrite)
	}
	for i := range uint64(100) {
		s := machine.State{i}
		if !table.Lookup(value, s, Hash(s)) || value[0] != i {
			t.Fatalf("entry %d was lost to entries that cost less", i)
		}
	}
}

func TestSharedTableAllocatesNothingOnceGrown(t *testing.T) {
	table := NewShared(3, 2, 1)
	s, value := make(machine.State, 3), make([]uint64, 2)
	allocs := testing.AllocsPerRun(5000, func() {
		s[0]++
		table.Update(value, s, Hash(s), 1, overwrite)
		table.Lookup(value, s, Hash(s))
	})
	if allocs != 0 {
		t.Fatalf("%v allocations per call", allocs)
	}
}

func BenchmarkShared(b *testing.B) {
	for _, words := range []int{2, 8} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			table := NewShared(words, 4, 256<<20)
			rng := machine.NewRand(3)
			s, value := make(machine.State, words), make([]uint64, 4)
			for b.Loop() {
				s[words-1] = rng.Uint64() % (1 << 20)
				if h := Hash(s); !table.Lookup(value, s, h) {
					table.Update(value, s, h, 1, overwrite)
				}
			}
		})
	}
}

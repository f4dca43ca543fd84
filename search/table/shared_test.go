package table

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

func overwrite(_, _ []uint64) {}

// plain returns a table of unpacked positions.
func plain(words, valueBits int, maxBytes int64) *Shared {
	return newShared(PlainPacking(words), valueBits, maxBytes, new(atomic.Int64))
}

// key returns the key of s in memory of its own.
func (t *Shared) key(s machine.State) Key { return t.Key(make([]uint64, len(s)), s) }

func TestSharedTableWithoutBoundHoldsWhatAMapHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		keys := rapid.Uint64Range(1, 20000).Draw(t, "keys")
		rng := machine.NewRand(rapid.Uint64().Draw(t, "seed"))
		table := plain(words, 128, 0)
		want := map[string][2]uint64{}
		s := make(machine.State, words)
		value := make([]uint64, 4)
		for step := range uint64(12000) {
			for i := range s {
				s[i] = 1 << (rng.Uint64() % keys % 64)
			}
			s[0] = rng.Uint64() % keys
			name := fmt.Sprint(s)
			if rng.Intn(2) == 0 {
				value[0], value[1] = step, 1
				table.Update(value, table.key(s), int64(step), func(value, old []uint64) { value[1] += old[1] })
				want[name] = [2]uint64{step, want[name][1] + 1}
				continue
			}
			got := table.Lookup(value, table.key(s))
			if w, ok := want[name]; ok != got || ok && w != [2]uint64(value[:2]) {
				t.Fatalf("position %v: got %v, want %v (present: %v)", s, value, w, ok)
			}
		}
		if got := table.Stats().Entries; got != int64(len(want)) {
			t.Fatalf("%d entries, want %d", got, len(want))
		}
		table.Each(func(s machine.State, value []uint64, cost uint8) bool {
			name := fmt.Sprint(s)
			if want[name] != [2]uint64(value[:2]) {
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
	for _, bound := range []int64{0, 1 << 18} {
		table := plain(2, 128, bound)
		var wait sync.WaitGroup
		for worker := range uint64(4) {
			wait.Go(func() {
				rng := machine.NewRand(worker)
				s, value := make(machine.State, 2), make([]uint64, 4)
				for range 20_000 {
					s[0], s[1] = rng.Uint64()%5000, rng.Uint64()%4
					name := s[0]*4 + s[1]
					if table.Lookup(value, table.key(s)) && (value[0]>>8 != name || value[1]>>8 != name || value[0] != value[1]) {
						t.Errorf("position %v holds %x", s, value)
						return
					}
					value[0], value[1] = name<<8|worker, name<<8|worker
					table.Update(value, table.key(s), 1, overwrite)
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
		if stats := table.Stats(); bound == 0 && stats.Entries < 10_000 || bound > 0 && stats.Evictions == 0 {
			t.Errorf("bound %d: %+v", bound, stats)
		}
	}
}

func TestSharedTableKeepsDearEntries(t *testing.T) {
	table := plain(1, 64, 1)
	value := make([]uint64, 2)
	for i := range uint64(100) {
		s := machine.State{i}
		value[0] = i
		table.Update(value, table.key(s), 1<<20, overwrite)
	}
	for i := range uint64(100_000) {
		s := machine.State{i + 100}
		table.Update(value, table.key(s), 1, overwrite)
	}
	for i := range uint64(100) {
		s := machine.State{i}
		if !table.Lookup(value, table.key(s)) || value[0] != i {
			t.Fatalf("entry %d was lost to entries that cost less", i)
		}
	}
}

// Expensive entries that are not stored again are replaced by recent ones in the end.
func TestSharedTableForgetsDearEntriesThatAreOld(t *testing.T) {
	table := plain(1, 64, 1)
	value := make([]uint64, 2)
	name := uint64(0)
	store := func(count int, work int64) {
		for range count {
			name++
			value[0] = name
			table.Update(value, table.key(machine.State{name}), work, overwrite)
		}
	}
	store(50_000, 1<<16)
	full, dear := int(table.Stats().Entries), int(name)
	store(40*full, 1<<10)
	old := 0
	table.Each(func(s machine.State, _ []uint64, _ uint8) bool {
		if s[0] <= uint64(dear) {
			old++
		}
		return true
	})
	if 10*old > full {
		t.Errorf("of %d entries %d are those that were dear once", full, old)
	}
}

func TestSharedTableAllocatesNothingOnceGrown(t *testing.T) {
	table := plain(3, 128, 1)
	s, value := make(machine.State, 3), make([]uint64, 4)
	allocs := testing.AllocsPerRun(5000, func() {
		s[0]++
		table.Update(value, table.key(s), 1, overwrite)
		table.Lookup(value, table.key(s))
	})
	if allocs != 0 {
		t.Fatalf("%v allocations per call", allocs)
	}
}

func BenchmarkShared(b *testing.B) {
	for _, words := range []int{2, 8} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			table := plain(words, 256, 256<<20)
			rng := machine.NewRand(3)
			s, memory, value := make(machine.State, words), make([]uint64, words), make([]uint64, 8)
			for b.Loop() {
				s[words-1] = rng.Uint64() % (1 << 20)
				if k := table.Key(memory, s); !table.Lookup(value, k) {
					table.Update(value, k, 1, overwrite)
				}
			}
		})
	}
}

// BenchmarkEntry reports the bytes of an entry with plain and with packed positions, and the bits of a
// packed position, for the values of Bounded Alpha-Beta (22 bits) and of simultaneous games (74 bits).
func BenchmarkEntry(b *testing.B) {
	for _, game := range []string{
		"ticTacToe", "connectFour-5x5", "connectFour-6x6", "connectFour-7x6", "breakthrough-5x5", "breakthrough-8x8",
		"hex-5x5", "hex-9x9", "reversi-6x6", "reversi-8x8", "checkers", "chess", "amazons", "gomoku", "quarto", "pentago",
		"goofspiel-8", "goofspiel-13", "biddingTicTacToe-10", "oshiZumo-50-3", "tron-6x6", "ultimateTicTacToe",
	} {
		b.Run(game, func(b *testing.B) {
			m := gamestest.Machine(b, game)
			for b.Loop() {
				PackingOf(m)
			}
			p := PackingOf(m)
			b.ReportMetric(float64(64*(p.Words()-1)+p.LastBits()), "bits")
			for name, bits := range map[string]int{"turns": 22, "atOnce": 74} {
				b.ReportMetric(float64(8*newLayout(p.Plain(), bits, 0).entry), name+"-plain")
				b.ReportMetric(float64(8*newLayout(p, bits, 0).entry), name+"-packed")
			}
		})
	}
}

package table

import (
	"slices"
	"sync"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

// positions returns positions of random games.
func positions(m machine.Machine, steps int) []machine.State {
	b, rng, words := m.NewNarrowBatch(), machine.NewRand(9), len(m.Initial())
	over := make([]uint64, max(b.Lanes()/64, 1))
	var list []machine.State
	for range steps {
		b.Evaluate(b.Lanes())
		copy(over, b.Terminal())
		states := make([]uint64, b.Lanes()*words)
		b.Store(states, b.Lanes())
		for lane := range b.Lanes() {
			if over[lane/64]>>(lane%64)&1 == 0 {
				list = append(list, states[lane*words:(lane+1)*words])
			}
		}
		b.ChooseRandom(rng, b.Lanes())
		b.Advance(b.Lanes())
		b.Fill(m.Initial(), over)
	}
	return list
}

func TestPackedPositionsAreShortAndComeBackAsTheyWere(t *testing.T) {
	for _, game := range []struct {
		name string
		bits int // limit for a packed position: the bits of a hand-made packing, or a little more
	}{
		{"ticTacToe", 16}, // nine cells of three contents and a player to move: 15.3
		{"connectFour-5x5", 31},
		{"connectFour-7x6", 52}, // seven columns of 127 patterns and a player to move: 49.9
		{"breakthrough-5x5", 42},
		{"hex-5x5", 42},
		{"goofspiel-8", 32},
		{"biddingTicTacToe-10", 24},
		{"checkers", 64 + 40},
		{"chess", 6*64 + 64},
	} {
		m := gamestest.Machine(t, game.name)
		p := PackingOf(m)
		if bits := 64*(p.Words()-1) + p.LastBits(); bits > game.bits {
			t.Errorf("%s: %d bits, expected at most %d of %d fluents", game.name, bits, game.bits, len(m.Names().Fluents))
		}
		list, refused := positions(m, 100), 0
		packed, back := make([]uint64, p.Words()), make(machine.State, len(m.Initial()))
		for _, s := range list {
			if !p.Pack(packed, s) {
				refused++
				continue
			}
			if p.Unpack(back, packed); !back.Equal(s) {
				t.Fatalf("%s: %x came back as %x", game.name, s, back)
			}
			if last := packed[p.Words()-1]; last>>1>>(p.LastBits()-1) != 0 {
				t.Fatalf("%s: the last word, %x, has more than %d bits", game.name, last, p.LastBits())
			}
		}
		if share := float64(refused) / float64(len(list)); share > 0.2 || share > 0.001 && game.name != "chess" {
			t.Errorf("%s: %d of %d positions were refused", game.name, refused, len(list))
		}
	}
}

// Goroutines pack positions while other goroutines add patterns.
func TestGoroutinesThatPackAgree(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-5x5")
	p := newPacking(m)
	list := positions(m, 30)
	all := make([][]uint64, 4)
	var wait sync.WaitGroup
	for worker := range all {
		wait.Go(func() {
			packed := make([]uint64, p.Words())
			for i := range list {
				if !p.Pack(packed, list[(i+worker*len(list)/4)%len(list)]) {
					t.Errorf("position %d was refused", i)
				}
				all[worker] = append(all[worker], packed...)
			}
			n := len(all[worker]) - worker*len(list)/4*p.Words()
			all[worker] = slices.Concat(all[worker][n:], all[worker][:n])
		})
	}
	wait.Wait()
	for worker := range all {
		if !slices.Equal(all[worker], all[0]) {
			t.Fatalf("worker %d packed otherwise", worker)
		}
	}
}

func TestPackingAllocatesNothing(t *testing.T) {
	m := gamestest.Machine(t, "checkers")
	p, s := PackingOf(m), m.Initial()
	packed := make([]uint64, p.Words())
	if allocs := testing.AllocsPerRun(100, func() { p.Pack(packed, s) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkPack(b *testing.B) {
	for _, game := range []string{"connectFour-7x6", "breakthrough-8x8", "goofspiel-13", "checkers", "chess"} {
		b.Run(game, func(b *testing.B) {
			m := gamestest.Machine(b, game)
			p, list := PackingOf(m), positions(m, 64)
			packed := make([]uint64, len(m.Initial()))
			i := 0
			for b.Loop() {
				p.Pack(packed, list[i%len(list)])
				i++
			}
		})
	}
}

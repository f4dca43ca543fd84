package circuit

import (
	"fmt"
	"slices"
	"testing"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// BenchmarkPass measures the cost of a pass over the network by gates and lanes. The networks have random two-input
// gates with mostly recent operands, as in games.
func BenchmarkPass(b *testing.B) {
	for _, gates := range []int{1e3, 1e4, 1e5, 1e6} {
		for _, k := range kernel.All() {
			b.Run(fmt.Sprintf("gates=%d/%s", gates, k.Name()), func(b *testing.B) {
				lanes := k.Lanes()
				if !slices.ContainsFunc(kernel.All(), func(k *kernel.Kernel) bool { return k.Lanes() == lanes }) {
					b.Skip("this processor has no kernel of that width")
				}
				m := compiled(b, syntheticGame(gates), Options{Kernel: k.Name()})
				batch := m.NewBatch()
				for b.Loop() {
					batch.Advance(lanes)
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns/float64(gates), "ns/gate")
				b.ReportMetric(1000*ns/float64(gates*lanes), "ps/gate/lane")
			})
		}
	}
}

// syntheticGame returns a game of 1 000 fluents, with next signals over the given number of random gates.
func syntheticGame(gates int) *Game {
	const fluents, recent = 1000, 500
	names := &machine.Names{Roles: []string{"r"}, Fluents: make([]string, fluents), Moves: [][]string{{"m"}}}
	g := NewGame(names, make(machine.State, (fluents+63)/64))
	rng := machine.NewRand(1)
	lits := append([]logic.Lit{}, g.Fluents...)
	pick := func() logic.Lit {
		from := max(0, len(lits)-recent)
		return lits[from+rng.Intn(len(lits)-from)] ^ logic.Lit(rng.Intn(2))
	}
	for g.Net.Len() < gates+fluents {
		if before, l := g.Net.Len(), g.Net.And(pick(), pick()); g.Net.Len() > before {
			lits = append(lits, l)
		}
	}
	for range fluents {
		g.Next = append(g.Next, pick())
	}
	g.Legal = [][]logic.Lit{{logic.True}}
	return g
}

func BenchmarkTranspose(b *testing.B) {
	var block [64]uint64
	for i := range block {
		block[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	b.Run("portable", func(b *testing.B) {
		for b.Loop() {
			transposeFirst(&block, 64)
		}
	})
	b.Run("first8", func(b *testing.B) {
		for b.Loop() {
			transposeFirst(&block, 8)
		}
	})
	b.Run("best", func(b *testing.B) {
		for b.Loop() {
			transpose(&block, 64, transposeFirst)
		}
	})
}

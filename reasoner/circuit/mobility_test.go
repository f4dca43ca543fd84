package circuit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// The mobility of a role contains its legal moves in the same position with its turn.
func TestMobilityIsTheLegalMovesInTurn(t *testing.T) {
	const size, alike = 5, 3
	g := turnGame(size, true)
	turn := g.Fluents[0]
	// Two moves without signals: one is legal for both roles alike, one depends on a single fluent.
	common := g.Net.And(g.Fluents[1], g.Fluents[2])
	for r := range g.Legal {
		g.Legal[r][alike] = g.Net.And(turn^logic.Lit(r), common)
		g.Legal[r][alike+1] = g.Net.And(turn^logic.Lit(r), g.Fluents[3+r])
	}
	h := optimised(t, g, PassOptions{Without: []string{"fluents"}})
	g = h.Game
	m := compiled(t, g, Options{Kernel: kernel.Portable64})
	if FindSignals(t.Context(), h, false, Options{Kernel: kernel.Portable64}) != nil {
		t.Error("FindSignals returns mobility without a request")
	}
	signals := FindSignals(t.Context(), h, true, Options{Kernel: kernel.Portable64})
	var want []facts.Signal
	for r, row := range g.Legal {
		for k := 1; k < len(row); k++ { // except the noop
			if k != alike && k != alike+1 {
				want = append(want, facts.Signal{Role: machine.Role(r), Move: machine.Move(k)})
			}
		}
	}
	if !slices.Equal(signals.List(), want) {
		t.Fatalf("the signals are %v, want %v", signals.List(), want)
	}
	rng, b, sensor, found, seen := rand.New(rand.NewPCG(1, 2)), m.NewBatch(), signals.NewSensor(), make([]uint64, 1), 0
	for range 200 {
		s := machine.State{rng.Uint64() & (1<<len(g.Fluents) - 1)}
		sensor.Sense(found, s)
		for r := range g.Legal {
			s[0] = s[0]&^1 | uint64(1-r)
			b.Load(s, 1)
			b.Evaluate(1)
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			for i, signal := range want {
				got := found[0]>>i&1 != 0
				if signal.Role == machine.Role(r) && got != slices.Contains(legal, signal.Move) {
					t.Fatalf("in %b, role %d, the signal of move %d is %v", s[0], r, signal.Move, got)
				}
				if got {
					seen++
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no signal is true in any position")
	}
}

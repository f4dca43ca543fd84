package circuit

import (
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// Counter fluents that playouts do not reach seem constant. Each round of induction frees one of them, with its twin.
func TestCountersBeyondAllPlayoutsAreFreed(t *testing.T) {
	const last = 2 * sampleSteps
	g := emptyGame(2 * (last + 1))
	count, twin := g.Fluents[:last+1], g.Fluents[last+1:]
	for _, row := range [][]logic.Lit{count, twin} {
		g.Next = append(g.Next, g.Net.And(row[last], row[0]))
		for _, l := range row[:last] {
			g.Next = append(g.Next, g.Net.And(l, row[last].Not()))
		}
	}
	g.Initial.Set(0)
	g.Initial.Set(last + 1)
	g.Terminal = twin[last]
	h := mergeFluents(t.Context(), g)
	must.OK(t, h.Verify())
	for i := range count {
		if a, b := h.Next[i], h.Next[last+1+i]; a != b {
			t.Errorf("fluent %d: next is %v, and %v for its twin", i, a, b)
		}
	}
	m := compiled(t, h, Options{Kernel: kernel.Portable64})
	b := m.NewBatch()
	b.Fill(g.Initial, nil)
	for i := range last + 1 {
		b.Evaluate(1)
		if ends := b.Terminal()[0]&1 != 0; ends != (i == last) {
			t.Fatalf("after %d moves terminal is %v", i, ends)
		}
		b.Choose(0, 0, 0)
		b.Advance(1)
	}
}

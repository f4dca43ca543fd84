package circuit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"

	"stackmate/reasoner/circuit/logic/logictest"
)

// smallStack limits the stack to a few megabytes during a test, so that recursion along a chain fails early.
func smallStack(t *testing.T) {
	old := debug.SetMaxStack(4 << 20)
	t.Cleanup(func() { debug.SetMaxStack(old) })
}

// emptyGame returns a game of one role with one move, and the given number of fluents without next signals.
func emptyGame(fluents int) *Game {
	names := &machine.Names{Roles: []string{"r"}, Fluents: make([]string, fluents), Moves: [][]string{{"wait"}}}
	g := NewGame(names, make(machine.State, max(1, (fluents+63)/64)))
	g.Legal = [][]logic.Lit{{logic.True}}
	return g
}

// In chains of gates as long as the network, no pass recurses along the chain, and passes are linear.
func TestChainsAsLongAsTheNetwork(t *testing.T) {
	for name, link := range map[string]func(g *Game, l, f logic.Lit, i int) logic.Lit{
		"alternating":   func(g *Game, l, f logic.Lit, i int) logic.Lit { return g.Net.And(l, f).Not() },
		"conjunctions":  func(g *Game, l, f logic.Lit, i int) logic.Lit { return g.Net.And(l, f) },
		"disjunctions":  func(g *Game, l, f logic.Lit, i int) logic.Lit { return g.Net.Or(l, f) },
		"of two inputs": func(g *Game, l, f logic.Lit, i int) logic.Lit { return g.Net.And(g.Net.Or(l, f), g.Fluents[i/2]) },
	} {
		t.Run(name, func(t *testing.T) {
			smallStack(t)
			length := exhaustive.Choose(50_000, 200_000)
			if name == "alternating" && exhaustive.On() {
				length = 1_000_000
			}
			g := emptyGame(length / 4) // so a chain of one operation has this length
			l := g.Fluents[0]
			for i := range length {
				l = link(g, l, g.Fluents[(i*7+1)%len(g.Fluents)], i%len(g.Fluents))
			}
			g.Next = make([]logic.Lit, len(g.Fluents)) // false, except one
			g.Next[1], g.Terminal = l, l.Not()
			before := *g.Net
			h := optimised(t, g, PassOptions{Without: []string{"fluents"}}) // fluents would find them all false
			m := compiled(t, h, Options{Kernel: kernel.Portable64})
			checkChain(t, g, &before, m, l)
		})
	}
}

// checkChain compares one position with the oracle.
func checkChain(t *testing.T, g *Game, n *logic.Network, m *Machine, l logic.Lit) {
	s := make(machine.State, len(m.Initial()))
	rng := rand.New(rand.NewPCG(1, 1))
	for f := range g.Fluents {
		if rng.IntN(8) > 0 {
			s.Set(f)
		}
	}
	b := m.NewBatch()
	b.Fill(s, nil)
	b.Evaluate(1)
	want := logictest.Evaluate(n, inputs(g, s, []machine.Move{0}))[l.Node()] != l.Complemented()
	if ends := b.Terminal()[0]&1 != 0; ends == want {
		t.Errorf("terminal is %v", ends)
	}
	b.Choose(0, 0, 0)
	b.Advance(1)
	b.Store(s, 1)
	if s.Has(1) != want {
		t.Errorf("the next fluent is %v", s.Has(1))
	}
}

// Many variables of a loop are swept until they are stable; in a cycle without support they stay false.
func TestLoopsOfManyVariables(t *testing.T) {
	smallStack(t)
	const length = 20_000
	g := emptyGame(2)
	vars := make([]logic.Lit, length)
	for i := range vars {
		vars[i] = g.Net.LoopVar()
	}
	for i, v := range vars {
		g.Net.Define(v, g.Net.Or(g.Net.And(vars[(i+length-1)%length], g.Fluents[1]), g.Net.And(g.Fluents[0], vars[(i+1)%length])))
	}
	g.Next = []logic.Lit{vars[0], vars[length-1]}
	g.Terminal = g.Net.Or(vars...)
	m := compiled(t, g, Options{})
	b := m.NewBatch()
	b.Fill(machine.State{3}, nil)
	b.Evaluate(1)
	if b.Terminal()[0] != 0 {
		t.Error("the loop variables are true, want false: no variable has support")
	}
}

// Nested terms could be factored as often as there are terms; factorDepth limits this.
func TestNestedTermsAreFactoredInBoundedTime(t *testing.T) {
	terms := exhaustive.Choose(400, 1000)
	g := emptyGame(2 * terms)
	var bodies []logic.Lit
	for i := range terms {
		bodies = append(bodies, g.Net.And(append(slices.Clone(g.Fluents[:i+2]), g.Fluents[2*terms-1-i])...))
	}
	g.Next = make([]logic.Lit, len(g.Fluents))
	g.Next[0], g.Terminal = g.Net.Or(bodies...), logic.False
	optimised(t, g, PassOptions{Without: []string{"fluents"}})
}

// playouts iterates over all kernels, with playouts of a game.
func playouts(t *testing.T, g *Game) iter.Seq2[*kernel.Kernel, *play.Playouts] {
	return func(yield func(*kernel.Kernel, *play.Playouts) bool) {
		for _, k := range kernel.All() {
			m := compiled(t, g, Options{Kernel: k.Name()})
			if !yield(k, play.NewPlayouts(m, m.Initial(), 1)) {
				return
			}
		}
	}
}

// A role with an empty move table is stuck in every position.
func TestARoleWithoutMovesIsStuck(t *testing.T) {
	names := &machine.Names{Roles: []string{"a", "b", "c"}, Fluents: make([]string, 3), Moves: [][]string{{}, {"x", "y"}, {}}}
	g := NewGame(names, make(machine.State, 1))
	g.Legal = [][]logic.Lit{{}, {g.Fluents[0].Not(), logic.True}, {}}
	g.Next = []logic.Lit{g.Does[1][0], g.Does[1][1], g.Fluents[0]}
	g.Terminal = g.Fluents[2]
	h := optimised(t, g, PassOptions{})
	for k, p := range playouts(t, h.Game) {
		for range 10 {
			p.Step()
		}
		if p.Ended != 0 || p.States != 0 || p.Faulty != 10*int64(k.Lanes()) {
			t.Errorf("%s: %d matches ended, %d positions, %d faults", k.Name(), p.Ended, p.States, p.Faulty)
		}
	}
}

func TestAGameWithoutFluentsCompiles(t *testing.T) {
	for _, ends := range []logic.Lit{logic.False, logic.True} {
		g := emptyGame(0)
		g.Terminal = ends
		g.Goals = []Goal{{0, 50, logic.True}}
		h := optimised(t, g, PassOptions{})
		for k, p := range playouts(t, h.Game) {
			p.Step()
			p.Step()
			if ended := p.Ended > 0; ended != (ends == logic.True) || ended != (p.Goals()[0] > 0) {
				t.Errorf("%s: %d matches ended with goals %v", k.Name(), p.Ended, p.Goals())
			}
		}
	}
}

func TestBatchesGetFewerLanesIfMemoryIsShort(t *testing.T) {
	g := syntheticGame(20_000)
	m := compiled(t, g, Options{})
	widest := kernel.All()[0].Lanes()
	if m.NewBatch().Lanes() != widest {
		t.Fatalf("%d lanes without a limit", m.NewBatch().Lanes())
	}
	bytes := m.Info().Batch
	for lanes := widest; lanes > 64; lanes /= 2 {
		bytes /= 2
		m = compiled(t, g, Options{Memory: bytes + bytes/2})
		if got := m.NewBatch().Lanes(); got >= lanes || m.NewNarrowBatch().Lanes() > got || m.Info().Batch > bytes+bytes/2 {
			t.Errorf("%d lanes, %d in a narrow batch, and %d bytes with a limit of %d", got, m.NewNarrowBatch().Lanes(), m.Info().Batch, bytes+bytes/2)
		}
	}
	_, err := g.Compile(t.Context(), Options{Memory: 1000})
	if err == nil || !strings.Contains(err.Error(), "a batch may take") {
		t.Errorf("error %v for a limit of 1000 bytes, want the limit of a batch", err)
	}
}

// Info.Batch is the memory of a batch, within a tenth.
func TestInfoContainsTheMemoryOfABatch(t *testing.T) {
	m := compiled(t, syntheticGame(300_000), Options{})
	b := m.newBatch(m.wide)
	took := int64(8*(len(b.rows)+len(b.filledWords)) + 4*len(b.chosen))
	if got := m.Info().Batch; got < took || got > took+took/10 {
		t.Errorf("Info.Batch is %d bytes, the rows take %d", got, took)
	}
}

// endingContext is done after a number of calls of Err.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever the context ends, the work stops soon with an error, and returns no partial circuit.
func TestOptimisingAndCompilingStopWithTheirContext(t *testing.T) {
	g := syntheticGame(30_000)
	work := func(ctx context.Context) error {
		h, err := Optimise(ctx, g, PassOptions{})
		if err != nil {
			return err
		}
		_, err = h.Compile(ctx, Options{})
		return err
	}
	asked := &endingContext{t.Context(), 1 << 30}
	must.OK(t, work(asked))
	total := 1<<30 - asked.left
	if total < 100 {
		t.Errorf("Err was called %d times, want at least 100", total)
	}
	for left := 0; left < total; left += 1 + total/20 {
		ctx := &endingContext{t.Context(), left}
		if err := work(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v after %d calls of Err", err, left)
		}
		if ctx.left < -20 {
			t.Errorf("Err was called %d times after the end of the context", -ctx.left)
		}
	}
}

// BenchmarkCancel measures the time between the end of the context and the end of the work.
func BenchmarkCancel(b *testing.B) {
	g := syntheticGame(1_000_000)
	for _, after := range []time.Duration{100, 500, 1000, 2000} {
		b.Run(fmt.Sprintf("after=%dms", after), func(b *testing.B) {
			for b.Loop() {
				ctx, cancel := context.WithTimeout(b.Context(), after*time.Millisecond)
				start := time.Now()
				h, err := Optimise(ctx, g, PassOptions{})
				if err == nil {
					_, err = h.Compile(ctx, Options{})
				}
				cancel()
				if err != nil {
					b.ReportMetric(float64((time.Since(start) - after*time.Millisecond).Milliseconds()), "ms-late")
				}
			}
		})
	}
}

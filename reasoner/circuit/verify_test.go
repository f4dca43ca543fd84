package circuit

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

func TestEveryPassLeavesAWellFormedGame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		if err := g.Verify(); err != nil {
			t.Fatalf("before all passes: %v", err)
		}
		for _, p := range passes {
			g = p.run(t.Context(), g)
			if err := g.Verify(); err != nil {
				t.Fatalf("after pass %q: %v", p.name, err)
			}
		}
		g = g.rebuild(t.Context(), splitGate)
		if err := g.Verify(); err != nil {
			t.Fatalf("after splitting gates: %v", err)
		}
		for i := range int32(g.Net.Len()) {
			if n := len(g.Net.Operands(i)); n > 2 {
				t.Fatalf("gate %d has %d operands after splitting", i, n)
			}
		}
	})
}

// small returns a game of two fluents and two moves, with a gate and a loop.
func small() *Game {
	g := NewGame(&machine.Names{Roles: []string{"r"}, Moves: [][]string{{"a", "b"}}, Fluents: []string{"f", "g"}}, machine.State{1})
	v := g.Net.LoopVar()
	both := g.Net.And(g.Fluents[0], g.Does[0][0])
	g.Next = []logic.Lit{both, g.Net.Or(g.Fluents[1], both)}
	g.Legal = [][]logic.Lit{{logic.True, g.Fluents[0]}}
	g.Terminal = g.Net.Or(g.Fluents[1], g.Net.And(v, g.Fluents[0]))
	g.Goals = []Goal{{Role: 0, Value: 100, When: g.Fluents[1].Not()}}
	g.Net.Define(v, g.Terminal)
	return g
}

// firstOperands returns the operands of the first gate; the slice aliases the network.
func firstOperands(g *Game) []logic.Lit {
	i := int32(0)
	for g.Net.Op(i) != logic.OpAnd {
		i++
	}
	return g.Net.Operands(i)
}

func TestVerifyNamesTheViolation(t *testing.T) {
	must.OK(t, small().Verify())
	for _, c := range []struct {
		want    string
		corrupt func(g *Game)
	}{
		{"input 1", func(g *Game) { g.Fluents[1] = g.Fluents[1].Not() }},
		{"operation", func(g *Game) { g.Net.Input() }},
		{"has the operands", func(g *Game) { slices.Reverse(firstOperands(g)) }},
		{"has the operands", func(g *Game) { firstOperands(g)[1] = logic.Lit(2 * (g.Net.Len() - 1)) }},
		{"has the operands", func(g *Game) { firstOperands(g)[0] = logic.True }},
		{"same operands", func(g *Game) { g.Net.Append(g.Net.Operands(g.Next[0].Node())...) }},
		{"next signals", func(g *Game) { g.Next = g.Next[1:] }},
		{"legal signal", func(g *Game) { g.Legal[0] = g.Legal[0][1:] }},
		{"legal signal", func(g *Game) { g.Policy = [][]logic.Lit{{logic.True}} }},
		{"goal 101", func(g *Game) { g.Goals[0].Value = 101 }},
		{"role 1", func(g *Game) { g.Goals[0].Role = 1 }},
		{"an output is literal 1000", func(g *Game) { g.Next[0] = 1000 }},
		{"depends on move", func(g *Game) { g.Terminal = g.Next[0] }},
		{"has no definition", func(g *Game) { clear(g.Net.Definitions()) }},
		{"not monotone", func(g *Game) {
			for v, def := range g.Net.Definitions() {
				g.Net.Define(logic.Lit(v)<<1, def.Not())
			}
		}},
		{"not monotone", func(g *Game) {
			v := g.Net.LoopVar()
			x := g.Net.And(v, g.Fluents[0])
			g.Terminal = g.Net.Or(g.Net.And(v, g.Fluents[1]), g.Net.And(x.Not(), g.Fluents[1]))
			g.Net.Define(v, g.Terminal)
		}},
	} {
		g := small()
		c.corrupt(g)
		if err := g.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want an error with %q", err, c.want)
		}
	}
}

func TestPassesThatShareLogicComeLast(t *testing.T) {
	if err := checkOrder(append(slices.Clone(passes), pass{name: "late"})); err == nil || !strings.Contains(err.Error(), "late") {
		t.Errorf("a pass without sharing after a pass that shares: error %v", err)
	}
	if err := checkOrder(append(slices.Clone(passes), passes[len(passes)-1])); err == nil {
		t.Error("the constraints of the passes are not checked")
	}
}

package circuit

import (
	"context"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// optimised returns a game after the passes.
func optimised(t rapid.TB, g *Game, o PassOptions) *Optimised {
	t.Helper()
	return must.Get(Optimise(context.Background(), g, o))(t)
}

// compiled returns the machine of a game, optimised or not.
func compiled(t rapid.TB, g interface {
	Compile(ctx context.Context, o Options) (*Machine, error)
}, o Options,
) *Machine {
	t.Helper()
	return must.Get(g.Compile(context.Background(), o))(t)
}

// randomGame draws a game over a random network with all operations, literals of both signs, and a monotone recursion.
func randomGame(t *rapid.T) *Game {
	names := &machine.Names{Roles: []string{"left", "right"}}
	for range rapid.IntRange(1, 70).Draw(t, "fluents") {
		names.Fluents = append(names.Fluents, "f")
	}
	for range 2 {
		table := make([]string, rapid.IntRange(1, 9).Draw(t, "moves"))
		for m := range table {
			table[m] = fmt.Sprintf("(go %d (to %d))", m/3, (m*m+m/8)%5)
		}
		names.Moves = append(names.Moves, table)
	}
	initial := make(machine.State, (len(names.Fluents)+63)/64)
	g := NewGame(names, initial)
	for f := range names.Fluents {
		if rapid.Bool().Draw(t, "init") {
			initial.Set(f)
		}
	}
	position := append([]logic.Lit{logic.False, logic.True}, g.Fluents...)
	position = logictest.Grow(t, g.Net, position, 40)
	position = append(position, randomLoop(t, g.Net, position)...)
	position = logictest.Grow(t, g.Net, position, 20)
	all := append(append([]logic.Lit{}, position...), slices.Concat(g.Does...)...)
	for _, row := range g.Does { // frame rules: any other move was made
		if m := rapid.IntRange(0, len(row)-1).Draw(t, "other"); len(row) > 1 {
			all = append(all, g.Net.Or(append(slices.Clone(row[:m]), row[m+1:]...)...))
		}
	}
	var anyone []logic.Lit // by move: at least one role makes it
	for m := range min(len(g.Does[0]), len(g.Does[1])) {
		anyone = append(anyone, g.Net.Or(g.Does[0][m], g.Does[1][m]))
	}
	all = append(append(all, anyone...), g.Net.Or(anyone[1:]...))
	all = logictest.Grow(t, g.Net, all, 40)
	pick := func(from []logic.Lit) logic.Lit {
		return rapid.SampledFrom(from).Draw(t, "lit") ^ logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
	}
	for range names.Fluents {
		g.Next = append(g.Next, pick(all))
	}
	for _, table := range names.Moves {
		row := make([]logic.Lit, len(table))
		for m := range row {
			row[m] = pick(position)
		}
		g.Legal = append(g.Legal, row)
	}
	g.Terminal = g.Net.And(pick(position), pick(position), pick(position))
	for r := range names.Roles {
		for v := range 3 {
			g.Goals = append(g.Goals, Goal{machine.Role(r), int32(50 * v), pick(position)})
		}
	}
	return g
}

// randomLoop adds mutually recursive signals: gates that are monotone in loop variables, and contain any other
// literals.
func randomLoop(t *rapid.T, n *logic.Network, outside []logic.Lit) []logic.Lit {
	vars := make([]logic.Lit, rapid.IntRange(0, 6).Draw(t, "vars"))
	for i := range vars {
		vars[i] = n.LoopVar()
	}
	if len(vars) == 0 {
		return nil
	}
	inner := append([]logic.Lit{}, vars...)
	for range rapid.IntRange(1, 15).Draw(t, "inner") {
		a := rapid.SampledFrom(inner).Draw(t, "a")
		b := rapid.SampledFrom(inner).Draw(t, "b")
		c := rapid.SampledFrom(outside).Draw(t, "c")
		inner = append(inner, n.Or(n.And(a, c), b), n.And(a, n.Or(b, c)))
	}
	for _, v := range vars {
		d := rapid.SampledFrom(inner).Draw(t, "def")
		n.Define(v, n.Or(d, n.And(rapid.SampledFrom(outside).Draw(t, "seed"), rapid.SampledFrom(outside).Draw(t, "seed2"))))
	}
	return inner
}

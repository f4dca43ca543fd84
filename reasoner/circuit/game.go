package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// Goal says that role Role has goal Value wherever When holds.
type Goal struct {
	Role  machine.Role
	Value int32 // goal points, or machine.NoGoal where the rules give no number
	When  Lit
}

// Game is a ground game as signals of a network.
type Game struct {
	Names   *machine.Names
	Initial machine.State
	Net     *Network
	Fluents []Lit   // inputs, by fluent
	Does    [][]Lit // inputs, by role and move

	Next     []Lit   // by fluent, over Fluents and Does
	Legal    [][]Lit // by role and move, over Fluents
	Terminal Lit     // over Fluents
	Goals    []Goal  // over Fluents

	// Policy, by role and move, is what random moves are chosen from: among the
	// legal moves, those that a playout should make. Nil stands for Legal.
	Policy [][]Lit
	// Wins says, by role, where the policy's next one or two joint moves end the game with
	// its best goal: it alone has a choice and wins at once, or, of two roles, the other
	// one has and each of its moves lets this one win at once. Nil if there is no policy.
	Wins []Lit

	plain *Game // the game before passes that share logic, nil if there were none
}

// NewGame returns a game with its inputs and nothing else.
func NewGame(names *machine.Names, initial machine.State) *Game {
	g := &Game{Names: names, Initial: initial, Net: NewNetwork()}
	g.addInputs(names)
	return g
}

func (g *Game) addInputs(names *machine.Names) {
	for range names.Fluents {
		g.Fluents = append(g.Fluents, g.Net.Input())
	}
	for _, table := range names.Moves {
		row := make([]Lit, len(table))
		for m := range row {
			row[m] = g.Net.Input()
		}
		g.Does = append(g.Does, row)
	}
}

// outputs calls f on every output of the game, to read or to replace it.
func (g *Game) outputs(f func(*Lit)) {
	for i := range g.Next {
		f(&g.Next[i])
	}
	for _, rows := range [][][]Lit{g.Legal, g.Policy} {
		for _, row := range rows {
			for m := range row {
				f(&row[m])
			}
		}
	}
	f(&g.Terminal)
	for r := range g.Wins {
		f(&g.Wins[r])
	}
	for i := range g.Goals {
		f(&g.Goals[i].When)
	}
}

// rebuild makes a game with the same outputs over a fresh network that holds
// only what the outputs need. The function translate builds the counterpart of
// an And node from its operands, already translated, which it may change; everything
// else is copied. When ctx is done rebuild returns g itself.
func (g *Game) rebuild(ctx context.Context, translate func(h *Game, node int32, operands []Lit) Lit) *Game {
	return g.rebuildWith(ctx, g.Fluents, translate)
}

// checkEvery nodes a rebuild looks at its context.
const checkEvery = 1 << 10

// rebuildWith is rebuild with every fluent replaced by a literal over fluents or
// constants.
func (g *Game) rebuildWith(ctx context.Context, fluents []Lit, translate func(h *Game, node int32, operands []Lit) Lit) *Game {
	h := NewGame(g.Names, g.Initial)
	old, to := g.Net, h.Net
	live := g.live()
	image := make([]Lit, old.Len())
	for f, l := range fluents {
		image[g.Fluents[f].Node()] = l // the inputs of h have the same numbers
	}
	for r, row := range g.Does {
		for m, l := range row {
			image[l.Node()] = h.Does[r][m]
		}
	}
	at := func(l Lit) Lit { return image[l.Node()] ^ l&1 }
	var operands []Lit
	for i := int32(1); i < int32(old.Len()); i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return g
		}
		if !live[i] {
			continue
		}
		operands = operands[:0]
		for _, l := range old.Operands(i) {
			operands = append(operands, at(l))
		}
		switch old.op[i] {
		case OpLoop:
			image[i] = to.LoopVar()
		case OpAnd:
			image[i] = translate(h, i, operands)
		}
	}
	for v, def := range old.def {
		if live[v] {
			to.Define(image[v], at(def))
		}
	}
	h.Next = slices.Clone(g.Next)
	for _, row := range g.Legal {
		h.Legal = append(h.Legal, slices.Clone(row))
	}
	for _, row := range g.Policy {
		h.Policy = append(h.Policy, slices.Clone(row))
	}
	h.Terminal = g.Terminal
	h.Wins, h.Goals = slices.Clone(g.Wins), slices.Clone(g.Goals)
	h.outputs(func(l *Lit) { *l = at(*l) })
	return h
}

// live marks the nodes that the outputs depend on.
func (g *Game) live() []bool {
	var roots []Lit
	g.outputs(func(l *Lit) { roots = append(roots, *l) })
	return g.Net.cone(roots)
}

// cone marks the nodes that the roots depend on.
func (n *Network) cone(roots []Lit) []bool {
	live := make([]bool, n.Len())
	var stack []int32
	push := func(l Lit) {
		if i := l.Node(); !live[i] {
			live[i] = true
			stack = append(stack, i)
		}
	}
	for _, l := range roots {
		push(l)
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, l := range n.Operands(i) {
			push(l)
		}
		if n.op[i] == OpLoop {
			push(n.def[i])
		}
	}
	return live
}

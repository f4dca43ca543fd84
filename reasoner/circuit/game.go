package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/internal/choice"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Goal is a condition under which a role has a goal value.
type Goal struct {
	Role  machine.Role
	Value int32 // goal points, or machine.NoGoal if the rules do not give a number
	When  logic.Lit
}

// Game is a ground game: its inputs and outputs are literals of a network.
//
// Invariants that passes keep and Compile assumes (the tests check them after each pass):
//
//   - The inputs come first: fluents, then by role moves or their parts.
//   - A gate has at least two operands, all from different nodes before the gate, in ascending order, and no constants.
//     No two gates have the same operands.
//   - Every live loop variable has a definition. It is monotone in the variables of the same recursion.
//   - Outputs are literals of the network, one for each fluent and move. All outputs but the next signals depend on
//     fluents only.
type Game struct {
	Names   *machine.Names
	Initial machine.State
	Net     *logic.Network
	Fluents []logic.Lit   // inputs, by fluent
	Does    [][]logic.Lit // inputs, by role and move
	// Parts are the moves of each role in the form of parts, or nil for the form of rows (parts.go). A role with parts has
	// empty rows in Does and Legal.
	Parts []*choice.Parts

	Next     []logic.Lit   // by fluent, over Fluents and the inputs of moves
	Legal    [][]logic.Lit // by role and move, over Fluents
	Terminal logic.Lit     // over Fluents
	Goals    []Goal        // over Fluents

	// Policy contains the conditions under which random moves may choose a move, by role and move: a subset of the
	// legal moves, not empty if a move is legal. Nil means Legal.
	Policy [][]logic.Lit
	// Wins is, by role, a condition under which the policy wins within one or two joint moves. Either only this role
	// has a choice, and it has a winning move; or, of two roles, only the other has a choice, and each of its moves
	// loses at once or allows a winning reply. Nil without a policy, or with a heuristic policy (othersIdle).
	Wins []logic.Lit
}

// Optimised is a game in two forms with the same positions: after all passes, and before the passes that split moves and
// share logic. The second has a row for each move and equal gates in symmetric parts, so symmetries, subgames and the
// signals of single moves are found on it.
type Optimised struct {
	*Game
	Unshared *Game // maybe the same as Game
}

// Whole returns the form of the game with a row for each move: the optimised game, unless its moves are split.
func (g *Optimised) Whole() *Game {
	if g.isSplit() {
		return g.Unshared
	}
	return g.Game
}

// NewGame returns a game with inputs and without outputs.
func NewGame(names *machine.Names, initial machine.State) *Game {
	return newGame(names, initial, make([]*choice.Parts, len(names.Moves)))
}

// newGame returns a game with inputs and without outputs. Roles with parts get inputs for their parts instead of moves.
func newGame(names *machine.Names, initial machine.State, parts []*choice.Parts) *Game {
	g := &Game{Names: names, Initial: initial, Net: logic.NewNetwork()}
	inputs := func(n int) []logic.Lit {
		row := make([]logic.Lit, n)
		for i := range row {
			row[i] = g.Net.Input()
		}
		return row
	}
	g.Fluents = inputs(len(names.Fluents))
	for r, table := range names.Moves {
		if parts[r] == nil {
			g.Does = append(g.Does, inputs(len(table)))
			g.Parts = append(g.Parts, nil)
			continue
		}
		p := *parts[r]
		p.First, p.Second = inputs(len(p.First)), inputs(len(p.Second))
		g.Does, g.Parts = append(g.Does, nil), append(g.Parts, &p)
	}
	return g
}

// inputs returns all inputs in the order of their nodes.
func (g *Game) inputs() []logic.Lit {
	list := slices.Clone(g.Fluents)
	for r, row := range g.Does {
		list = append(list, row...)
		if p := g.Parts[r]; p != nil {
			list = append(append(list, p.First...), p.Second...)
		}
	}
	return list
}

// split iterates over the roles with parts.
func (g *Game) split(yield func(role int, p *choice.Parts) bool) {
	for r, p := range g.Parts {
		if p != nil && !yield(r, p) {
			return
		}
	}
}

// isSplit reports whether a role has parts.
func (g *Game) isSplit() bool {
	for range g.split {
		return true
	}
	return false
}

// forEachOutput calls f with the address of each output.
func (g *Game) forEachOutput(f func(*logic.Lit)) {
	each := func(row []logic.Lit) {
		for i := range row {
			f(&row[i])
		}
	}
	each(g.Next)
	for _, rows := range [][][]logic.Lit{g.Legal, g.Policy} {
		for _, row := range rows {
			each(row)
		}
	}
	for _, p := range g.split {
		each(p.Head)
		each(p.Tail)
		each(p.Chosen[0])
		each(p.Chosen[1])
	}
	f(&g.Terminal)
	for r := range g.Wins {
		f(&g.Wins[r])
	}
	for i := range g.Goals {
		f(&g.Goals[i].When)
	}
}

// translation builds the counterpart of a gate in h from the images of its operands, which it may overwrite.
type translation func(h *Game, node int32, operands []logic.Lit) logic.Lit

// copyGate builds the same gate.
func copyGate(h *Game, _ int32, operands []logic.Lit) logic.Lit { return h.Net.And(operands...) }

// splitGate splits a wide gate into a chain of two-input gates: and(a, b, c) → and(and(a, b), c). It runs after all
// passes, for kernels that translate programs to machine code: each operand joins the chain as soon as it is computed,
// so only the chain occupies a register, and chains share prefixes. Interpreting kernels are faster with wide gates.
func splitGate(h *Game, _ int32, operands []logic.Lit) logic.Lit {
	acc := operands[0]
	for _, o := range operands[1:] {
		acc = h.Net.And(acc, o)
	}
	return acc
}

// rebuild returns a game with the same outputs over a new network, which holds only their cone, with translated gates.
// When ctx is done, it returns g itself.
func (g *Game) rebuild(ctx context.Context, translate translation) *Game {
	h := newGame(g.Names, g.Initial, g.Parts)
	return g.finish(h, g.substitution(ctx, h, translate))
}

// checkEvery is the number of gates between two checks of a context.
const checkEvery = 1 << 10

// substitution returns the substitution that rebuilds g in h, a game with inputs only. It maps each input of g to the
// equal input of h, if h has it. It stops when ctx is done.
func (g *Game) substitution(ctx context.Context, h *Game, translate translation) *logic.Substitution {
	h.Net.Reserve(g.Net.Len(), g.Net.OperandCount())
	s := logic.NewSubstitution(g.Net, h.Net)
	s.SetAll(g.Fluents, h.Fluents)
	for r, row := range h.Does {
		s.SetAll(g.Does[r][:len(row)], row)
	}
	for r, p := range g.split {
		s.SetAll(p.First, h.Parts[r].First)
		s.SetAll(p.Second, h.Parts[r].Second)
	}
	gates := 0
	s.Gate = func(node int32, operands []logic.Lit) (logic.Lit, bool) {
		if gates++; gates%checkEvery == 0 && ctx.Err() != nil {
			return logic.False, false
		}
		return translate(h, node, operands), true
	}
	return s
}

// finish builds the outputs of g in h, or returns g if the substitution is stopped.
func (g *Game) finish(h *Game, s *logic.Substitution) *Game {
	if !s.Sweep(logic.Marked(g.live())) {
		return g
	}
	return g.copyOutputs(h, s)
}

// copyOutputs sets the outputs of h, and the definitions of its loop variables, to their images.
func (g *Game) copyOutputs(h *Game, s *logic.Substitution) *Game {
	for v, def := range g.Net.Definitions() {
		if v := logic.Lit(v) << 1; s.Has(v) {
			h.Net.Define(s.Lookup(v), s.Lookup(def))
		}
	}
	h.Next = slices.Clone(g.Next)
	for _, row := range g.Legal {
		h.Legal = append(h.Legal, slices.Clone(row))
	}
	for _, row := range g.Policy {
		h.Policy = append(h.Policy, slices.Clone(row))
	}
	for r, p := range g.split {
		q := h.Parts[r]
		q.Head, q.Tail = slices.Clone(p.Head), slices.Clone(p.Tail)
		q.Chosen = [2][]logic.Lit{slices.Clone(p.Chosen[0]), slices.Clone(p.Chosen[1])}
	}
	h.Terminal = g.Terminal
	h.Wins, h.Goals = slices.Clone(g.Wins), slices.Clone(g.Goals)
	h.forEachOutput(func(l *logic.Lit) { *l = s.Lookup(*l) })
	return h
}

// live marks the cone of the outputs.
func (g *Game) live() []bool {
	var roots []logic.Lit
	g.forEachOutput(func(l *logic.Lit) { roots = append(roots, *l) })
	return g.Net.Cone(roots)
}

// uses returns, by node, its number of occurrences as an operand, a definition or an output.
func (g *Game) uses() []int32 {
	uses := g.Net.Uses()
	g.forEachOutput(func(l *logic.Lit) { uses[l.Node()]++ })
	return uses
}

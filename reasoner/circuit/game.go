package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/choice"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Goal says that role Role has goal Value wherever When holds.
type Goal struct {
	Role  machine.Role
	Value int32 // goal points, or machine.NoGoal where the rules give no number
	When  logic.Lit
}

// Game is a ground game as signals of a network.
type Game struct {
	Names   *machine.Names
	Initial machine.State
	Net     *logic.Network
	Fluents []logic.Lit   // inputs, by fluent
	Does    [][]logic.Lit // inputs, by role and move
	// Parts, by role, are the moves of the roles whose tables are taken apart (parts.go):
	// those have no rows in Does and Legal. Nil if there are none.
	Parts []*choice.Parts

	Next     []logic.Lit   // by fluent, over Fluents and the inputs of moves
	Legal    [][]logic.Lit // by role and move, over Fluents
	Terminal logic.Lit     // over Fluents
	Goals    []Goal        // over Fluents

	// Policy, by role and move, is what random moves are Chosen from: among the
	// legal moves, those that a playout should make. Nil stands for Legal.
	Policy [][]logic.Lit
	// Wins says, by role, where the policy's next one or two joint moves end the game with
	// its best goal: it alone has a choice and wins at once, or, of two roles, the other
	// one has and each of its moves lets this one win at once. Nil if there is no policy.
	Wins []logic.Lit

	unshared *Game // the game before passes that share logic, nil if there were none
}

// NewGame returns a game with its inputs and nothing else.
func NewGame(names *machine.Names, initial machine.State) *Game { return newGame(names, initial, nil) }

// newGame returns a game with its inputs and nothing else. The moves of the roles that
// have parts are those parts.
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
		if parts == nil || parts[r] == nil {
			g.Does = append(g.Does, inputs(len(table)))
			g.Parts = append(g.Parts, nil)
			continue
		}
		p := *parts[r]
		p.First, p.Second = inputs(len(p.First)), inputs(len(p.Second))
		g.Does, g.Parts = append(g.Does, nil), append(g.Parts, &p)
	}
	if parts == nil {
		g.Parts = nil
	}
	return g
}

// inputs lists all inputs in order.
func (g *Game) inputs() []logic.Lit {
	list := slices.Clone(g.Fluents)
	for r, row := range g.Does {
		list = append(list, row...)
		if p := g.partsOf(r); p != nil {
			list = append(append(list, p.First...), p.Second...)
		}
	}
	return list
}

// partsOf is the move table of a role in parts, or nil.
func (g *Game) partsOf(r int) *choice.Parts {
	if g.Parts == nil {
		return nil
	}
	return g.Parts[r]
}

// outputs calls f on every output of the game, to read or to replace it.
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
	for _, p := range g.Parts {
		if p != nil {
			each(p.Head)
			each(p.Tail)
			each(p.Chosen[0])
			each(p.Chosen[1])
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

// translation builds in h the counterpart of a gate from those of its operands, which it may
// change.
type translation func(h *Game, node int32, operands []logic.Lit) logic.Lit

// plainAnd translates a gate as it is.
func copyGate(h *Game, _ int32, operands []logic.Lit) logic.Lit { return h.Net.And(operands...) }

// splitAnd makes chains of two-input gates of wider ones: and(a, b, c) → and(and(a,
// b), c). It comes after all passes, where the kernel translates programs: computed one
// after the other, each operand is taken into the chain at once, and only the chain
// occupies a register; and chains share their beginnings. Kernels that interpret
// programs are quicker with wide gates.
func splitGate(h *Game, _ int32, operands []logic.Lit) logic.Lit {
	acc := operands[0]
	for _, o := range operands[1:] {
		acc = h.Net.And(acc, o)
	}
	return acc
}

// rebuild makes a game with the same outputs over a fresh network that holds only what the
// outputs need, its gates translated. When ctx is done rebuild returns g itself.
func (g *Game) rebuild(ctx context.Context, translate translation) *Game {
	h := newGame(g.Names, g.Initial, g.Parts)
	return g.finish(h, g.substitution(ctx, h, translate))
}

// checkEvery gates a rebuild looks at its context.
const checkEvery = 1 << 10

// into begins to rebuild g in h, which has its inputs alone: the image of an input is the one
// that stands for the same, if there is one. The substitution stops when ctx is done.
func (g *Game) substitution(ctx context.Context, h *Game, translate translation) *logic.Substitution {
	h.Net.Reserve(g.Net.Len(), g.Net.Operations())
	s := logic.NewSubstitution(g.Net, h.Net)
	s.SetAll(g.Fluents, h.Fluents)
	for r, row := range h.Does {
		s.SetAll(g.Does[r][:len(row)], row)
		if p := g.partsOf(r); p != nil {
			s.SetAll(p.First, h.Parts[r].First)
			s.SetAll(p.Second, h.Parts[r].Second)
		}
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

// finish fills h with all that g has, or returns g if the substitution is stopped.
func (g *Game) finish(h *Game, s *logic.Substitution) *Game {
	if !s.Sweep(logic.Marked(g.live())) {
		return g
	}
	return g.copyOutputs(h, s)
}

// withOutputs gives h the images of the outputs, and of the definitions of loop variables.
func (g *Game) copyOutputs(h *Game, s *logic.Substitution) *Game {
	for v, def := range g.Net.Definitions() {
		if v := logic.Lit(v) << 1; s.Has(v) {
			h.Net.Define(s.At(v), s.At(def))
		}
	}
	h.Next = slices.Clone(g.Next)
	for _, row := range g.Legal {
		h.Legal = append(h.Legal, slices.Clone(row))
	}
	for _, row := range g.Policy {
		h.Policy = append(h.Policy, slices.Clone(row))
	}
	for r := range g.Does {
		if p := g.partsOf(r); p != nil {
			q := h.Parts[r]
			q.Head, q.Tail = slices.Clone(p.Head), slices.Clone(p.Tail)
			q.Chosen = [2][]logic.Lit{slices.Clone(p.Chosen[0]), slices.Clone(p.Chosen[1])}
		}
	}
	h.Terminal = g.Terminal
	h.Wins, h.Goals = slices.Clone(g.Wins), slices.Clone(g.Goals)
	h.forEachOutput(func(l *logic.Lit) { *l = s.At(*l) })
	return h
}

// live marks the nodes that the outputs depend on.
func (g *Game) live() []bool {
	var roots []logic.Lit
	g.forEachOutput(func(l *logic.Lit) { roots = append(roots, *l) })
	return g.Net.Cone(roots)
}

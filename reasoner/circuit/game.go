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
	// Parts, by role, are the moves of the roles whose tables are taken apart (parts.go):
	// those have no rows in Does and Legal. Nil if there are none.
	Parts []*Parts

	Next     []Lit   // by fluent, over Fluents and the inputs of moves
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
func NewGame(names *machine.Names, initial machine.State) *Game { return newGame(names, initial, nil) }

// newGame returns a game with its inputs and nothing else. The moves of the roles that
// have parts are those parts.
func newGame(names *machine.Names, initial machine.State, parts []*Parts) *Game {
	g := &Game{Names: names, Initial: initial, Net: NewNetwork()}
	inputs := func(n int) []Lit {
		row := make([]Lit, n)
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
func (g *Game) inputs() []Lit {
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
func (g *Game) partsOf(r int) *Parts {
	if g.Parts == nil {
		return nil
	}
	return g.Parts[r]
}

// outputs calls f on every output of the game, to read or to replace it.
func (g *Game) outputs(f func(*Lit)) {
	each := func(row []Lit) {
		for i := range row {
			f(&row[i])
		}
	}
	each(g.Next)
	for _, rows := range [][][]Lit{g.Legal, g.Policy} {
		for _, row := range rows {
			each(row)
		}
	}
	for _, p := range g.Parts {
		if p != nil {
			each(p.Head)
			each(p.Tail)
			each(p.chosen[0])
			each(p.chosen[1])
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
	h := newGame(g.Names, g.Initial, g.Parts)
	return g.rebuildInto(ctx, h, g.imageOfInputs(h, g.Fluents), translate)
}

// checkEvery nodes a rebuild looks at its context.
const checkEvery = 1 << 10

// imageOfInputs maps the nodes of g to literals of h: inputs to the inputs that stand for
// the same, and fluents to the given literals. What has no input in h has no image yet.
func (g *Game) imageOfInputs(h *Game, fluents []Lit) []Lit {
	image := make([]Lit, g.Net.Len())
	set := func(from, to []Lit) {
		for i, l := range to {
			image[from[i].Node()] = l
		}
	}
	set(g.Fluents, fluents)
	for r := range g.Does {
		set(g.Does[r], h.Does[r])
		if p := g.partsOf(r); p != nil {
			set(p.First, h.Parts[r].First)
			set(p.Second, h.Parts[r].Second)
		}
	}
	return image
}

// plainAnd translates a gate as it is.
func plainAnd(h *Game, _ int32, operands []Lit) Lit { return h.Net.And(operands...) }

// rebuildInto is rebuild with the game h that is to be filled, and the images of inputs.
func (g *Game) rebuildInto(ctx context.Context, h *Game, image []Lit, translate func(h *Game, node int32, operands []Lit) Lit) *Game {
	t := g.newTranslation(h, image, translate)
	if !t.gates(ctx) {
		return g
	}
	return t.finish()
}

// translation is the work of rebuildInto.
type translation struct {
	from, to  *Game
	image     []Lit  // by node of from: its literal in to
	live      []bool // by node of from
	translate func(h *Game, node int32, operands []Lit) Lit
	operands  []Lit
}

func (g *Game) newTranslation(h *Game, image []Lit, translate func(h *Game, node int32, operands []Lit) Lit) *translation {
	h.Net.Reserve(g.Net.Len(), len(g.Net.fan))
	return &translation{from: g, to: h, image: image, live: g.live(), translate: translate}
}

func (t *translation) at(l Lit) Lit { return t.image[l.Node()] ^ l&1 }

// gate is the counterpart of a conjunction, whose operands have theirs.
func (t *translation) gate(i int32) Lit {
	t.operands = t.operands[:0]
	for _, l := range t.from.Net.Operands(i) {
		t.operands = append(t.operands, t.at(l))
	}
	return t.translate(t.to, i, t.operands)
}

// gates gives all live nodes that are no inputs their images, and tells whether ctx has let it.
func (t *translation) gates(ctx context.Context) bool {
	for i, op := range t.from.Net.op {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return false
		}
		switch {
		case !t.live[i]:
		case op == OpLoop:
			t.image[i] = t.to.Net.LoopVar()
		case op == OpAnd:
			t.image[i] = t.gate(int32(i))
		}
	}
	return true
}

// gatesAgain does for changed images of inputs what gates has done for the first ones: only
// gates with operands whose images change are translated. It tells whether ctx has let it,
// and how many operands those gates have.
func (t *translation) gatesAgain(ctx context.Context, inputs, images []Lit) (work int, ok bool) {
	changed := make([]bool, len(t.image))
	set := func(i int32, l Lit) { changed[i], t.image[i] = t.image[i] != l, l }
	for k, l := range inputs {
		set(l.Node(), images[k])
	}
	for i := range int32(len(t.image)) {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return work, false
		}
		operands := t.from.Net.Operands(i)
		if t.live[i] && slices.ContainsFunc(operands, func(l Lit) bool { return changed[l.Node()] }) {
			work += len(operands)
			set(i, t.gate(i))
		}
	}
	return work, true
}

// finish translates the outputs.
func (t *translation) finish() *Game {
	g, h := t.from, t.to
	for v, def := range g.Net.def {
		if t.live[v] {
			h.Net.Define(t.image[v], t.at(def))
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
			q.chosen = [2][]Lit{slices.Clone(p.chosen[0]), slices.Clone(p.chosen[1])}
		}
	}
	h.Terminal = g.Terminal
	h.Wins, h.Goals = slices.Clone(g.Wins), slices.Clone(g.Goals)
	h.outputs(func(l *Lit) { *l = t.at(*l) })
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

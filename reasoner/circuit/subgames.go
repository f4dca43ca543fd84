package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Subgames: a game may be several games that have nothing to do with each other, but for
// when it is over and who has won then (Günther, Schiffel and Thielscher, "Factoring general
// games", 2009; Cox, Schkufza, Madsen and Genesereth, "Factoring general games using
// propositional automata", 2009).
//
//	clock     fluents whose next values depend on each other alone, never on moves: whose
//	          turn it is, the number of the step. It belongs to every subgame
//	together  a fluent and what its next value depends on, a move and what its legality
//	          depends on; a gate that depends on the clock alone joins nothing
//	subgame   a class of fluents and moves that belong together, if it has both
//
// A subgame is played as a game of its own: the fluents of the others stay as they are at
// the beginning, and their moves are one move "elsewhere", which is legal where it is not the
// turn of the role here.
//
// Invariant: if in every position each role has moves in at most one subgame, then along
// every match each subgame has the fluents and the legal moves that the whole has of it,
// where everybody makes the moves of the match or, for those of other subgames, the one
// elsewhere. Who has won is a matter of all of them: a subgame is over where the whole would
// be with the others as they are at the beginning, and it has the goals of that position.
// Besides, it is over where nobody has a move in it any more; that decides nothing, so each
// role has half of the goal points.
//
// Cost: a few sweeps over the network for each subgame, and its passes.

// subgame is one of them.
type subgame struct {
	Game      *Game          // with the tables of the whole
	Fluents   machine.State  // its own and those of the clock
	Elsewhere []machine.Move // by role: stands for those in other subgames; NoMove if there are none
}

// undecided are the goal points of each role where a subgame is over and nobody has won.
const undecidedGoal = machine.MaxGoal / 2

// Subgames are those of an optimised game, nil if there are fewer than two, if recursion is
// involved, or if ctx is done.
func (g *Game) Subgames(ctx context.Context) []subgame {
	if g.unshared != nil {
		g = g.unshared
	}
	if len(g.Net.Definitions()) > 0 {
		return nil
	}
	f := newFactoring(ctx, g)
	classes := f.classes()
	if len(classes) < 2 {
		return nil
	}
	var list []subgame
	for _, class := range classes {
		s := f.subgame(ctx, class, classes)
		if s.Game == nil {
			return nil
		}
		list = append(list, s)
	}
	return list
}

// factoring finds out what of a game belongs together.
type factoring struct {
	game    *Game
	dynamic []bool  // by node: it depends on more than the clock
	parent  []int32 // by node: another one that it belongs together with, or itself
}

func newFactoring(ctx context.Context, g *Game) *factoring {
	f := &factoring{game: g, dynamic: g.dependOnMoves(), parent: make([]int32, g.Net.Len())}
	for changed := true; changed && ctx.Err() == nil; {
		changed = false
		for i, l := range g.Fluents {
			if !f.dynamic[l.Node()] && f.dynamic[g.Next[i].Node()] {
				f.dynamic[l.Node()], changed = true, true
			}
		}
		for i := range f.dynamic {
			f.dynamic[i] = f.dynamic[i] || slices.ContainsFunc(g.Net.Operands(int32(i)), func(o logic.Lit) bool { return f.dynamic[o.Node()] })
		}
	}
	for i := range f.parent {
		f.parent[i] = int32(i)
	}
	for i, needed := range g.Net.Cone(slices.Concat(g.Next, slices.Concat(g.Legal...))) {
		for _, o := range g.Net.Operands(int32(i)) {
			if needed {
				f.union(int32(i), o.Node())
			}
		}
	}
	f.joinConjunctions()
	for i, l := range g.Fluents {
		f.union(l.Node(), g.Next[i].Node())
	}
	for r, row := range g.Does {
		for m, l := range row {
			f.union(l.Node(), g.Legal[r][m].Node())
		}
	}
	return f
}

// joinLines joins the fluents that are needed together to end the game or to win it, as the
// cells of a line are: the operands of gates that are conjunctions of fluents. Those where
// none of the fluents may be true say that nothing is left to do, here and there.
func (f *factoring) joinConjunctions() {
	g := f.game
	roots := []logic.Lit{g.Terminal}
	for _, goal := range g.Goals {
		roots = append(roots, goal.When)
	}
	for i, needed := range g.Net.Cone(roots) {
		operands := g.Net.Operands(int32(i))
		if !needed || slices.ContainsFunc(operands, func(o logic.Lit) bool { return g.fluentOf(o.Node()) < 0 }) ||
			!slices.ContainsFunc(operands, func(o logic.Lit) bool { return !o.Complemented() }) {
			continue
		}
		for _, o := range operands {
			f.union(int32(i), o.Node())
		}
	}
}

// class is the node that stands for all those that node i belongs together with.
func (f *factoring) find(i int32) int32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

// join notes that two nodes belong together, unless the clock says all of one.
func (f *factoring) union(i, j int32) {
	if f.dynamic[i] && f.dynamic[j] {
		f.parent[f.find(i)] = f.find(j)
	}
}

// classes lists the classes of fluents that moves belong to, by their first fluents.
func (f *factoring) classes() []int32 {
	moved := make(map[int32]bool)
	for _, l := range slices.Concat(f.game.Does...) {
		moved[f.find(l.Node())] = true
	}
	var list []int32
	for _, l := range f.game.Fluents {
		if c := f.find(l.Node()); moved[c] && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// subgame makes the subgame of one of the classes; it has no game if ctx is done.
func (f *factoring) subgame(ctx context.Context, class int32, classes []int32) subgame {
	g := f.game
	s := subgame{Fluents: g.Names.NewState()}
	h := newGame(g.Names, g.Initial, nil)
	image := g.substitution(ctx, h, copyGate)
	fluents := make([]logic.Lit, len(g.Fluents))
	for i, l := range g.Fluents {
		fluents[i] = logic.Constant(g.Initial.Has(i))
		if !f.dynamic[l.Node()] || f.find(l.Node()) == class {
			s.Fluents.Set(i)
			fluents[i] = h.Fluents[i]
		}
	}
	image.SetAll(g.Fluents, fluents)
	outside := make([][]bool, len(g.Does)) // by role and move: it belongs to another subgame
	for r, row := range g.Does {
		s.Elsewhere = append(s.Elsewhere, machine.NoMove)
		outside[r] = make([]bool, len(row))
		for m, l := range row {
			c := f.find(l.Node())
			if c == class || !slices.Contains(classes, c) {
				continue
			}
			if outside[r][m] = true; s.Elsewhere[r] == machine.NoMove {
				s.Elsewhere[r] = machine.Move(m)
			} else {
				image.Set(l, logic.False)
			}
		}
	}
	if h = g.finish(h, image); h == g {
		return subgame{}
	}
	for i := range h.Next {
		if !s.Fluents.Has(i) {
			h.Next[i] = fluents[i]
		}
	}
	var legalHere []logic.Lit // what is legal here
	for r, row := range h.Legal {
		var here, there []logic.Lit
		for m, l := range row {
			switch {
			case outside[r][m]:
				there, row[m] = append(there, l), logic.False
			case f.find(g.Does[r][m].Node()) == class:
				legalHere = append(legalHere, l)
				fallthrough
			default:
				here = append(here, l)
			}
		}
		if e := s.Elsewhere[r]; e != machine.NoMove {
			row[e] = elsewhereCondition(h.Net, here, there)
		}
	}
	h.endIf(h.exhausted(h.Net.Or(legalHere...), s.Elsewhere))
	var err error
	if s.Game, err = Optimise(ctx, h, PassOptions{}); err != nil {
		return subgame{}
	}
	return s
}

// elsewhere is where a role moves in other subgames: by the clock, if that tells it of all the
// moves there at the beginning, and else where no move is legal here. The first is a condition
// of few gates, which regression sees through.
func elsewhereCondition(n *logic.Network, here, there []logic.Lit) logic.Lit {
	turn := n.Or(there...)
	for _, l := range here {
		if l != turn.Not() && (l.Complemented() || !slices.Contains(n.Operands(l.Node()), turn.Not())) {
			return n.Or(here...).Not()
		}
	}
	return turn
}

// deserted is where open is false, and stays so while all roles in turn move elsewhere.
func (g *Game) exhausted(legal logic.Lit, elsewhere []machine.Move) logic.Lit {
	closed := []logic.Lit{legal.Not()}
	waits := logic.NewSubstitution(g.Net, g.Net)
	for r, row := range g.Does {
		for m, l := range row {
			waits.Set(l, logic.Constant(machine.Move(m) == elsewhere[r]))
		}
	}
	waits.Build(g.Next...)
	for range len(g.Does) - 1 {
		after := logic.NewSubstitution(g.Net, g.Net)
		for i, l := range g.Fluents {
			after.Set(l, waits.At(g.Next[i]))
		}
		after.Build(legal)
		legal = after.At(legal)
		closed = append(closed, legal.Not())
	}
	return g.Net.And(closed...)
}

// endWhere makes the game end there too, with half of the goal points for each role.
func (g *Game) endIf(condition logic.Lit) {
	condition = g.Net.And(condition, g.Terminal.Not())
	g.Terminal = g.Net.Or(g.Terminal, condition)
	given := make([]bool, len(g.Does))
	for i := range g.Goals {
		goal := &g.Goals[i]
		if goal.When = g.Net.And(goal.When, condition.Not()); goal.Value == undecidedGoal {
			goal.When, given[goal.Role] = g.Net.Or(goal.When, condition), true
		}
	}
	for r, done := range given {
		if !done {
			g.Goals = append(g.Goals, Goal{Role: machine.Role(r), Value: undecidedGoal, When: condition})
		}
	}
}

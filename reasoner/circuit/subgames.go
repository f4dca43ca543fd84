package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Subgames are independent games that share only the end and the goals (Günther, Schiffel and Thielscher, "Factoring
// general games", 2009; Cox, Schkufza, Madsen and Genesereth, "Factoring general games using propositional automata",
// 2009).
//
//	clock     fluents whose next values depend on each other, never on moves, such as the turn or a step counter;
//	          part of every subgame
//	edges     from a fluent to the signals of its next value, from a move to the signals of its legality;
//	          gates over the clock alone join nothing
//	subgame   a connected class with fluents and moves
//
// A subgame is played as a separate game. The fluents of other subgames keep their initial values. The moves of other
// subgames become one move "elsewhere", which is legal if it is not the role's turn in this subgame.
//
// Invariant: assume that in every position each role has moves in at most one subgame. Let each role make its moves of
// a match, or the move elsewhere for moves of other subgames. Then along the match each subgame has the same fluents
// and legal moves as the whole game.
//
// The winner depends on all subgames. A subgame ends in a position if the whole game would end there with the other
// subgames in their initial positions; the goals are the same. It also ends as soon as no role has a move in it any
// more; then each role gets half of the goal points, since nothing is decided.
//
// Cost: a few sweeps over the network for each subgame, and its passes.

// subgame is an independent part of a game, as a game.
type subgame struct {
	Game      *Optimised     // with all fluents and moves of the whole game
	Fluents   machine.State  // fluents of the subgame and the clock
	Elsewhere []machine.Move // by role: the move for all moves of other subgames, or NoMove
}

// undecidedGoal is the goal of each role if a subgame ends without a winner.
const undecidedGoal = machine.MaxGoal / 2

// Subgames returns the subgames of an optimised game. It returns nil if there are fewer than two, if recursion is
// involved, or when ctx is done.
func (g *Optimised) Subgames(ctx context.Context) []subgame {
	game := g.Unshared
	if len(game.Net.Definitions()) > 0 {
		return nil
	}
	f := newFactoring(ctx, game)
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

// factoring divides the nodes of a game into classes, by union-find.
type factoring struct {
	game    *Game
	dynamic []bool  // by node: it depends on moves, or on fluents outside the clock
	parent  []int32 // by node: its parent in the union-find forest, or itself
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

// joinConjunctions joins the fluents of each gate over fluents in the conditions of the end and the goals, such as the
// cells of a line. A conjunction of negated fluents only ("no move left on any board") joins nothing.
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

// find returns the representative of the class of node i.
func (f *factoring) find(i int32) int32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

// union joins the classes of two nodes, unless one of the nodes depends on the clock alone.
func (f *factoring) union(i, j int32) {
	if f.dynamic[i] && f.dynamic[j] {
		f.parent[f.find(i)] = f.find(j)
	}
}

// classes returns the representatives of the classes with both fluents and moves, in the order of their first fluents.
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

// subgame returns the subgame of one of the classes; its Game is nil if ctx is done.
func (f *factoring) subgame(ctx context.Context, class int32, classes []int32) subgame {
	g := f.game
	s := subgame{Fluents: g.Names.NewState()}
	names := &machine.Names{Roles: g.Names.Roles, Moves: g.Names.Moves, Fluents: g.Names.Fluents}
	h := NewGame(names, g.Initial)
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
	outside := make([][]bool, len(g.Does)) // by role and move: the move belongs to another subgame
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
	var legalHere []logic.Lit // conditions of the subgame's moves
	for r, row := range h.Legal {
		var own, others []logic.Lit
		for m, l := range row {
			switch {
			case outside[r][m]:
				others, row[m] = append(others, l), logic.False
			case f.find(g.Does[r][m].Node()) == class:
				legalHere = append(legalHere, l)
				fallthrough
			default:
				own = append(own, l)
			}
		}
		if e := s.Elsewhere[r]; e != machine.NoMove {
			row[e] = elsewhereCondition(h.Net, own, others)
		}
	}
	h.endIf(h.exhausted(h.Net.Or(legalHere...), s.Elsewhere))
	var err error
	if s.Game, err = Optimise(ctx, h, PassOptions{}); err != nil {
		return subgame{}
	}
	return s
}

// elsewhereCondition returns the condition for the move elsewhere, from the conditions of the subgame's own moves and
// of the other moves in their initial position. It is the disjunction of the others, if this contradicts all own moves;
// otherwise "no own move is legal". The former is mostly a literal of the clock, which regression can analyse.
func elsewhereCondition(n *logic.Network, own, others []logic.Lit) logic.Lit {
	turn := n.Or(others...)
	for _, l := range own {
		if l != turn.Not() && (l.Complemented() || !slices.Contains(n.Operands(l.Node()), turn.Not())) {
			return n.Or(own...).Not()
		}
	}
	return turn
}

// exhausted returns the condition that no move of the subgame is legal now and in the next steps with all roles
// elsewhere. The number of steps is the number of roles, less one.
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
			after.Set(l, waits.Lookup(g.Next[i]))
		}
		after.Build(legal)
		legal = after.Lookup(legal)
		closed = append(closed, legal.Not())
	}
	return g.Net.And(closed...)
}

// endIf adds a condition under which the game ends with half of the goal points for each role.
func (g *Game) endIf(condition logic.Lit) {
	condition = g.Net.And(condition, g.Terminal.Not())
	g.Terminal = g.Net.Or(g.Terminal, condition)
	merged := make([]bool, len(g.Does))
	for i := range g.Goals {
		goal := &g.Goals[i]
		if goal.When = g.Net.And(goal.When, condition.Not()); goal.Value == undecidedGoal {
			goal.When, merged[goal.Role] = g.Net.Or(goal.When, condition), true
		}
	}
	for r, done := range merged {
		if !done {
			g.Goals = append(g.Goals, Goal{Role: machine.Role(r), Value: undecidedGoal, When: condition})
		}
	}
}

package prove

import (
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// unrolling is the network of a game at step after step, as one network (bounded model checking:
// Biere, Cimatti, Clarke and Zhu 1999). The fluents of a step are functions of those of the step
// before and of the moves made there. A position that is terminal stays as it is, so that the
// position at step k is that after k joint moves or at the end of the game, and everything said
// of it is said of all games of up to k joint moves at once.
//
// Signals are built when they are asked for, so that there is no more than the queries depend
// on. Equal gates of all steps are one (structural hashing), and what is constant from a known
// position on folds away: counters of steps, cells nobody can reach yet.
//
// Recursive rules are least fixpoints; here any fixpoint is allowed. So there are all positions
// that the rules know, and maybe more: what cannot be satisfied holds for the rules, and what
// can must be checked by playing it.
type unrolling struct {
	net   *logic.Network
	game  *circuit.Game
	start machine.State // nil for any position
	steps []*step
	moves map[int32]roleMove // by node of the game
	loops []loop             // variables that recursion needs, with their definitions
	todo  []site             // loop variables whose definitions are not built yet
}

// step is the game at one step: from its network to that of the unrolling.
type step struct {
	*logic.Substitution
	does [][]logic.Lit // by role, once asked for
}

// roleMove is a move of a role.
type roleMove struct {
	role machine.Role
	move machine.Move
}

// site is a node of the game at a step.
type site struct {
	step int
	node int32
}

// loop is a variable of recursion and its definition, both of the unrolled network.
type loop struct{ variable, definition logic.Lit }

// unroll begins at position s, or, if that is nil, at any whatever.
func unroll(g *circuit.Game, s machine.State) *unrolling {
	u := &unrolling{net: logic.NewNetwork(), game: g, start: s, moves: map[int32]roleMove{}}
	for r, row := range g.Does {
		for m, l := range row {
			u.moves[l.Node()] = roleMove{machine.Role(r), machine.Move(m)}
		}
	}
	for _, l := range g.Fluents {
		u.SignalAt(0, l) // the first inputs, in this order
	}
	return u
}

// At is a signal of the game at a step, as one of the network.
func (u *unrolling) SignalAt(k int, l logic.Lit) logic.Lit {
	at := u.image(k, l)
	for len(u.todo) > 0 {
		s := u.todo[len(u.todo)-1]
		u.todo = u.todo[:len(u.todo)-1]
		def := u.image(s.step, u.game.Net.Definition(s.node))
		u.loops = append(u.loops, loop{u.steps[s.step].At(logic.Lit(s.node) << 1), def})
	}
	return at
}

// all are signals at a step.
func (u *unrolling) signalsAt(k int, signals []logic.Lit) []logic.Lit {
	lits := make([]logic.Lit, len(signals))
	for i, l := range signals {
		lits[i] = u.SignalAt(k, l)
	}
	return lits
}

// image is At, but for the definitions of loop variables.
func (u *unrolling) image(k int, l logic.Lit) logic.Lit {
	for len(u.steps) <= k {
		s := logic.NewSubstitution(u.game.Net, u.net)
		number := len(u.steps)
		s.Leaf = func(node int32) logic.Lit { return u.leaf(number, node) }
		u.steps = append(u.steps, &step{Substitution: s, does: make([][]logic.Lit, len(u.game.Does))})
	}
	at, _ := u.steps[k].Image(l)
	u.steps[k].Keep()
	return at
}

// leaf is an input or a loop variable of the game at a step.
func (u *unrolling) leaf(k int, node int32) logic.Lit {
	g := u.game
	if f := int(node) - 1; f < len(g.Fluents) {
		return u.fluent(k, f)
	}
	if g.Net.Op(node) == logic.OpLoop {
		u.todo = append(u.todo, site{k, node})
		return u.net.Input()
	}
	m := u.moves[node]
	if u.image(k, g.Legal[m.role][m.move]) == logic.False {
		return logic.False
	}
	return u.net.Input()
}

// fluent is a fluent at a step.
func (u *unrolling) fluent(k, f int) logic.Lit {
	g := u.game
	switch {
	case k > 0:
		switch ended := u.image(k-1, g.Terminal); ended {
		case logic.False:
			return u.image(k-1, g.Next[f])
		case logic.True:
			return u.image(k-1, g.Fluents[f])
		default:
			return u.net.If(ended, u.image(k-1, g.Fluents[f]), u.image(k-1, g.Next[f]))
		}
	case u.start == nil:
		return u.net.Input()
	}
	return logic.Constant(u.start.Has(f))
}

// GoalAtLeast is where a role has a goal of that value at least, and no other one, at a step.
func (u *unrolling) GoalAtLeast(k int, role machine.Role, least int32) logic.Lit {
	var enough []logic.Lit
	for _, goal := range u.game.Goals {
		if goal.Role == role && goal.Value >= least {
			enough = append(enough, u.goal(k, goal))
		}
	}
	return u.net.Or(enough...)
}

// goal is where a role has that goal and no other one, at a step.
func (u *unrolling) goal(k int, goal circuit.Goal) logic.Lit {
	only := []logic.Lit{u.SignalAt(k, goal.When)}
	for _, other := range u.game.Goals {
		if other.Role == goal.Role && other.Value != goal.Value {
			only = append(only, u.SignalAt(k, other.When).Not())
		}
	}
	return u.net.And(only...)
}

// Does are the moves of a role at a step, as literals: false for those that are never legal there.
func (u *unrolling) Does(k, role int) []logic.Lit {
	u.SignalAt(k, logic.False)
	s := u.steps[k]
	if s.does[role] == nil {
		s.does[role] = u.signalsAt(k, u.game.Does[role])
	}
	return s.does[role]
}

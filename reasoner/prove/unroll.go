package prove

import (
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// unrolling is the network of a game over several steps (bounded model checking: Biere, Cimatti, Clarke and Zhu
// 1999). The fluents of a step are functions of the fluents and moves of the step before. A terminal position repeats
// itself, so the position at step k is the position after k joint moves or at the end of the game. A formula about
// step k is thus about all games of up to k joint moves.
//
// Signals are built on demand, so the network contains only the gates that queries depend on. Equal gates of all
// steps are shared (structural hashing). Constants of a known position are propagated: counters of steps, cells that
// no piece can reach yet.
//
// Recursive rules are least fixpoints; the network allows any fixpoint. So it has a model for each position of the
// rules, and possibly more: an unsatisfiable query is a proof for the rules, but a model must be checked by playing
// it.
type unrolling struct {
	net   *logic.Network
	game  *circuit.Game
	start machine.State // nil for any position
	steps []*step
	moves map[int32]roleMove // by node of the game
	loops []loop             // variables of recursive rules with their definitions
	todo  []site             // loop variables whose definitions are not built yet
}

// step maps signals of the game to signals of the unrolling at one step.
type step struct {
	*logic.Substitution
	does  [][]logic.Lit // by role; nil before the first call of does
	goals []logic.Lit   // by goal of the game; unset before the first call of goal
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

// loop is a variable of recursive rules and its definition, both in the unrolled network.
type loop struct{ variable, definition logic.Lit }

// unroll returns the unrolling from position s, or from any position if s is nil.
func unroll(g *circuit.Game, s machine.State) *unrolling {
	u := &unrolling{net: logic.NewNetwork(), game: g, start: s, moves: map[int32]roleMove{}}
	for r, row := range g.Does {
		for m, l := range row {
			u.moves[l.Node()] = roleMove{machine.Role(r), machine.Move(m)}
		}
	}
	for _, l := range g.Fluents {
		u.SignalAt(0, l) // makes the fluents the first inputs
	}
	return u
}

// SignalAt returns the signal of the network for a signal of the game at step k.
func (u *unrolling) SignalAt(k int, l logic.Lit) logic.Lit {
	signal := u.image(k, l)
	for len(u.todo) > 0 {
		s := u.todo[len(u.todo)-1]
		u.todo = u.todo[:len(u.todo)-1]
		def := u.image(s.step, u.game.Net.Definition(s.node))
		u.loops = append(u.loops, loop{u.steps[s.step].Lookup(logic.Lit(s.node) << 1), def})
	}
	return signal
}

// signalsAt returns the signals of the network for signals of the game at step k.
func (u *unrolling) signalsAt(k int, signals []logic.Lit) []logic.Lit {
	lits := make([]logic.Lit, len(signals))
	for i, l := range signals {
		lits[i] = u.SignalAt(k, l)
	}
	return lits
}

// image is SignalAt without the definitions of loop variables.
func (u *unrolling) image(k int, l logic.Lit) logic.Lit {
	for len(u.steps) <= k {
		s := logic.NewSubstitution(u.game.Net, u.net)
		number := len(u.steps)
		s.Leaf = func(node int32) logic.Lit { return u.leaf(number, node) }
		u.steps = append(u.steps, &step{s, make([][]logic.Lit, len(u.game.Does)), slices.Repeat([]logic.Lit{unset}, len(u.game.Goals))})
	}
	signal, _ := u.steps[k].Image(l)
	u.steps[k].Commit()
	return signal
}

// leaf returns the signal of an input or loop variable of the game at step k.
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

// fluent returns the signal of a fluent at step k.
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
			return u.net.Mux(ended, u.image(k-1, g.Fluents[f]), u.image(k-1, g.Next[f]))
		}
	case u.start == nil:
		return u.net.Input()
	}
	return logic.Constant(u.start.Has(f))
}

// GoalAtLeast returns the signal that a role has exactly one goal at step k, of at least the given value.
func (u *unrolling) GoalAtLeast(k int, role machine.Role, least int32) logic.Lit {
	return u.anyGoal(k, role, func(value int32) bool { return value >= least })
}

// anyGoal returns the signal that a role has exactly one goal at step k, whose value satisfies a condition.
func (u *unrolling) anyGoal(k int, role machine.Role, condition func(value int32) bool) logic.Lit {
	var goals []logic.Lit
	for i, goal := range u.game.Goals {
		if goal.Role == role && condition(goal.Value) {
			goals = append(goals, u.goal(k, i))
		}
	}
	return u.net.Or(goals...)
}

// goal returns the signal that the role of goal i of the game has this goal and no other goal at step k.
func (u *unrolling) goal(k, i int) logic.Lit {
	goal := u.game.Goals[i]
	only := []logic.Lit{u.SignalAt(k, goal.When)}
	s := u.steps[k]
	if s.goals[i] != unset {
		return s.goals[i]
	}
	for _, other := range u.game.Goals {
		if other.Role == goal.Role && other.Value != goal.Value {
			only = append(only, u.SignalAt(k, other.When).Not())
		}
	}
	s.goals[i] = u.net.And(only...)
	return s.goals[i]
}

// does returns the signals of a role's moves at step k; false for moves that are never legal there.
func (u *unrolling) does(k, role int) []logic.Lit {
	u.SignalAt(k, logic.False)
	s := u.steps[k]
	if s.does[role] == nil {
		s.does[role] = u.signalsAt(k, u.game.Does[role])
	}
	return s.does[role]
}

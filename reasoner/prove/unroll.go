package prove

import (
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// unrolling is the network of a game at step after step, as one network: the fluents of
// a step are functions of those of the step before and of the moves made there. A
// position that is terminal stays as it is, so that the position at step k is that after
// k joint moves or at the end of the game, and everything said of it is said of all
// games of up to k joint moves at once.
//
// Signals are copied when they are asked for, so that there is no more than the queries
// depend on. Equal gates of all steps are one (structural hashing), and what is constant
// from a known position on folds away: counters of steps, cells nobody can reach yet.
//
// Recursive rules are least fixpoints; here any fixpoint is allowed. So there are all
// positions that the rules know, and maybe more: what cannot be satisfied holds for the
// rules, and what can must be checked by playing it.
type unrolling struct {
	game  *circuit.Game
	net   *circuit.Network
	steps []*step
	kind  []kind // by node of the game
	loops []loop // variables that recursion needs, with their definitions
	todo  []site
	stack []site
	lits  []circuit.Lit
}

// kind says what an input of the game is.
type kind struct {
	fluent     int32 // -1 if it is none
	role, move int32 // role -1 if it is no move
}

// step is the game at one step.
type step struct {
	image []circuit.Lit // by node of the game; unset where nobody has asked
	does  [][]circuit.Lit
}

const unset circuit.Lit = -1

// site is a node of the game at a step.
type site struct {
	step int
	node int32
}

// loop is a variable of recursion and its definition, both of the unrolled network.
type loop struct{ variable, definition circuit.Lit }

// unroll begins at position s, or, if that is nil, at any whatever.
func unroll(g *circuit.Game, s machine.State) *unrolling {
	u := &unrolling{game: g, net: circuit.NewNetwork(), kind: make([]kind, g.Net.Len())}
	for i := range u.kind {
		u.kind[i] = kind{fluent: -1, role: -1}
	}
	for f, l := range g.Fluents {
		u.kind[l.Node()].fluent = int32(f)
	}
	for r, row := range g.Does {
		for m, l := range row {
			u.kind[l.Node()] = kind{-1, int32(r), int32(m)}
		}
	}
	first := u.step(0)
	for f, l := range g.Fluents {
		switch {
		case s == nil:
			first.image[l.Node()] = u.net.Input()
		case s.Has(f):
			first.image[l.Node()] = circuit.True
		default:
			first.image[l.Node()] = circuit.False
		}
	}
	return u
}

// step is that of a number, added if need be.
func (u *unrolling) step(k int) *step {
	for len(u.steps) <= k {
		s := &step{image: make([]circuit.Lit, u.game.Net.Len())}
		for i := range s.image {
			s.image[i] = unset
		}
		s.image[0] = circuit.False
		u.steps = append(u.steps, s)
	}
	return u.steps[k]
}

// at is a signal of the game at a step.
func (u *unrolling) at(k int, l circuit.Lit) circuit.Lit {
	v := u.build(site{k, l.Node()}) ^ l&1
	for len(u.todo) > 0 {
		v := u.todo[len(u.todo)-1]
		u.todo = u.todo[:len(u.todo)-1]
		def := u.build(site{v.step, u.game.Net.Definition(v.node).Node()}) ^ u.game.Net.Definition(v.node)&1
		u.loops = append(u.loops, loop{u.steps[v.step].image[v.node], def})
	}
	return v
}

// fluent is a fluent at a step.
func (u *unrolling) fluent(k, f int) circuit.Lit { return u.at(k, u.game.Fluents[f]) }

// goalAtLeast is where a role has a goal of that value at least, and no other one, at a
// step.
func (u *unrolling) goalAtLeast(k int, role machine.Role, least int32) circuit.Lit {
	var enough []circuit.Lit
	for _, goal := range u.game.Goals {
		if goal.Role == role && goal.Value >= least {
			enough = append(enough, u.goal(k, goal))
		}
	}
	return u.net.Or(enough...)
}

// goal is where a role has that goal and no other one, at a step.
func (u *unrolling) goal(k int, goal circuit.Goal) circuit.Lit {
	only := []circuit.Lit{u.at(k, goal.When)}
	for _, other := range u.game.Goals {
		if other.Role == goal.Role && other.Value != goal.Value {
			only = append(only, u.at(k, other.When).Not())
		}
	}
	return u.net.And(only...)
}

// build makes the image of a node, after those that it needs.
func (u *unrolling) build(s site) circuit.Lit {
	u.stack = append(u.stack[:0], s)
	for len(u.stack) > 0 {
		s := u.stack[len(u.stack)-1]
		here := u.step(s.step)
		if here.image[s.node] != unset {
			u.stack = u.stack[:len(u.stack)-1]
			continue
		}
		waiting := len(u.stack)
		if l := u.make(s); len(u.stack) == waiting {
			here.image[s.node] = l
			u.stack = u.stack[:waiting-1]
		}
	}
	return u.steps[s.step].image[s.node]
}

// need is the image of a literal; if there is none yet, its node is put on the stack.
func (u *unrolling) need(k int, l circuit.Lit) circuit.Lit {
	image := u.steps[k].image[l.Node()]
	if image == unset {
		u.stack = append(u.stack, site{k, l.Node()})
		return unset
	}
	return image ^ l&1
}

// make is the image of a node whose operands have images; if they have none, they are
// on the stack now.
func (u *unrolling) make(s site) circuit.Lit {
	g, k := u.game, u.kind[s.node]
	switch {
	case k.fluent >= 0:
		before := s.step - 1
		next := g.Next[k.fluent]
		ended := u.need(before, g.Terminal)
		switch ended {
		case unset:
			return unset
		case circuit.False:
			return u.need(before, next)
		case circuit.True:
			return u.need(before, g.Fluents[k.fluent])
		}
		return u.choose(ended, u.need(before, g.Fluents[k.fluent]), u.need(before, next))
	case k.role >= 0:
		if legal := u.need(s.step, g.Legal[k.role][k.move]); legal == unset || legal == circuit.False {
			return legal
		}
		return u.net.Input()
	case g.Net.Op(s.node) == circuit.OpLoop:
		u.todo = append(u.todo, s)
		return u.net.Input()
	}
	u.lits = u.lits[:0]
	waiting := len(u.stack)
	for _, l := range g.Net.Operands(s.node) {
		image := u.need(s.step, l)
		if image == circuit.False {
			u.stack = u.stack[:waiting]
			return circuit.False
		}
		u.lits = append(u.lits, image)
	}
	if len(u.stack) > waiting {
		return unset
	}
	return u.net.And(u.lits...)
}

// choose is a where condition holds, and b elsewhere.
func (u *unrolling) choose(condition, a, b circuit.Lit) circuit.Lit {
	if a == unset || b == unset || a == b {
		return a
	}
	return u.net.Or(u.net.And(condition, a), u.net.And(condition.Not(), b))
}

// does are the moves of a role that may be legal at a step, as literals.
func (u *unrolling) does(k int, role int) []circuit.Lit {
	s := u.step(k)
	if s.does == nil {
		s.does = make([][]circuit.Lit, len(u.game.Does))
	}
	if s.does[role] == nil {
		s.does[role] = make([]circuit.Lit, len(u.game.Does[role]))
		for m, l := range u.game.Does[role] {
			s.does[role][m] = u.at(k, l)
		}
	}
	return s.does[role]
}

// Package arrival finds the fewest joint moves in which a role can force an end with a goal. Searches prove values;
// where positions repeat, moves that preserve a proved value may cycle forever. Each move of this package brings the
// forced end one joint move nearer, against all replies, so a strategy of such moves arrives.
//
// Theorem: the distance of a position is the least d such that the role forces an end with the goal within d joint
// moves. The role has a move after which every position is terminal with the goal, or has a distance of at most d-1.
// So the distance falls with each joint move, and the end is reached. This holds in every game, with simultaneous
// moves or turns, and with any number of roles: all other roles, chance among them, count as one opponent.
package arrival

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/table"
)

// Way is a move with which a role forces an end.
type Way struct {
	Move  machine.Move
	Plies int // joint moves until the end at most, this one included
}

// target is a goal that a role wants to force.
type target struct {
	role machine.Role
	goal int32
}

// span encloses the distance of a position: greater than no, at most yes.
type span struct {
	no  int
	yes int // 0 is not known
}

const spanBits = 16

var spanCodec = table.Codec[span]{
	Bits:   2 * spanBits,
	Encode: func(dst []uint64, v span) { dst[0] = uint64(v.no)<<spanBits | uint64(v.yes) },
	Decode: func(src []uint64) span {
		return span{int(src[0] >> spanBits & (1<<spanBits - 1)), int(src[0] & (1<<spanBits - 1))}
	},
}

// maxTargets bounds the tables that a Finder holds at the same time.
const maxTargets = 4

// Finder finds ways by iterative deepening, with tables that persist between calls. It belongs to one goroutine.
//
// Cost: at most one expansion for each position and each distance below the root's.
type Finder struct {
	machine  machine.Machine
	expander *play.Expander
	maxBytes int64
	tables   map[target]*table.Table[span]

	// Of the present call:
	ctx    context.Context
	target target
	known  *table.Table[span]
	plies  []*play.Expansion
	left   int64 // expansions
	failed bool  // the context, the expansions or a position end the call without an answer
}

// New makes a finder for a game. Its tables take up to maxBytes; 0 is no bound.
func New(m machine.Machine, maxBytes int64) *Finder {
	return &Finder{machine: m, expander: play.NewExpander(m), maxBytes: maxBytes, tables: make(map[target]*table.Table[span])}
}

// Machine returns the game of the finder.
func (f *Finder) Machine() machine.Machine { return f.machine }

// Find returns the way with the fewest plies by which a role forces at least a goal from position
// q, which must not be terminal. It reports false where the role cannot, or where the context or
// maxNodes expansions end the search before.
func (f *Finder) Find(ctx context.Context, q machine.State, role machine.Role, goal int32, maxNodes int64) (Way, bool) {
	f.begin(ctx, target{role, goal}, maxNodes)
	first := 1
	if s, ok := f.known.Lookup(q); ok {
		first = s.no + 1
	}
	for plies := first; plies <= search.MaxPlies; plies++ {
		e, move, ok := f.prove(q, 0, plies)
		switch {
		case ok:
			return Way{e.Moves[role][move], plies}, true
		case f.failed:
			return Way{}, false
		}
	}
	return Way{}, false
}

func (f *Finder) begin(ctx context.Context, t target, maxNodes int64) {
	f.ctx, f.target, f.left, f.failed = ctx, t, maxNodes, false
	f.expander.Limit(ctx, 0, 0)
	if f.tables[t] == nil {
		if len(f.tables) == maxTargets {
			clear(f.tables)
		}
		f.tables[t] = table.New(f.machine, spanCodec, f.maxBytes/maxTargets)
	}
	f.known = f.tables[t]
}

// forces reports whether the role forces its goal from q, which is not terminal, within so many
// joint moves.
func (f *Finder) forces(q machine.State, depth, plies int) bool {
	if plies <= 0 {
		return false
	}
	s, _ := f.known.Lookup(q)
	switch {
	case s.yes > 0 && plies >= s.yes:
		return true
	case plies <= s.no:
		return false
	}
	_, _, ok := f.prove(q, depth, plies)
	return ok
}

// prove expands q and looks for a move that forces the goal within the given number of joint moves. It
// returns the expansion and the number of that move.
func (f *Finder) prove(q machine.State, depth, plies int) (e *play.Expansion, move int, ok bool) {
	if depth == len(f.plies) {
		f.plies = append(f.plies, new(play.Expansion))
	}
	e = f.plies[depth]
	f.left--
	if f.failed = f.failed || f.left < 0 || f.ctx.Err() != nil || f.expander.Expand(e, q) != nil; f.failed {
		return e, -1, false
	}
	move = f.choose(e, depth, plies)
	if ok = move >= 0; ok || !f.failed {
		f.note(q, plies, ok)
	}
	return e, move, ok
}

// note stores that the distance of q is at most the given number of plies, or that it is more.
func (f *Finder) note(q machine.State, plies int, within bool) {
	s, _ := f.known.Lookup(q)
	if within {
		s.yes = plies
	} else {
		s.no = plies
	}
	f.known.Store(q, s, 1)
}

// choose returns the number of a move of the role that forces the goal, or -1. A move that ends
// the match at once is tried first.
func (f *Finder) choose(e *play.Expansion, depth, plies int) int {
	moves, step := e.Choices(f.target.role), e.Step(f.target.role)
	for _, deep := range []bool{false, true} {
		if deep && plies == 1 {
			break
		}
		for move := range moves {
			if f.succeeds(e, move, moves, step, depth, plies, deep) {
				return move
			}
		}
	}
	return -1
}

// succeeds reports whether all children of a move force the goal: terminal ones have it, and, where
// deep, others force it in turn. Without deep, others do not.
func (f *Finder) succeeds(e *play.Expansion, move, moves, step, depth, plies int, deep bool) bool {
	open := false
	for c := range e.Children {
		switch {
		case c/step%moves != move:
		case !e.Terminal[c]:
			if open = true; !deep {
				return false
			}
		case search.Points(e.ChildGoals(c)[f.target.role]) < f.target.goal:
			return false
		}
	}
	for c := 0; open && c < e.Children; c++ {
		if c/step%moves == move && !e.Terminal[c] && !f.forces(e.Child(c), depth+1, plies-1) {
			return false
		}
	}
	return !f.failed
}

// Line returns the joint moves from q to the end of a match in which every role forces its guaranteed goal, and roles
// without one delay the end. Goals are by role, in goal points. It returns false if no way is found, or if chance or
// several roles choose.
func (f *Finder) Line(ctx context.Context, q machine.State, goals []int32, maxNodes int64) (line [][]machine.Move, ok bool) {
	line, over, _ := search.Walk(f.expander, q, func(e *play.Expansion, q machine.State) (int, bool) {
		if e.Children == 1 {
			return 0, true
		}
		return f.next(ctx, e, q, goals, maxNodes)
	})
	if !over {
		return nil, false
	}
	return line, true
}

// next returns the child of q, expanded in e, to which the only role that chooses goes.
func (f *Finder) next(ctx context.Context, e *play.Expansion, q machine.State, goals []int32, maxNodes int64) (child int, ok bool) {
	turn, ok := e.Turn(f.machine.Names().Chance())
	if !ok || turn.Decider < 0 || turn.Replies > 1 {
		return 0, false
	}
	if goals[turn.Decider] > 0 {
		way, ok := f.Find(ctx, q, turn.Decider, goals[turn.Decider], maxNodes)
		return slices.Index(e.Moves[turn.Decider], way.Move), ok
	}
	leader := slices.IndexFunc(goals, func(g int32) bool { return g > 0 })
	if leader < 0 {
		return 0, false
	}
	longest := -1
	for c := range e.Children {
		plies := 0
		if !e.Terminal[c] {
			way, ok := f.Find(ctx, e.Child(c), machine.Role(leader), goals[leader], maxNodes)
			if !ok {
				return 0, false
			}
			plies = way.Plies
		}
		if plies > longest {
			child, longest = c, plies
		}
	}
	return child, true
}

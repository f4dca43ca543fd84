package goals

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// visit is a breadth-first visit of the positions of a game, which ends early in a large one.
type visit struct {
	names    *machine.Names
	players  []machine.Role
	expander *play.Expander
	initial  machine.State
	reached  map[string]way
	queue    []machine.State
	children int
	widest   int64 // see widestAlone

	ended  bool // a terminal position was met
	sum    int32
	varies bool // two sums were met
	// detours: two ways of different lengths lead to one position. Without them no position repeats.
	detours bool
	fault   *Fault
}

// way is the way on which a position was reached first: the position before, the joint move, and the number of joint moves.
type way struct {
	from  string
	joint []machine.Move
	plies int
}

func newVisit(m machine.Machine) *visit {
	v := &visit{
		names: m.Names(), players: m.Names().Players(), expander: play.NewExpander(m), initial: m.Initial(),
		reached: make(map[string]way),
	}
	v.reached[v.initial.Key()] = way{}
	v.widest = widestAlone
	if m.Info().Parallel {
		v.widest = widestTogether
	}
	return v
}

// The most children of a position that are visited. An expansion is not broken off, and should take
// a few milliseconds.
const (
	widestAlone    = 1 << 8  // of machines that compute one position at a time
	widestTogether = 1 << 12 // of machines that compute all lanes together
)

// run reports whether all positions were visited.
func (v *visit) run(ctx context.Context) bool {
	const perChild = 1 << 20 // far more than a child takes, so that the number of children counts
	v.expander.Limit(ctx, v.widest*perChild, perChild)
	if over, goals := v.expander.Look(v.initial); over {
		v.end(v.initial, goals)
		return true
	}
	v.queue = append(v.queue, slices.Clone(v.initial))
	var e play.Expansion
	for len(v.queue) > 0 {
		q := v.queue[0]
		v.queue = v.queue[1:]
		if ctx.Err() != nil || v.expander.Expand(&e, q) != nil || e.Lost || !v.add(&e, q) {
			return false
		}
	}
	return true
}

// add adds the children of position q that are new. It returns false where the game is too large,
// or faulty.
func (v *visit) add(e *play.Expansion, q machine.State) bool {
	if v.children += e.Children; v.children > visitChildren {
		return false
	}
	from := q.Key()
	plies := v.reached[from].plies + 1
	for c := range e.Children {
		key := e.Child(c).Key()
		if w, known := v.reached[key]; known {
			v.detours = v.detours || w.plies != plies
			continue
		}
		joint := make([]machine.Move, len(e.Moves))
		e.Joint(joint, c)
		v.reached[key] = way{from, joint, plies}
		child := slices.Clone(e.Child(c))
		if e.Terminal[c] {
			v.end(child, e.ChildGoals(c))
		} else {
			v.queue = append(v.queue, child)
		}
	}
	return v.fault == nil && len(v.reached) <= visitPositions
}

// end takes note of a terminal position.
func (v *visit) end(q machine.State, goals []int32) {
	if r := faulty(v.players, goals); r != machine.NoRole {
		if v.fault == nil {
			v.fault = newFault(v.names, r, q, v.line(q))
		}
		return
	}
	sum := int32(0)
	for _, r := range v.players {
		sum += goals[r]
	}
	v.varies = v.varies || v.ended && sum != v.sum
	v.ended, v.sum = true, sum
}

// line returns the joint moves that lead from the initial position to q.
func (v *visit) line(q machine.State) [][]machine.Move {
	line := [][]machine.Move{}
	for w := v.reached[q.Key()]; w.joint != nil; w = v.reached[w.from] {
		line = append(line, w.joint)
	}
	slices.Reverse(line)
	return line
}

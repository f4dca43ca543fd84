package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// entry is what the transposition table remembers of a position, and of all that
// symmetries which leave the players in their places map onto it. Bounds that are
// proved hold for ever; the guess holds for searches of at most its depth.
type entry struct {
	proved search.Interval
	guess  search.Interval
	depth  int32        // of the guess; 0 for none
	best   machine.Move // the best one
	role   int8         // of the best move; -1 for none
	used   bool
}

// recall returns what is known of position s when it is to be searched depth
// choices deep, and the best move of the last time or NoMove.
func (r *run) recall(s machine.State, depth int) (v value, best machine.Move) {
	v = value{r.Goals, r.Goals}
	if r.Without&Table != 0 {
		return v, machine.NoMove
	}
	of := r.canon.Find(s)
	e := r.table.Lookup(of.State)
	if e == nil {
		return v, machine.NoMove
	}
	r.hits++
	v = value{e.proved, e.proved}
	if depth > 0 && int(e.depth) >= depth {
		v.guess = e.guess
		r.horizon = r.horizon || e.guess != e.proved
	}
	if e.role < 0 {
		return v, machine.NoMove
	}
	return v, of.Preimage(machine.Role(e.role), e.best)
}

// remember stores what a search of s, expanded in f, found that began when the
// counter of nodes stood at first, and returns it. Depth is that of the guess, 0
// for none; best is the best action.
func (r *run) remember(f *frame, s machine.State, v value, depth, best int, first int64) value {
	if r.Without&Table != 0 {
		return v
	}
	of := r.canon.Find(s)
	e := r.table.Insert(of.State, r.nodes-first+1)
	if e.used {
		v = v.tightened(e.proved)
	}
	e.proved, e.used, e.role = v.proved, true, int8(f.decider)
	if f.decider >= 0 {
		e.best = of.Move(f.decider, f.children.Moves[f.decider][best])
	}
	if depth > 0 {
		e.guess, e.depth = v.guess, int32(depth)
	}
	return v
}

package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
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

// key is what the table calls a position.
type key struct {
	table.Representative
	hash uint64
}

// find sets k to the key of q, which must stay as it is as long as k is in use;
// image is memory for a position.
func (r *run) find(k *key, image, q machine.State) {
	if r.Without&Table == 0 {
		k.Representative = r.canon.Keep(image, q)
		k.hash = table.Hash(k.State)
	}
}

// recall returns what is known of position k when it is to be searched depth
// choices deep, and the best move of the last time or NoMove.
func (r *run) recall(k *key, depth int) (v value, best machine.Move) {
	v = value{r.Goals, r.Goals}
	if r.Without&Table != 0 {
		return v, machine.NoMove
	}
	e := r.table.LookupHashed(k.State, k.hash)
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
	return v, k.Preimage(machine.Role(e.role), e.best)
}

// remember stores what a search of position k, expanded in f, found that began when
// the counter of nodes stood at first, and returns it. Depth is that of the guess, 0
// for none; best is the best action.
func (r *run) remember(f *frame, k *key, v value, depth, best int, first int64) value {
	if r.Without&Table != 0 {
		return v
	}
	e := r.table.InsertHashed(k.State, k.hash, r.nodes-first+1)
	if e.used {
		v = v.tightened(e.proved)
	}
	e.proved, e.used, e.role = v.proved, true, int8(f.decider)
	if f.decider >= 0 {
		e.best = k.Move(f.decider, f.children.Moves[f.decider][best])
	}
	if depth > 0 {
		e.guess, e.depth = v.guess, int32(depth)
	}
	return v
}

package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// entry is what the transposition table remembers of a position. Bounds that
// are proved hold for ever; the guess holds for searches of at most its depth.
type entry struct {
	proved search.Interval
	guess  search.Interval
	depth  int32 // of the guess; 0 for none
	best   int32 // the best action
	used   bool
}

// recall returns what is known of position s when it is to be searched depth
// choices deep, and the best action of the last time or -1.
func (r *run) recall(s machine.State, depth int) (v value, best int) {
	v = value{r.Goals, r.Goals}
	if r.Without&Table != 0 {
		return v, -1
	}
	e := r.table.Lookup(s)
	if e == nil {
		return v, -1
	}
	r.hits++
	v = value{e.proved, e.proved}
	if depth > 0 && int(e.depth) >= depth {
		v.guess = e.guess
		r.horizon = r.horizon || e.guess != e.proved
	}
	return v, int(e.best)
}

// remember stores what a search of s found that began when the counter of nodes
// stood at first, and returns it. Depth is that of the guess, 0 for none.
func (r *run) remember(s machine.State, v value, depth, best int, first int64) value {
	if r.Without&Table != 0 {
		return v
	}
	e := r.table.Insert(s, r.nodes-first+1)
	if e.used {
		v = v.tightened(e.proved)
	}
	if depth == 0 && e.used {
		e.proved, e.best = v.proved, int32(best)
		return v
	}
	*e = entry{proved: v.proved, guess: v.guess, depth: int32(depth), best: int32(best), used: true}
	return v
}

package simultaneous

import (
	"errors"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// Games whose positions repeat. A depth-first search of such a game has no end, so each method
// stops as soon as a position repeats on its path. SMAB then searches the game again and
// again up to a horizon, each time one ply deeper.
//
// A position at the horizon is worth the interval proved of it so far, at first
// [vmin, vmax]. So all bounds are bounds of the whole game, if an endless
// match has a value within [vmin, vmax]; the table keeps them, and each iteration begins with
// the bounds of the one before. Rock-paper-scissors until somebody wins has the
// value v = (100 + v + 0)/3: each iteration divides the width of v by three.
//
// A cell that is cut at the horizon may stay open after its search. Such cells are
// exhausted (frame.go), and no order visits them again.
//
// The search ends with the value up to the tolerance, or with an iteration that reaches no
// horizon. After an iteration that finds no new position and narrows no bound, the next
// one searches all positions in the full window; if that narrows no bound either, all later
// iterations would do the same, and the search ends.
//
// The strategies are recorded while the bounds grow: guarantees.go.

// errRepeats ends a depth-first search of a game whose positions repeat.
var errRepeats = errors.New("positions repeat: only method smab goes on there, with a table (--table on)")

// errNoProgress ends a search with a horizon whose iterations prove no more.
var errNoProgress = errors.New("positions repeat, and deeper iterations narrow no bound")

// horizon is the depth at which iterations cut the game.
type horizon struct {
	plies    int                     // depth of the horizon
	allPlies int                     // sum of the depths of all iterations
	search   int                     // number of the search
	searched *table.Table[cutSearch] // last search of each position, if it was cut
	wide     bool                    // this iteration searches every position in the full window
	cut      bool                    // this iteration was cut somewhere
	gained   bool                    // this iteration has found a position, or narrowed a bound
	guarantees
}

// cutSearch is the number of a search, and the plies to its horizon.
type cutSearch struct{ search, plies int }

// cutCodec packs the plies into 13 bits: they are at most search.MaxPlies.
var cutCodec = table.Codec[cutSearch]{
	Bits:   45,
	Encode: func(dst []uint64, v cutSearch) { dst[0] = uint64(uint32(v.search))<<13 | uint64(v.plies) },
	Decode: func(src []uint64) cutSearch { return cutSearch{int(src[0] >> 13), int(src[0] & (1<<13 - 1))} },
}

// deepens reports whether the search goes on with a horizon where positions repeat.
func (s *solver) deepens() bool { return s.config.Method == SMAB }

// repeats reports whether position q is on the path, and ends the depth-first search then.
func (s *solver) repeats(depth int, q machine.State) bool {
	for i := depth - 1; i >= 0; i-- {
		if s.frames[i].position.Equal(q) {
			s.foundRepetition()
			return true
		}
	}
	return false
}

// repeatsEven ends a depth-first search if position q, which an exchange of the players
// leaves as it is, is on the path down to frame f.
func (s *solver) repeatsEven(f *frame, q machine.State) {
	if depth := slices.Index(s.frames, f); s.horizon == nil && depth >= 0 {
		s.repeats(depth+1, q)
	}
}

// foundRepetition ends a depth-first search, or notes that this iteration was cut.
func (s *solver) foundRepetition() {
	if s.horizon == nil {
		s.stop(errRepeats)
	} else {
		s.horizon.cut = true
	}
}

// cuts reports whether position q lies at the horizon, or was searched as deep before.
func (s *solver) cuts(depth int, q machine.State) bool {
	h, left := s.horizon, s.horizon.plies-depth
	last, known := h.searched.Lookup(s.symmetry.canon.Find(q).State)
	if known = known && last.search == h.search; !known {
		h.gained = true
	}
	if left > 0 && !(known && last.plies >= left) {
		return false
	}
	h.cut = true
	return true
}

// noteSearch notes that the search of position q has narrowed its bounds, and how deep it
// was if it has not answered its window.
func (s *solver) noteSearch(depth int, q machine.State, narrowed, answered bool) {
	h := s.horizon
	h.gained = h.gained || narrowed
	if !answered && !s.stopped {
		h.searched.Store(s.symmetry.canon.Find(q).State, cutSearch{h.search, h.plies - depth}, 1)
	}
}

// settle searches position q depth first, or in iterations if positions of the game repeat.
func (s *solver) settle(q machine.State) (v search.Interval, f *frame, strategies [][]search.Weighted) {
	if s.horizon == nil {
		v, f, strategies = s.root(q)
		if !errors.Is(s.cause, errRepeats) || !s.deepens() || !s.config.Table || s.ctx.Err() != nil {
			return v, f, strategies
		}
		s.stopped, s.cause = false, nil
	}
	if s.horizon == nil || s.horizon.full {
		s.beginDeepening()
	}
	return s.deepen(q)
}

// beginDeepening makes the search ready for iterations. Bounds get half of the memory, and records of strategies a quarter.
func (s *solver) beginDeepening() {
	s.horizon = &horizon{
		searched:   table.New(s.machine, cutCodec, s.tableBytes/4),
		guarantees: guarantees{records: make(map[string]*guarantee), maxBytes: s.tableBytes / 4},
	}
	s.memory.table = table.New(s.machine, proved, s.tableBytes/2)
}

// deepen searches position q up to one horizon after the other.
func (s *solver) deepen(q machine.State) (v search.Interval, f *frame, strategies [][]search.Weighted) {
	h := s.horizon
	h.search++
	h.find(s.symmetry.canon.Find(q).State.Key(), true)
	all := anyValue()
	v, h.wide = search.GoalRange, false
	for h.plies = 1; h.plies <= search.MaxPlies; h.plies++ {
		h.cut, h.gained = false, false
		h.allPlies += h.plies
		s.counters.Depth = h.plies
		s.poll() // frames that hold their positions already are not expanded again
		found, frame, played := s.root(q)
		v, f, strategies = meet(found, v), frame, played
		switch {
		case s.unwinds() || s.isCloseEnough(v, all.Lower, all.Upper):
			return v, f, strategies
		case h.cut && (h.gained || !h.wide):
		case v.Upper-v.Lower <= 2*margin: // only rounding keeps the bounds apart
			return search.Exact(simplest(v)), f, strategies
		default:
			s.stop(errNoProgress)
			return v, f, strategies
		}
		h.wide = !h.gained
	}
	s.stop(errTooDeep)
	return v, f, strategies
}

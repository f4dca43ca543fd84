package sequential

import (
	"cmp"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// Falling ε: the tolerance begins at half the range of the goals and halves whenever the proved interval of the root
// is at most ε wide, so an unfinished search has proved an interval of some width. The next tolerance goes on at the same
// depth, with the same table. A tolerance below the smallest gap between two goals proves the value, so ε = 0 follows
// at once: in games of two goals it is the only one. With ε = vmax − vmin, the first of the series, no node is searched.
//
// While ε is large, the guess on the horizon closes a window for the side that moves last: an iteration asks one question
// where ε = 0 asks whether the value is above the guess and whether it is below. Where a win is proved sooner than that
// nothing is lost, as in checkers, ε = 0 gets further. So a search deepens on two tracks, with the falling tolerance and
// with the last one, which get as many nodes and share the table.
//
// With chance a depth-first search falls on one track. In the other two cases, chance with deepening and depth first
// without chance, ε = 0 proves more within the same nodes (docs/lab/turns.md).

// newTolerance returns the first tolerance of a search.
func (r *run) newTolerance(goals [][]int32) float64 {
	chance, deepening := r.random >= 0, r.Without&Deepening == 0
	if !r.Falling || r.Halves || chance == deepening {
		return r.Epsilon
	}
	if r.gap = 1; goals != nil && !chance {
		r.gap = smallestGap(goals[r.First])
	}
	return r.lower(machine.MaxGoal)
}

// smallestGap returns the least difference between two goals, in goal points; machine.MaxGoal if there are no two.
func smallestGap(goals []int32) float64 {
	goals = slices.Clone(goals)
	slices.Sort(goals)
	gap := int32(machine.MaxGoal)
	for i := range goals[min(1, len(goals)):] {
		if d := search.Points(goals[i+1]) - search.Points(goals[i]); d > 0 {
			gap = min(gap, d)
		}
	}
	return float64(gap)
}

// lower returns the tolerance after t.
func (r *run) lower(t float64) float64 {
	if t /= 2; t < r.gap || t < r.Epsilon {
		return r.Epsilon
	}
	return t
}

// track is an iterative deepening with its own tolerance.
type track struct {
	tolerance float64
	depth     int   // of the next iteration
	nodes     int64 // spent
}

// start returns the tracks of a search: the track of the falling tolerance, and beside it the track of the last one.
func (r *run) start(goals [][]int32) []track {
	first := track{tolerance: r.newTolerance(goals), depth: 1}
	if r.Without&Deepening != 0 {
		first.depth = exact.MaxPly
	}
	if first.tolerance == r.Epsilon || r.random >= 0 {
		return []track{first}
	}
	return []track{first, {tolerance: r.Epsilon, depth: first.depth}}
}

// next returns the index of the track with the fewest nodes.
func (c *crew) next() int {
	least := 0
	for i, t := range c.tracks {
		if t.nodes < c.tracks[least].nodes {
			least = i
		}
	}
	return least
}

// advance prepares the next iteration of track i: with a lower tolerance after a proof, else at a greater depth. It
// removes a track that gets no further, without a horizon or at the full depth, unless a lower tolerance is left for it, and
// the shallower of two with the last tolerance.
func (c *crew) advance(i int, horizon bool) {
	r := c.workers[0]
	width := r.root.value.proved.Upper - r.root.value.proved.Lower
	switch t := &c.tracks[i]; {
	case width <= t.tolerance:
	case horizon && t.depth < exact.MaxPly:
		t.depth = min(t.depth+step(t.depth), exact.MaxPly)
	case horizon && len(c.tracks) == 1 && t.tolerance > r.Epsilon:
		t.tolerance = r.Epsilon
	default:
		c.tracks = slices.Delete(c.tracks, i, i+1)
	}
	for i := range c.tracks {
		for t := &c.tracks[i]; t.tolerance > r.Epsilon && width <= t.tolerance; {
			t.tolerance = r.lower(t.tolerance)
		}
	}
	if len(c.tracks) == 2 && c.tracks[0].tolerance == r.Epsilon {
		c.tracks = []track{slices.MaxFunc(c.tracks, func(a, b track) int { return cmp.Compare(a.depth, b.depth) })}
	}
}

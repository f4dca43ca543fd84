package sequential

import "stackmate/search"

// Falling ε: the tolerance begins at half the range of the goals and halves whenever the proved interval of the root
// is at most ε wide, so an unfinished search has proved an interval of some width. Each tolerance goes on at the
// depth of the last one, with its table. A tolerance below the smallest gap between two goals proves the value, so
// the last tolerance follows at once. With ε = vmax − vmin, the first tolerance of the series, no node is searched.
//
// While ε is large, one side's guess on the horizon closes a window: an iteration asks one question where ε = 0 asks
// two, whether the value is above the guess and whether the value is below. So more positions are solved within a
// number of nodes, in games of two goals, too (docs/lab/turns.md). With chance or without deepening ε = 0 is better.

// newTolerance returns the first tolerance of a search.
func (r *run) newTolerance(goals [][]int32) float64 {
	if !r.Falling || r.Halves || r.random >= 0 || r.Without&Deepening != 0 {
		return r.Epsilon
	}
	levels := r.levels(goals)
	for i := range levels[1:] {
		if gap := levels[i+1] - levels[i]; r.gap == 0 || gap < r.gap {
			r.gap = gap
		}
	}
	return r.lower(r.Goals.Upper - r.Goals.Lower)
}

// lower returns the tolerance after t.
func (r *run) lower(t float64) float64 {
	if t /= 2; t < r.gap || t < r.Epsilon {
		return r.Epsilon
	}
	return t
}

// fall lowers the tolerance below the width of the interval p, and reports whether the tolerance has changed.
func (r *run) fall(p search.Interval) bool {
	before := r.tolerance
	for r.tolerance > r.Epsilon && p.Upper-p.Lower <= r.tolerance {
		r.tolerance = r.lower(r.tolerance)
	}
	return r.tolerance < before
}

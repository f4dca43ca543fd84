package sequential

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Falling ε: the tolerance begins at half the range of the goals and halves whenever the proved interval of the root
// is at most ε wide, so an unfinished search has proved an interval of some width. The next tolerance goes on at the same
// depth, with the same table. A tolerance below the smallest gap between two goals proves the value, so ε = 0 follows
// at once: in games of two goals it is the only one. With ε = vmax − vmin, the first of the series, no node is searched.
//
// While ε is large, the guess on the horizon closes a window for the side that moves last: an iteration asks one question
// where ε = 0 asks whether the value is above the guess and whether it is below. With chance a depth-first search leaves
// children out. In the other two cases, chance with deepening and depth first without chance, ε = 0 proves more within
// the same nodes (docs/lab/turns.md).

// newTolerance returns the first tolerance of a search.
func (r *run) newTolerance(goals [][]int32) float64 {
	chance, deepening := r.random >= 0, r.Without&Deepening == 0
	if !r.Falling || r.Halves || chance == deepening {
		return r.Epsilon
	}
	if r.gap = 1; goals != nil && !chance {
		r.gap = smallestGap(goals[r.First])
	}
	return r.lower(r.Goals.Upper - r.Goals.Lower)
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

// fall lowers the tolerance below the width of the interval p, and reports whether the tolerance has changed.
func (r *run) fall(p search.Interval) bool {
	before := r.tolerance
	for r.tolerance > r.Epsilon && p.Upper-p.Lower <= r.tolerance {
		r.tolerance = r.lower(r.tolerance)
	}
	return r.tolerance < before
}

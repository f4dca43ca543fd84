package simultaneous

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// children searches the k positions of cell (i, j) of a frame by the given
// search and returns the interval of their mean; k is 1 where chance has no
// choice. A position is searched with the window in which it can still decide on
// which side of [alpha, beta] the mean lies, given the bounds of all others
// (Star1: Ballard, "The *-minimax search procedure for trees containing chance
// nodes", 1983).
func (s *solver) children(f *frame, i, j int, alpha, beta float64, visit func(q machine.State, alpha, beta float64) search.Interval) search.Interval {
	first := f.first(i, j)
	if f.k == 1 {
		return visit(f.expansion.Child(first), alpha, beta)
	}
	s.fillChance(f, first)
	for t := range f.k {
		low, high := f.chanceLow[t], f.chanceHigh[t]
		if low == high {
			continue
		}
		mean := f.chanceMean()
		if s.isCloseEnough(mean, alpha, beta) {
			return mean
		}
		// The mean is at most alpha if this position is worth at most a, all
		// others being worth their upper bounds; and so for beta.
		// The window is wider by the error of snapping the mean.
		a, b := exact.Window(alpha-2*exact.Grid, beta+2*exact.Grid, mean, search.Interval{Lower: low, Upper: high}, f.k)
		v := visit(f.expansion.Child(first+t*f.chanceStep), exact.Snap(a), exact.Snap(b))
		f.chanceLow[t], f.chanceHigh[t] = max(low, v.Lower), min(high, v.Upper)
	}
	return f.chanceMean()
}

// fillChance writes the payoffs of the terminal children into the bounds of the
// positions of the cell whose first child is given.
func (s *solver) fillChance(f *frame, first int) {
	f.chanceLow, f.chanceHigh = scratch.Resize(f.chanceLow, f.k), scratch.Resize(f.chanceHigh, f.k)
	for t := range f.k {
		f.chanceLow[t], f.chanceHigh[t] = 0, machine.MaxGoal
		if c := first + t*f.chanceStep; f.expansion.Terminal[c] {
			v := s.payoff(f.expansion.ChildGoals(c))
			f.chanceLow[t], f.chanceHigh[t] = v, v
		}
	}
}

// chanceMean returns the interval of the mean of the positions of a cell.
func (f *frame) chanceMean() search.Interval {
	low, high := 0.0, 0.0
	for t := range f.k {
		low += f.chanceLow[t]
		high += f.chanceHigh[t]
	}
	return search.Interval{Lower: exact.Snap(low / float64(f.k)), Upper: exact.Snap(high / float64(f.k))}
}

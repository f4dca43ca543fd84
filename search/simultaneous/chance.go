package simultaneous

import "stackmate/search"

// chanceNode searches the cell of a frame whose first child is given, where
// chance chooses uniformly among k positions. A position is searched with the
// window in which it can still decide on which side of [alpha, beta] the mean
// lies, given the bounds of all others (Star1: Ballard, "The *-minimax search
// procedure for trees containing chance nodes", 1983).
func (s *solver) chanceNode(f *frame, depth, first int, alpha, beta float64) search.Interval {
	k := float64(f.k)
	f.chanceLow, f.chanceHigh = resize(f.chanceLow, f.k), resize(f.chanceHigh, f.k)
	for t := range f.k {
		f.chanceLow[t], f.chanceHigh[t] = s.config.Low, s.config.High
		if c := first + t*f.chanceStep; f.expansion.Terminal[c] {
			v := s.payoff(f.expansion.ChildGoals(c))
			f.chanceLow[t], f.chanceHigh[t] = v, v
		}
	}
	for t := range f.k {
		low, high := f.chanceLow[t], f.chanceHigh[t]
		if low == high {
			continue
		}
		mean := f.chanceMean()
		if decided(mean, alpha, beta) {
			return mean
		}
		// The mean is at most alpha if this position is worth at most a, all
		// others being worth their upper bounds; and so for beta.
		a := snap(high + k*(alpha-mean.Upper))
		b := snap(low + k*(beta-mean.Lower))
		v := s.value(depth+1, f.expansion.Child(first+t*f.chanceStep), a, b)
		f.chanceLow[t], f.chanceHigh[t] = max(low, v.Lower), min(high, v.Upper)
	}
	return f.chanceMean()
}

// chanceMean is the interval of the mean of the positions of a cell.
func (f *frame) chanceMean() search.Interval {
	low, high := 0.0, 0.0
	for t := range f.k {
		low += f.chanceLow[t]
		high += f.chanceHigh[t]
	}
	return search.Interval{Lower: snap(low / float64(f.k)), Upper: snap(high / float64(f.k))}
}

package simultaneous

import (
	"math"

	"stackmate/search"
	"stackmate/search/exact"
)

// The linear programs of Figures 4 and 5: between which values a cell counts, given the
// bounds of all other cells of the remaining actions. A program that one
// reply alone makes infeasible is not set up, nor counted.
//
// Reference: Saffidine, Finnsson and Buro (2012), Figures 4 and 5. They contain the
// dominance tests of Figures 1 to 3: row i is dominated, whatever its cell j is
// worth, if α of the cell is at least the optimistic bound of the cell.

// dominanceBound returns, as the side sees it, the greatest value of the cell of own action
// i and reply j at which the action is certainly dominated, or less than the range of
// the game if there is no such value: α of Figure 4 for the row player, β of Figure 5 for
// the column player. The window gives the side an artificial action that is worth the
// window's lower end everywhere.
func (s *solver) dominanceBound(f *frame, who side, i, j int, window search.Interval) float64 {
	b := &f.listed
	own, replies := &b.sides[who], &b.sides[1-who]
	worst, artificial := who.fromRow(search.GoalRange).Lower, who.fromRow(window).Lower
	k, n := 0, 0
	mixture := b.mixture[:0]
	for r, remains := range own.remain {
		if r == i || !remains {
			continue
		}
		for c, meets := range replies.remain {
			if c != j && meets {
				mixture = append(mixture, f.cell(who, r, c).Lower)
			}
		}
		b.gain[k] = f.cell(who, r, j).Lower
		k++
	}
	for c, meets := range replies.remain {
		if c != j && meets {
			b.bound[n] = f.cell(who, i, c).Upper
			mixture = append(mixture, artificial)
			n++
		}
	}
	if artificial > worst {
		b.gain[k] = artificial
		k++
	}
	if !covers(mixture, k, n, b.bound[:n]) {
		return worst - 1
	}
	started := s.startLP()
	v, feasible, err := s.lp.Maximize(mixture, k, n, b.gain[:k], b.bound[:n])
	s.endLP(started, err)
	if !feasible {
		return worst - 1
	}
	return exact.Snap(v)
}

// covers reports whether the k×n matrix p has a row, and every column has an element that
// is at least the column's bound. Otherwise no mixture of rows is feasible.
func covers(p []float64, k, n int, bound []float64) bool {
	for j, f := range bound {
		most := math.Inf(-1)
		for i := range k {
			most = max(most, p[i*n+j])
		}
		if most < f {
			return false
		}
	}
	return k > 0
}

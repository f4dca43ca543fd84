package simultaneous

import (
	"math"
	"slices"
)

// The linear programs of SMAB: between which values a cell matters, given the
// bounds of all others, restricted to the remaining actions. A program that some
// column (or row) makes infeasible on its own is not set up, nor counted.
//
// Reference: Saffidine, Finnsson and Buro (2012), Fig. 4 and 5. The dominance
// tests of Fig. 1 to 3 are contained: row i is dominated whatever its cell j is
// worth if α of the cell is at least the optimistic bound of the cell.

// rowBound is α of Fig. 4: the greatest value of cell (i, j) at which row i is
// certain to be dominated, or less than the range of the game if there is none.
func (s *solver) rowBound(f *frame, i, j int, alpha float64) float64 {
	b := &f.pruning
	k, n := 0, 0
	mixture := b.mixture[:0]
	for r := range f.m {
		if r == i || !b.rows[r] {
			continue
		}
		for c := range f.n {
			if c != j && b.columns[c] {
				mixture = append(mixture, f.p[r*f.n+c])
			}
		}
		b.gain[k] = f.p[r*f.n+j]
		k++
	}
	for c := range f.n {
		if c != j && b.columns[c] {
			b.bound[n] = f.o[i*f.n+c]
			mixture = append(mixture, alpha)
			n++
		}
	}
	if alpha > s.config.Low {
		b.gain[k] = alpha
		k++
	}
	if !covers(mixture, k, n, b.bound[:n]) {
		return s.config.Low - 1
	}
	started := s.startLP()
	v, feasible, err := s.lp.Maximize(mixture, k, n, b.gain[:k], b.bound[:n])
	s.endLP(started, err)
	if !feasible {
		return s.config.Low - 1
	}
	return snap(v)
}

// covers tells whether every column of the k×n matrix p has an element that is
// at least its bound. Otherwise no mixture of rows is, and no LP is needed.
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
	return true
}

// covered tells whether every row of the m×n matrix o has an element that is at
// most its bound.
func covered(o []float64, m, n int, bound []float64) bool {
	if n == 0 {
		return false
	}
	for i := range m {
		if slices.Min(o[i*n:(i+1)*n]) > bound[i] {
			return false
		}
	}
	return true
}

// columnBound is β of Fig. 5: the least value of cell (i, j) at which column j is
// certain to be dominated, or more than the range of the game if there is none.
func (s *solver) columnBound(f *frame, i, j int, beta float64) float64 {
	b := &f.pruning
	m, n := 0, 0
	mixture := b.mixture[:0]
	artificial := beta < s.config.High
	for r := range f.m {
		if r == i || !b.rows[r] {
			continue
		}
		for c := range f.n {
			if c != j && b.columns[c] {
				mixture = append(mixture, f.o[r*f.n+c])
			}
		}
		if artificial {
			mixture = append(mixture, beta)
		}
		b.bound[m] = f.p[r*f.n+j]
		m++
	}
	for c := range f.n {
		if c != j && b.columns[c] {
			b.gain[n] = f.o[i*f.n+c]
			n++
		}
	}
	if artificial {
		b.gain[n] = beta
		n++
	}
	if !covered(mixture, m, n, b.bound[:m]) {
		return s.config.High + 1
	}
	started := s.startLP()
	v, feasible, err := s.lp.Minimize(mixture, m, n, b.gain[:n], b.bound[:m])
	s.endLP(started, err)
	if !feasible {
		return s.config.High + 1
	}
	return snap(v)
}

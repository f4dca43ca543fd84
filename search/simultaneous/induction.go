package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// induce solves a position by backward induction: all cells, then one matrix game. It is the baseline of the paper (Table 2): one LP call per
// position.
func (s *solver) induce(f *frame, depth int, _, _ float64) search.Interval {
	for i := range f.m {
		for j := range f.n {
			s.cell(f, depth, i, j, anyValue().Lower, anyValue().Upper)
		}
	}
	return s.solveMatrix(f)
}

// solveMatrix solves the matrix of a frame from its pessimistic and from its
// optimistic bounds; if all cells are known, these are the same.
func (s *solver) solveMatrix(f *frame) search.Interval {
	lower := s.nash(f.p, f.m, f.n, f.x, f.y, 0)
	for c, v := range f.p {
		if v != f.o[c] {
			return search.Interval{Lower: lower, Upper: max(lower, s.nash(f.o, f.m, f.n, nil, f.y, machine.MaxGoal))}
		}
	}
	return search.Exact(lower)
}

package simultaneous

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Double oracle with serialized alpha-beta: each player's strategy is answered by
// the other's best response until no response gains, and only what the strategies
// meet is searched.
//
// The published algorithm grows a restricted game from two actions, with the
// values of all its cells, and looks for best responses in the bounds of the
// others. Here all cells get serialized bounds at once, in pessimistic and
// optimistic matrices P and O. The equilibrium of O then holds the row player's
// best response to the best that is still possible for the column player, and the
// equilibrium of P the column player's. What they play is the restricted game;
// actions that bounds show to be dominated never enter it, and its cells are
// searched best-first (bestfirst.go), with windows, as far as they decide.
//
// Strategies of the extremes P and O are too optimistic where they can choose: in
// games of few different payoffs matrices of bounds have many equilibria. So the
// cell to search is chosen with a little of the other matrix mixed in (caution).
// Those strategies prove nothing: if they meet in no open cell, the optimistic
// strategies do.
//
// Invariant: P ≤ values ≤ O; every step narrows a cell. Cost: the serialized
// searches, and four matrix games for each cell searched.
//
// Reference: Bošanský, Lisý, Lanctot, Čermák and Winands, "Algorithms for
// computing strategies in two-player simultaneous move games" (2016), section
// 4.3.

const (
	// margin is what a best response must gain, in goal points, to count as
	// better: eight steps of the grid (frame.go), above the usual error of the
	// matrix engine and about its error at worst.
	margin = 1.0 / (1 << 27)
	// caution is the share of the opposite bounds in the matrix that chooses
	// the cell: nodes without table fall by a sixth from 0 to 0.2 and rise from
	// there (docs/lab/simultaneous.md).
	caution = 0.2
)

// oracle is the method DoubleOracle.
func (s *solver) oracle(f *frame, depth int, alpha, beta float64) search.Interval {
	b := &f.choice
	b.reset(f.m, f.n)
	f.cautious = scratch.Resize(f.cautious, f.m*f.n)
	s.findMerged(f)
	s.recall(f, depth)
	s.boundCells(f, depth)
	for {
		// Both bounds, though one may answer the window: the table keeps them.
		v := search.Exact(s.nash(f.p, f.m, f.n, f.x, b.y, s.config.Low))
		v.Upper = max(v.Lower, s.nash(f.o, f.m, f.n, b.x, f.y, s.config.High))
		if s.stopped || isClosed(v, alpha, beta) {
			return v
		}
		at := s.choose(f, max(v.Lower, alpha), min(v.Upper, beta))
		if at < 0 {
			return search.Exact(v.Lower) // only rounding keeps the bounds apart
		}
		s.narrow(f, depth, at)
	}
}

// choose is the cell to search next, or -1 if none can narrow the interval. The
// strategies that chose it are left in the frame.
func (s *solver) choose(f *frame, lower, upper float64) int {
	b := &f.choice
	s.solveCautiously(f, f.o, f.p, b.x, nil)
	s.solveCautiously(f, f.p, f.o, nil, b.y)
	f.measure(lower, upper)
	if at := f.widest(0); at >= 0 {
		return at
	}
	s.nash(f.o, f.m, f.n, b.x, nil, s.config.High)
	s.nash(f.p, f.m, f.n, nil, b.y, s.config.Low)
	f.measure(lower, upper)
	return f.widest(0)
}

// solveCautiously solves a matrix of bounds with a share (caution) of the opposite
// bounds mixed in.
func (s *solver) solveCautiously(f *frame, bounds, opposite, x, y []float64) {
	for at, v := range bounds {
		f.cautious[at] = v + caution*(opposite[at]-v)
	}
	s.nash(f.cautious, f.m, f.n, x, y, s.config.Low)
}

// boundCells tightens the bounds of all cells by serialized alpha-beta.
func (s *solver) boundCells(f *frame, depth int) {
	for i := range f.m {
		for j := range f.n {
			at := i*f.n + j
			if f.p[at] == f.o[at] {
				continue
			}
			v := s.children(f, i, j, s.config.Low-1, s.config.High+1, func(q machine.State, a, b float64) search.Interval {
				return s.serialize(depth+1, q, s.unknown(), a, b)
			})
			v = meet(v, search.Interval{Lower: f.p[at], Upper: f.o[at]})
			f.p[at], f.o[at] = v.Lower, v.Upper
		}
	}
}

// induceBounded is the method BoundedInduction.
func (s *solver) induceBounded(f *frame, depth int, alpha, beta float64) search.Interval {
	s.boundCells(f, depth)
	if v := s.solveMatrix(f); isClosed(v, alpha, beta) {
		return v
	}
	return s.induce(f, depth, alpha, beta)
}

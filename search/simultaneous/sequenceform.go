package simultaneous

import (
	"fmt"
	"math"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/matrix"
)

// Sequence form: the whole game tree as one linear program (Koller, Megiddo and
// von Stengel, "Fast algorithms for finding randomized strategies in game trees",
// 1994). A position of a stacked matrix game is known to both players, so it is
// one information set of each, and the program for one player is
//
//	max v(root)  subject to, at every position h,
//	Σ r(h, i) over own moves i = r of the own move that leads to h, or 1
//	v(h) ≤ Σ over i of v(h, i, j), for every move j of the opponent
//	r ≥ 0
//
// where r is the probability that the own moves on the way have, and v(h, i, j)
// is the v of the next position, or r(h, i) times the payoff times the
// probability of chance. It is solved once for each player.
//
// Memory: a variable for each move and position of the tree, which no table
// shortens. That is why nobody solves large games so: it is the yardstick of the
// paper (Table 3).

// sequenceBytes is the memory of a coefficient: here, and in GLPK.
const sequenceBytes = 24 + 48

// sequenceGap is the difference of the two optima, as a part of the goal range,
// that counts as rounding: GLPK satisfies constraints to 1e-7.
const sequenceGap = 1e-6

// sequenceForm is the program of one player under construction.
type sequenceForm struct {
	solver   *solver
	program  matrix.Linear
	own      machine.Role
	positive float64 // 1 for the row player, -1 for the column player
}

// solveSequenceForm implements the method SequenceForm. It starts at the root.
func (s *solver) solveSequenceForm(f *frame, depth int, _, _ float64) search.Interval {
	nodes := s.counters.Nodes
	lower, ok := s.solveSequences(f, depth, s.row, f.x)
	if !ok {
		return search.GoalRange
	}
	s.counters.Nodes = nodes // the second program has the same positions
	upper, ok := s.solveSequences(f, depth, s.column, f.y)
	if !ok {
		return search.Interval{Lower: lower, Upper: machine.MaxGoal}
	}
	if math.Abs(upper-lower) <= sequenceGap*machine.MaxGoal {
		return search.Exact(exact.Snap((lower + upper) / 2))
	}
	return search.Interval{Lower: min(lower, upper), Upper: max(lower, upper)}
}

// solveSequences solves the program of one player: the value, in goal points of
// the row player, and the strategy at the root.
func (s *solver) solveSequences(f *frame, depth int, own machine.Role, strategy []float64) (float64, bool) {
	b := &sequenceForm{solver: s, own: own, positive: 1}
	if own == s.column {
		b.positive = -1
	}
	root := b.position(f, depth, -1, 1)
	if s.stopped {
		return 0, false
	}
	b.program.Objective[root] = 1
	s.peak = max(s.peak, sequenceBytes*int64(len(b.program.Entries)))
	started := time.Now()
	v, x, err := b.program.Maximize()
	s.counters.LPCalls++
	s.counters.LPTime += time.Since(started)
	if err != nil {
		s.fail(err)
		return 0, false
	}
	copy(strategy, x[root+1:])
	return b.positive * v, true
}

// position adds the position in a frame: its value v, whose index it returns,
// and after it one r for each own move. The own move that led here has variable
// parent, or -1 at the root; chance has led here with the given probability.
func (b *sequenceForm) position(f *frame, depth, parent int, probability float64) int {
	s := b.solver
	own, other := f.m, f.n
	if b.own == s.column {
		own, other = f.n, f.m
	}
	v := b.program.Variable(matrix.Free, 0)
	plan := b.program.Row(matrix.Equal(0))
	if parent < 0 {
		b.program.Rows[plan] = matrix.Equal(1)
	} else {
		b.program.Add(plan, parent, -1)
	}
	for range own {
		b.program.Add(plan, b.program.Variable(matrix.NonNegative, 0), 1)
	}
	for j := range other {
		reply := b.program.Row(matrix.Bounds{Lower: math.Inf(-1), Upper: 0})
		b.program.Add(reply, v, 1)
		for i := range own {
			first := f.first(i, j)
			if b.own == s.column {
				first = f.first(j, i)
			}
			payoff := 0.0
			for t := range f.k {
				c := first + t*f.chanceStep
				payoff += b.child(f, depth, c, reply, v+1+i, probability/float64(f.k))
			}
			if payoff != 0 {
				b.program.Add(reply, v+1+i, -payoff)
			}
		}
	}
	return v
}

// child adds the continuation of the own move of the given variable. It enters the value of the next position into the row of the reply or, if the
// game ends, returns the payoff times the probability of chance.
func (b *sequenceForm) child(f *frame, depth, c, reply, move int, probability float64) float64 {
	s := b.solver
	if f.expansion.Terminal[c] {
		return b.positive * probability * s.payoff(f.expansion.ChildGoals(c))
	}
	if need := sequenceBytes * int64(len(b.program.Entries)); need > s.maxBytes {
		s.stop(fmt.Errorf("the linear program of the sequence form covers the whole game tree: %d positions need more than %d MiB; give more memory, or another method",
			s.counters.Nodes, s.maxBytes>>20))
	}
	if s.stops(depth + 1) {
		return 0
	}
	next, v, open := s.open(depth+1, f.expansion.Child(c))
	if !open {
		return b.positive * probability * v.Lower
	}
	s.counters.Nodes++
	b.program.Add(reply, b.position(next, depth+1, move, probability), -1)
	return 0
}

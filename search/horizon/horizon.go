// Package horizon finds equilibria of estimates at a horizon.
package horizon

import (
	"context"
	"errors"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Evaluator estimates the values of positions.
type Evaluator interface {
	Values(dst []float64, states []uint64)
}

// Searcher is a prototype.
type Searcher struct {
	Evaluator Evaluator
	Depth     int
	lp        matrix.Native
	x         *play.Expander
	frames    []frame
	many      []play.Expansion
	values    []float64
	cut       bool // a position at the horizon was not terminal
	nodes     int64
	limit     int64
	ctx       context.Context
}

type frame struct {
	e       play.Expansion
	states  []uint64
	kids    []int
	entries []float64
	x, y    []float64
}

var errLimit = errors.New("limit")

// Search implements search.Searcher.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if s.x == nil {
		s.x = play.NewExpander(m)
	}
	s.nodes, s.limit, s.ctx = 0, lim.MaxNodes, ctx
	var r search.Result
	for d := 1; s.Depth == 0 || d <= s.Depth; d++ {
		for len(s.frames) <= d {
			s.frames = append(s.frames, frame{})
		}
		before := s.nodes
		s.cut = false
		v, err := s.value(q, d)
		if err != nil {
			if d == 1 {
				return r, err
			}
			break
		}
		f := &s.frames[d]
		r = search.Result{Values: []search.Interval{search.Exact(v), search.Exact(100 - v)}, Strategies: make([][]search.Weighted, 2)}
		for role, p := range [][]float64{f.x, f.y} {
			for i, w := range p {
				if w > 0 {
					r.Strategies[role] = append(r.Strategies[role], search.Weighted{Move: f.e.Moves[role][i], Probability: w})
				}
			}
		}
		if !s.cut {
			break
		}
		if took := s.nodes - before; s.limit > 0 && d > 1 && s.nodes+2*took > s.limit {
			break
		}
		r.Values = []search.Interval{{Lower: v - 1e-3, Upper: v + 1e-3}, {Lower: 100 - v - 1e-3, Upper: 100 - v + 1e-3}}
	}
	r.Nodes = s.nodes
	return r, nil
}

// value returns the value of a position for the first player with a horizon of d joint moves.
func (s *Searcher) value(q machine.State, d int) (float64, error) {
	f := &s.frames[d]
	if err := s.x.Expand(&f.e, q); err != nil {
		return 0, err
	}
	n := f.e.Children
	f.entries = scratch.Resize(f.entries, n)
	if d == 1 {
		s.estimate(f.entries, &f.e)
		return s.nash(f, &f.e)
	}
	if s.limit > 0 && s.nodes > s.limit || s.ctx.Err() != nil {
		return 0, errLimit
	}
	f.kids = f.kids[:0]
	for c := range n {
		if f.e.Terminal[c] {
			f.entries[c] = float64(search.Points(f.e.ChildGoals(c)[0]))
		} else {
			f.kids = append(f.kids, c)
		}
	}
	if d > 2 {
		for _, c := range f.kids {
			v, err := s.value(f.e.Child(c), d-1)
			if err != nil {
				return 0, err
			}
			f.entries[c] = v
		}
		return s.nash(f, &f.e)
	}
	const chunk = 32
	for len(f.kids) > 0 {
		k := f.kids[:min(chunk, len(f.kids))]
		f.states = f.states[:0]
		for _, c := range k {
			f.states = append(f.states, f.e.Child(c)...)
		}
		s.many = scratch.Resize(s.many, len(k))
		s.x.ExpandMany(s.many, f.states)
		low := &s.frames[1]
		for i, c := range k {
			low.entries = scratch.Resize(low.entries, s.many[i].Children)
			if s.many[i].Err != nil {
				return 0, s.many[i].Err
			}
			s.estimate(low.entries, &s.many[i])
			v, err := s.nash(low, &s.many[i])
			if err != nil {
				return 0, err
			}
			f.entries[c] = v
		}
		f.kids = f.kids[len(k):]
		if s.limit > 0 && s.nodes > s.limit {
			return 0, errLimit
		}
	}
	return s.nash(f, &f.e)
}

func (s *Searcher) estimate(dst []float64, e *play.Expansion) {
	n := e.Children
	s.nodes += int64(n)
	s.values = scratch.Resize(s.values, 2*n)
	s.Evaluator.Values(s.values, e.States)
	for c := range n {
		if e.Terminal[c] {
			dst[c] = float64(search.Points(e.ChildGoals(c)[0]))
		} else {
			dst[c] = s.values[2*c]
			s.cut = true
		}
	}
}

func (s *Searcher) nash(f *frame, e *play.Expansion) (float64, error) {
	rows, columns := len(e.Moves[0]), len(e.Moves[1])
	f.x, f.y = scratch.Resize(f.x, rows), scratch.Resize(f.y, columns)
	return s.lp.Nash(f.entries, rows, columns, f.x, f.y)
}

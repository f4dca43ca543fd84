package simultaneous

import (
	"context"
	"errors"
	"math"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// search solves position q and puts the result together.
func (s *solver) search(ctx context.Context, q machine.State, lim search.Limits) (search.Result, error) {
	started := time.Now()
	s.begin(ctx, lim)
	v, f, strategies := s.together(ctx, q, lim)
	result := search.Result{Proved: true, Counters: s.counters, Unfinished: s.cause}
	if f != nil && s.err == nil && s.config.Method != SequenceForm {
		s.recallAll(f)
		result.Moves = s.known(f, f.p, f.o)
	}
	if s.err == nil && !s.stopped && !lim.NoLine && s.config.Method != SequenceForm {
		result.Line = s.line(q, strategies)
	}
	result.Strategies = strategies
	result.Values = s.payoffs.Values(len(s.machine.Names().Roles), s.outwards(v, s.rounded || s.config.Method == SequenceForm))
	result.Elapsed = time.Since(started)
	result.PeakBytes, result.Evictions = s.bytes(), s.evictions()
	return result, s.err
}

// begin resets the state of one search.
func (s *solver) begin(ctx context.Context, lim search.Limits) {
	s.counters, s.serializedNodes = search.Counters{}, 0
	s.ctx, s.limits, s.err, s.cause = ctx, lim, nil, nil
	s.stopped, s.peak = ctx.Err() != nil, 0
	s.expander.Limit(ctx, s.stackBytes, cellBytes+8*int64(len(s.machine.Initial())))
	s.lp.Within(ctx)
}

// root searches q with the full window and reads off the strategies.
func (s *solver) root(q machine.State) (search.Interval, *frame, [][]search.Weighted) {
	if terminal, goals := s.expander.Look(q); terminal {
		return search.Exact(s.payoff(goals)), nil, make([][]search.Weighted, len(goals))
	}
	f, v, open := s.open(0, q)
	if open {
		s.counters.Nodes++
		if v = s.method(s, f, 0, anyValue().Lower, anyValue().Upper); s.horizon != nil {
			v = s.improve(f, v)
		}
	}
	if s.err != nil {
		return v, nil, nil
	}
	return v, f, s.strategies(q, f)
}

// known returns, for each move of both players at the root, the bounds that the cells p and o prove,
// and the mean of the frame's cells against the strategy found for the other player. It returns nil
// if the frame holds a later position, or the sum of the goals is not known.
func (s *solver) known(f *frame, p, o []float64) [][]search.Known {
	sum, ok := s.payoffs.Sum.Known()
	if len(f.through) > 0 || !ok {
		return nil
	}
	moves := make([][]search.Known, len(f.expansion.Moves))
	for _, who := range bothSides {
		role, replies := s.role(who), f.strategy(1-who)
		for a, m := range f.expansion.Moves[role] {
			v, guess := search.Interval{Lower: math.Inf(1), Upper: math.Inf(-1)}, 0.0
			for b, probability := range replies {
				at := f.at(who, a, b)
				v.Lower, v.Upper = min(v.Lower, p[at]), max(v.Upper, o[at])
				guess += probability * (f.p[at] + f.o[at]) / 2
			}
			v = s.outwards(v, s.rounded)
			if who == columnSide {
				v, guess = s.payoffs.Opposite(v), sum-guess
			}
			moves[role] = append(moves[role], search.Known{Move: m, Bounds: v, Estimate: v.Clamp(guess)})
		}
	}
	return moves
}

// strategies translates the strategies of the root frame to moves. Where nobody
// has a choice at q the frame shows a later position, or none: then the single
// moves of q are the strategies.
func (s *solver) strategies(q machine.State, f *frame) [][]search.Weighted {
	legal, ok := s.legal(q, f)
	if !ok {
		return nil
	}
	strategies := make([][]search.Weighted, len(legal))
	for _, who := range bothSides {
		player := s.role(who)
		moves := legal[player]
		if len(moves) == 1 {
			strategies[player] = []search.Weighted{{Move: moves[0], Probability: 1}}
			continue
		}
		if strategies[player] = s.recorded(q, who); strategies[player] != nil || f == nil {
			continue
		}
		for i, p := range f.strategy(who) {
			if p > 0 {
				strategies[player] = append(strategies[player], search.Weighted{Move: moves[i], Probability: p})
			}
		}
	}
	return strategies
}

// legal lists the legal moves of each role at q. They are in the root frame, if
// there is one and if it was not reached by passing through q.
func (s *solver) legal(q machine.State, f *frame) (moves [][]machine.Move, ok bool) {
	if f != nil && len(f.through) == 0 {
		return f.expansion.Moves, true
	}
	err := s.expander.Expand(&s.shown, q)
	return s.shown.Moves, !errors.Is(err, play.ErrStuck)
}

// lineNodes is the number of nodes that a principal line may take, or as many as the
// search took, if these are more. A search that symmetry has answered at once took
// hardly any, and knows nothing of the positions on the line.
const lineNodes = 1000

// line follows the most probable moves from q, searching each position anew,
// until the end of the game, a choice of chance, a position that repeats, or lineNodes. It
// is empty if the game is over at q.
func (s *solver) line(q machine.State, strategies [][]search.Weighted) [][]machine.Move {
	kept, keptSerialized, limits := s.counters, s.serializedNodes, s.limits
	defer func() { s.counters, s.serializedNodes, s.limits = kept, keptSerialized, limits }()
	spent := kept.Nodes + keptSerialized
	s.limits.MaxNodes, s.limits.Progress = spent+max(spent, lineNodes), nil
	root := true
	line, _, _ := search.Walk(s.expander, q, func(e *play.Expansion, q machine.State) (int, bool) {
		if !root {
			_, _, strategies = s.settle(q)
		}
		if root = false; strategies == nil || s.stopped || s.chance >= 0 && len(e.Moves[s.chance]) > 1 {
			return 0, false
		}
		return search.Likeliest(e, strategies), true
	})
	return line
}

// evictions returns the number of positions that the tables lost for want of memory.
func (s *solver) evictions() int64 {
	total := int64(0)
	if s.memory != nil {
		total += s.memory.table.Stats().Evictions
	}
	if s.serialized != nil {
		total += s.serialized.Stats().Evictions
	}
	return total
}

// bytes returns the memory of the tables and the frames.
func (s *solver) bytes() int64 {
	total := s.peak
	if s.memory != nil {
		total += s.memory.table.Stats().Bytes
	}
	if s.serialized != nil {
		total += s.serialized.Stats().Bytes
	}
	if s.horizon != nil {
		total += s.horizon.searched.Stats().Bytes + s.horizon.guarantees.bytes
	}
	for _, f := range s.frames {
		total += f.bytes()
	}
	return total
}

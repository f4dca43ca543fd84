package exact

import (
	"context"
	"fmt"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Payoff maps the goals of a terminal position to the value that a search maximises: the goal of one role. It is safe for
// concurrent use.
//
// Theorem: where the goals of both players add up to one constant at every terminal position, the game is zero-sum, and
// an interval [a, b] of the first player's value is an interval [sum − b, sum − a] of the other player's. Of checks this
// at the positions that a search meets; package goals proves it for all others, or gives each player a game of its own.
type Payoff struct {
	First, Other machine.Role // Other is machine.NoRole without an opponent of constant sum
	Sum          Sum
}

// Of returns the first player's goal at a terminal position. It returns an error for a goal out of range, and
// search.ErrNotZeroSum for goals of another sum.
func (p *Payoff) Of(goals []int32) (float64, error) {
	v := float64(search.Points(goals[p.First]))
	if v > machine.MaxGoal {
		return 0, fmt.Errorf("expected goals from 0 to %d points, found a goal of %g points", machine.MaxGoal, v)
	}
	if p.Other < 0 {
		return v, nil
	}
	return v, p.Sum.Observe(int64(search.Points(goals[p.First])) + int64(search.Points(goals[p.Other])))
}

// Find observes the sum of the goals at the end of a random game. Without time it observes nothing.
func (p *Payoff) Find(ctx context.Context, m machine.Machine) error {
	if _, ok := p.Sum.Known(); ok || p.Other < 0 {
		return nil
	}
	goals := play.RandomGoals(ctx, m, m.Initial())
	if goals == nil {
		return nil
	}
	_, err := p.Of(goals)
	return err
}

// Values returns the interval of each role for an interval of the first player's value (Opposite). Chance has no payoff: its
// interval is 0.
func (p *Payoff) Values(roles int, v search.Interval) []search.Interval {
	values := make([]search.Interval, roles)
	values[p.First] = v
	if p.Other >= 0 {
		values[p.Other] = p.Opposite(v)
	}
	return values
}

// Opposite returns the interval of the other player's value for an interval of the first player's value. It is the range of goals
// while the sum is unknown. An end of the range of goals bounds nothing unless the value is solved: in a match without
// end the goals need not add up to the sum.
func (p *Payoff) Opposite(v search.Interval) search.Interval {
	sum, known := p.Sum.Known()
	opposite := v.Opposite(sum)
	switch {
	case !known:
		return search.GoalRange
	case v.Solved():
		return opposite
	}
	if v.Upper >= machine.MaxGoal {
		opposite.Lower = 0
	}
	if v.Lower <= 0 {
		opposite.Upper = machine.MaxGoal
	}
	return opposite
}

// Sum is the constant sum of the goals of two players, observed at terminal positions. The zero value has observed none.
type Sum struct{ code atomic.Int64 } // sum plus 1; 0 before the first observation

// Observe enters the sum at a terminal position. It returns search.ErrNotZeroSum, wrapped, if an earlier sum differs.
func (s *Sum) Observe(sum int64) error { return s.Merge(sum + 1) }

// Known returns the sum, and whether it has been observed.
func (s *Sum) Known() (float64, bool) {
	code := s.code.Load()
	return float64(code - 1), code > 0
}

// Code returns the sum as a number for files and other processes: 0 if it is not known.
func (s *Sum) Code() int64 { return s.code.Load() }

// Merge enters the code of another Sum, as Observe does.
func (s *Sum) Merge(code int64) error {
	if code == 0 || s.code.CompareAndSwap(0, code) || s.code.Load() == code {
		return nil
	}
	return fmt.Errorf("%w: the goals of one terminal position add up to %d, of another to %d", search.ErrNotZeroSum, code-1, s.code.Load()-1)
}

package cli

import (
	"context"
	"math"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// positionCosts are the costs of one position at a time on one thread, in nanoseconds, averaged over
// positions of random matches.
type positionCosts struct {
	Legal  float64 `json:"legal_ns"`  // load the position, list the legal moves of all roles
	Step   float64 `json:"step_ns"`   // the same, and the successor under one joint move
	Expand float64 `json:"expand_ns"` // the legal moves, and all successors
}

const (
	// maxSampled is the number of positions that costs are an average of.
	maxSampled = 100
	// sampleTime is the time for each of the three costs, and for finding positions.
	sampleTime = 100 * time.Millisecond
)

// oneByOne looks at one position at a time.
type oneByOne struct {
	batch machine.Batch
	legal [][]machine.Move
	next  machine.State
}

// moves lists the legal moves of all roles; it is false where the match ends.
func (o *oneByOne) moves(s machine.State) bool {
	o.batch.Load(s, 1)
	o.batch.Evaluate(1)
	for r := range o.legal {
		o.legal[r] = o.batch.AppendLegal(o.legal[r][:0], 0, machine.Role(r))
	}
	return (o.batch.Terminal()[0]|o.batch.Stuck()[0])&1 == 0
}

// step computes the successor under the moves picked by choose, which gets their number.
func (o *oneByOne) step(choose func(n int) int) {
	for r, legal := range o.legal {
		o.batch.Choose(0, machine.Role(r), legal[choose(len(legal))])
	}
	o.batch.Advance(1)
	o.batch.Store(o.next, 1)
}

// costsOfPositions measures the costs of single positions until ctx is done: zero without positions that
// are not terminal.
func costsOfPositions(ctx context.Context, m machine.Machine) positionCosts {
	o := &oneByOne{m.NewNarrowBatch(), make([][]machine.Move, len(m.Names().Roles)), make(machine.State, len(m.Initial()))}
	states := o.sample(ctx, m.Initial())
	x, e := play.NewExpander(m), new(play.Expansion)
	first := func(int) int { return 0 }
	return positionCosts{
		Legal:  perPosition(ctx, states, func(s machine.State) { o.moves(s) }),
		Step:   perPosition(ctx, states, func(s machine.State) { o.moves(s); o.step(first) }),
		Expand: perPosition(ctx, states, func(s machine.State) { _ = x.Expand(e, s) }),
	}
}

// sample returns positions of random matches.
func (o *oneByOne) sample(ctx context.Context, initial machine.State) []machine.State {
	var states []machine.State
	rng, until := machine.NewRand(benchSeed), time.Now().Add(sampleTime)
	s := slices.Clone(initial)
	for len(states) < maxSampled && ctx.Err() == nil && time.Now().Before(until) {
		if !o.moves(s) {
			if len(states) == 0 {
				break
			}
			s = slices.Clone(initial)
			continue
		}
		states = append(states, s)
		o.step(rng.Intn)
		s = slices.Clone(o.next)
	}
	return states
}

// perPosition returns the time of f for a position in nanoseconds: the average of the fastest round over
// all positions, so that other load on the machine counts little.
func perPosition(ctx context.Context, states []machine.State, f func(machine.State)) float64 {
	if len(states) == 0 {
		return 0
	}
	quickest := time.Duration(math.MaxInt64)
	for end := time.Now().Add(sampleTime); ; {
		start := time.Now()
		for _, s := range states {
			if f(s); ctx.Err() != nil {
				break
			}
		}
		quickest = min(quickest, time.Since(start))
		if ctx.Err() != nil || time.Now().After(end) {
			return float64(quickest.Nanoseconds()) / float64(len(states))
		}
	}
}

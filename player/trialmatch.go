package player

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// trialMatch is one match between two of the candidates of a comparison.
type trialMatch struct {
	*comparison
	fixture
	machine  machine.Machine
	batch    machine.Batch
	rng      *machine.Rand
	state    machine.State
	steps    int
	rivals   [2]search.Searcher
	searches int // so far
	openings *machine.Rand
	culprit  int // the candidate whose search has failed, or nobody
}

// trialState is the standing of a trial match.
type trialState int

const (
	underWay trialState = iota // ctx was done
	over
	endless // it has lasted for too long to wait for its end
	failed  // it cannot go on, because of culprit
)

// nobody is to blame.
const nobody = -1

// newTrialMatch begins a match from the position at.
func newTrialMatch(c *comparison, f fixture, at position) *trialMatch {
	b := &trialMatch{
		comparison: c, fixture: f, culprit: nobody, machine: at.machine, batch: at.machine.NewNarrowBatch(),
		rng: machine.NewRand(f.seed), openings: machine.NewRand(f.seed / 2), state: slices.Clone(at.state),
	}
	for i := range b.rivals {
		b.rivals[i] = c.searcher(f.pair[i])
	}
	return b
}

// play continues the match until it is over and returns the goal points of each rival,
// or until ctx is done.
func (t *trialMatch) play(ctx context.Context, memory int64) (points [2]float64, state trialState) {
	b, names := t.batch, t.machine.Names()
	for ; t.steps < comparisonSteps; t.steps++ {
		b.Load(t.state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, len(names.Roles))
			b.Goals(goals, 0)
			for r, rival := range seats(names, t.seed) {
				if rival >= 0 {
					points[rival] += float64(search.Points(goals[r]))
				}
			}
			return points, over
		}
		if state := t.step(ctx, memory); state != over {
			return points, state
		}
	}
	return points, endless
}

// step makes a joint move in the position that the batch holds; over means that it is
// made.
func (t *trialMatch) step(ctx context.Context, memory int64) trialState {
	b, names := t.batch, t.machine.Names()
	joint := make([]machine.Move, len(names.Roles))
	for r, rival := range seats(names, t.seed) {
		legal := b.AppendLegal(nil, 0, machine.Role(r))
		switch {
		case len(legal) == 0:
			return failed
		case t.steps < t.opening:
			joint[r] = legal[t.openings.Intn(len(legal))]
		case rival < 0 || len(legal) == 1:
			joint[r] = legal[t.rng.Intn(len(legal))]
		default:
			found, err := t.search(ctx, t.rivals[rival], t.machine, t.state, search.Limits{MaxBytes: memory, Seed: t.seed})
			if ctx.Err() != nil {
				return underWay
			}
			if err != nil || len(found.Strategies) <= r {
				t.culprit = t.pair[rival]
				return failed
			}
			t.searches++
			joint[r] = draw(t.rng, legal, found.Strategies[r])
		}
	}
	for r, m := range joint {
		b.Choose(0, machine.Role(r), m)
	}
	b.Advance(1)
	b.Store(t.state, 1)
	return over
}

// search finds the move of one rival.
func (t *trialMatch) search(ctx context.Context, s search.Searcher, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = t.nodes
	if t.clock > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.clock)
		defer cancel()
	}
	return s.Search(ctx, m, q, lim)
}

// seats says which rival plays each role; -1 is chance.
func seats(names *machine.Names, seed uint64) []int {
	out := make([]int, len(names.Roles))
	for r := range out {
		out[r] = -1
	}
	for i, r := range names.Players() {
		out[r] = (i + int(seed)) & 1
	}
	return out
}

package training

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// A contest decides by matches whether leaves of a search are valued by an evaluation alone, or by the evaluation beside
// playouts. The share of the evaluation (evaluate.Evaluation.Share) overrates evaluations that were trained for long, as it
// comes from games in which they chose the moves (docs/lab/evaluation.md).
const (
	// contestShare is the time of a contest, as a share of the time of learning.
	contestShare = 0.1
	// leastPairs is the number of pairs of matches before which a contest goes on, however clear its result is.
	leastPairs = 8
	// contestMove is the time of a move.
	contestMove = 100 * time.Millisecond
	// contestOpening is the number of random joint moves at the beginning of a match, the same in both matches of a pair.
	contestOpening = 4
	// longestMatch is the number of joint moves after which a match is a draw.
	longestMatch = 500
	// contestBytes bounds the memory of each search, beside its part of the memory of a training.
	contestBytes = 64 << 20
)

// pairs are matches between two rivals, two and two with the sides swapped: the search with the evaluation alone, and
// the search with the evaluation beside playouts.
type pairs struct {
	machine machine.Machine
	rivals  [2]montecarlo.Config
	move    time.Duration // for each move
	bytes   int64         // memory of each search

	next  atomic.Uint64 // number of the next pair
	mu    sync.Mutex
	score evaluate.Score
	sums  [2]float64 // of the points of pairs, and of their squares
}

// contest plays pairs of matches on all cores for a time, until a rival surely wins, or until ctx ends. It returns the score of
// the evaluation alone against the evaluation beside playouts. Its games are pairs of matches. The searches of all cores share the memory of bytes.
func contest(ctx context.Context, m machine.Machine, e *evaluate.Evaluation, clock time.Duration, bytes int64) (evaluate.Score, error) {
	ctx, cancel := context.WithTimeout(ctx, clock)
	defer cancel()
	c := pairs{
		machine: m, rivals: [2]montecarlo.Config{{Evaluator: e, Alone: true}, {Evaluator: e}}, move: contestMove,
		bytes: min(contestBytes, bytes/int64(2*runtime.GOMAXPROCS(0))),
	}
	return c.play(ctx)
}

// play plays pairs of matches on all cores until a rival surely wins, or until ctx ends.
func (c *pairs) play(ctx context.Context) (evaluate.Score, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for i := range failed {
		all.Go(func() {
			failed[i] = guard.Do(func() error { return c.run(ctx, cancel) })
		})
	}
	all.Wait()
	return c.score, errors.Join(failed...)
}

// run plays pairs of matches until ctx ends. It calls decided when a rival surely wins.
func (c *pairs) run(ctx context.Context, decided func()) error {
	for ctx.Err() == nil {
		seed, pair := c.next.Add(1), 0.
		for first := range c.rivals {
			points, err := c.match(ctx, seed, first)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			pair += points / 2
		}
		if s := c.add(pair); s.Games >= leastPairs && math.Abs(s.Centre()) > s.Error {
			decided()
		}
	}
	return nil
}

// add adds the points of a pair, and returns the score.
func (c *pairs) add(points float64) evaluate.Score {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums[0], c.sums[1] = c.sums[0]+points, c.sums[1]+points*points
	c.score = evaluate.ScoreOf(c.score.Games+1, c.sums[0], c.sums[1])
	return c.score
}

// match plays a match, in which the rival of the given number has the first player, and the rivals alternate by role. It returns the
// mean goal of the players of rival 0 minus the mean goal of the players of rival 1, from -100 to 100.
func (c *pairs) match(ctx context.Context, seed uint64, first int) (float64, error) {
	b, state, rng := c.machine.NewNarrowBatch(), slices.Clone(c.machine.Initial()), machine.NewRand(seed)
	sides := seats(c.machine.Names(), first)
	searches := [2]search.Searcher{montecarlo.New(c.rivals[0]), montecarlo.New(c.rivals[1])}
	for steps := range longestMatch {
		b.Load(state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, len(sides))
			b.Goals(goals, 0)
			return difference(sides, func(r int) float64 { return float64(search.Points(goals[r])) }), nil
		}
		if b.Stuck()[0]&1 != 0 {
			break
		}
		for r, side := range sides {
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			move := legal[rng.Intn(len(legal))]
			if steps >= contestOpening && side >= 0 && len(legal) > 1 {
				short, cancel := context.WithTimeout(ctx, c.move)
				found, err := searches[side].Search(short, c.machine, state, search.Limits{MaxBytes: c.bytes, Seed: seed + uint64(side)})
				cancel()
				if err != nil {
					return 0, err
				}
				if found.Solved() {
					return difference(sides, func(r int) float64 { return found.Values[r].Lower }), nil
				}
				if pure := found.Strategies[r]; len(pure) > 0 { // only this role chooses
					move = pure[0].Move
				}
			}
			b.Choose(0, machine.Role(r), move)
		}
		b.Advance(1)
		b.Store(state, 1)
	}
	return 0, nil
}

// seats returns the rival of each role, or -1 for chance, if the rivals alternate and one of them has the first player.
func seats(names *machine.Names, first int) []int {
	sides := slices.Repeat([]int{-1}, len(names.Roles))
	for i, r := range names.Players() {
		sides[r] = (i + first) & 1
	}
	return sides
}

// difference returns the mean goal of the roles of rival 0 minus the mean goal of the roles of rival 1.
func difference(sides []int, goal func(role int) float64) float64 {
	var sums, counts [2]float64
	for r, side := range sides {
		if side >= 0 {
			sums[side], counts[side] = sums[side]+goal(r), counts[side]+1
		}
	}
	return sums[0]/counts[0] - sums[1]/counts[1]
}

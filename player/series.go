package player

import (
	"context"
	"slices"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// comparison is between two ways to find moves.
type comparison struct {
	names    [2]string
	searcher func(rival int) search.Searcher // makes the search of one of them
	nodes    int64                           // for each move; 0 means no limit
	clock    time.Duration                   // for each move; 0 means no limit
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

// series is a comparison under way: matches, sides swapped, until it is decided who is
// better. It can be broken off and taken up again at any time.
type series struct {
	comparison
	at     position
	memory int64 // bytes that a tree takes

	mu      sync.Mutex
	bouts   []*bout // by thread
	begun   uint64
	void    bool // matches cannot be brought to an end
	matches int
	points  [2]float64  // goal points
	better  [2]evidence // that the one is, not the other
}

// evidence is that shares of points, from 0 to 1, are more than a half on average: what
// bets on that have made of 1 (Waudby-Smith and Ramdas, "Estimating means of bounded
// random variables by betting", 2024). Whatever the shares are, if their mean is a half
// or less, the mean of these never gets to 1/α but with probability α; so one may look
// after each match.
type evidence [len(bets)]float64

// bets are on how much to win: large ones for many wins, small ones for few more wins than
// losses. With these, six matches won one after the other convince.
var bets = [...]float64{0.25, 0.5, 1, 1.5, 1.9}

// convincing is 1/α: one in twenty of those that are no better gets there.
const convincing = 20

func (e *evidence) add(share float64) {
	for i, b := range bets {
		if e[i] == 0 {
			e[i] = 1
		}
		e[i] *= 1 + b*(share-0.5)
	}
}

func (e *evidence) convinces() bool {
	sum := 0.0
	for _, w := range e {
		sum += w
	}
	return sum >= convincing*float64(len(bets))
}

// take takes note of a match: the goal points of each.
func (s *series) take(points [2]float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.matches++
	share := 0.5
	if total := points[0] + points[1]; total > 0 {
		share = points[0] / total
	}
	s.points[0] += points[0]
	s.points[1] += points[1]
	s.better[0].add(share)
	s.better[1].add(1 - share)
}

// decided tells whether it is shown who is better.
func (s *series) decided() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.void || s.better[0].convinces() || s.better[1].convinces()
}

// hold goes on with the matches, one on each thread, until ctx is done or it is decided
// who is better.
func hold(ctx context.Context, s *series, threads int) {
	for len(s.bouts) < threads {
		s.bouts = append(s.bouts, nil)
	}
	var group sync.WaitGroup
	for i := range threads {
		group.Go(func() {
			for ctx.Err() == nil && !s.decided() {
				if s.bouts[i] == nil {
					s.bouts[i] = newBout(&s.comparison, s.at, s.next())
				}
				switch points, state := s.bouts[i].play(ctx, s.memory); state {
				case underWay:
					return
				case failed:
					s.end()
				default:
					s.bouts[i] = nil
					if state == over {
						s.take(points)
					}
				}
			}
		})
	}
	group.Wait()
}

// next is the seed of the next match.
func (s *series) next() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return s.begun - 1
}

// end takes note that matches cannot be brought to an end.
func (s *series) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.void = true
}

// bout is one match of a series.
type bout struct {
	*comparison
	machine  machine.Machine
	batch    machine.Batch
	seed     uint64
	rng      *machine.Rand
	state    machine.State
	steps    int
	searches [2]search.Searcher
	openings *machine.Rand
}

// standing of a bout.
type boutState int

const (
	underWay boutState = iota // ctx was done
	over
	endless // it has lasted for too long to wait for its end
	failed  // it cannot go on
)

// newBout begins a match from the position at. Odd seeds swap the sides.
func newBout(c *comparison, at position, seed uint64) *bout {
	b := &bout{
		comparison: c, machine: at.machine, batch: at.machine.NewNarrowBatch(), seed: seed,
		rng: machine.NewRand(seed), openings: machine.NewRand(seed / 2), state: slices.Clone(at.state),
	}
	for i := range b.searches {
		b.searches[i] = c.searcher(i)
	}
	return b
}

// play goes on with the match until it is over, and tells the goal points of each rival
// then, or until ctx is done.
func (t *bout) play(ctx context.Context, memory int64) (points [2]float64, state boutState) {
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
func (t *bout) step(ctx context.Context, memory int64) boutState {
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
			found, err := t.search(ctx, t.searches[rival], t.machine, t.state, search.Limits{MaxBytes: memory, Seed: t.seed})
			if ctx.Err() != nil {
				return underWay
			}
			if err != nil || len(found.Strategies) <= r {
				return failed
			}
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

// search finds the move of one of them.
func (c *comparison) search(ctx context.Context, s search.Searcher, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = c.nodes
	if c.clock > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.clock)
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

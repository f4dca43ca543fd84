package player

import (
	"context"
	"slices"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// trials find out which of several candidates plays best, in matches against each other. The first
// one meets each other one in turn, and whoever wins meets the next. A sequential test decides; the
// one that plays already wins ties. Trials can be broken off and taken up again at any time.
type trials struct {
	comparison
	candidates []candidate
	at         position
	memory     int64         // bytes that a tree takes
	clock      time.Duration // for a move

	mu         sync.Mutex
	best       int           // the candidate to play by
	challenger int           // the one that it meets; there is none if it is len(candidates)
	begun      int           // matches of these two
	over       int           // of those
	better     [2]evidence   // that the best is better than the challenger, and the other way round
	running    []*trialMatch // by thread
}

// mostTrials is after how many matches two candidates count as equal, trialOpening the number of
// random joint moves at the beginning of a match.
const (
	mostTrials   = 24
	trialOpening = 3
)

// evidence is that shares of points, from 0 to 1, are more than a half on average: what bets on that
// have made of 1 (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
// 2024). If their mean is a half or less, the mean of these ever gets to 1/α with a probability of
// at most α; so one may look after each match.
type evidence [len(bets)]float64

// bets are on how much to win: large ones for many wins, small ones for few more wins than losses.
var bets = [...]float64{0.25, 0.5, 1, 1.5, 1.9}

// convincing is 1/α. Three matches won one after the other convince: matches are few, and it does
// no harm to change between candidates that are equal.
const convincing = 3

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

// decided tells whether there is nothing more to find out.
func (t *trials) decided() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.challenger >= len(t.candidates)
}

// next is the match to be held now: the one that is under way, unless its candidates have been told apart
// meanwhile, or another one, or nil if all is decided. Every second one has the opening of the one before, with
// sides swapped.
func (t *trials) next(underWay *trialMatch) *trialMatch {
	t.mu.Lock()
	defer t.mu.Unlock()
	pair := [2]int{t.best, t.challenger}
	switch {
	case t.challenger >= len(t.candidates):
		return nil
	case underWay != nil && underWay.pair == pair:
		return underWay
	}
	opening := t.challenger<<16 + t.begun/2
	t.begun++
	return newTrialMatch(&t.comparison, fixture{pair, uint64(2*opening + (t.begun-1)&1), t.clock}, t.at)
}

// take takes note of a match, unless its candidates have been told apart meanwhile.
func (t *trials) take(m *trialMatch, points [2]float64, state trialState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.pair != [2]int{t.best, t.challenger} {
		return
	}
	t.over++
	if total := points[0] + points[1]; state == over && total > 0 {
		t.better[0].add(points[0] / total)
		t.better[1].add(points[1] / total)
	}
	fails := state == failed && m.culprit == t.best
	if wins := fails || t.better[1].convinces(); wins {
		t.best = t.challenger
	} else if state != failed && t.over < mostTrials && !t.better[0].convinces() {
		return
	}
	t.challenger++
	t.begun, t.over, t.better = 0, 0, [2]evidence{}
}

// hold goes on with the matches, one on each thread, until ctx is done or all is decided.
func (t *trials) hold(ctx context.Context, threads int) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	t.running = slices.Grow(t.running, threads)[:threads]
	var group sync.WaitGroup
	for i := range threads {
		group.Go(func() {
			for ctx.Err() == nil {
				if t.running[i] = t.next(t.running[i]); t.running[i] == nil {
					end()
					return
				}
				if points, state := t.running[i].play(ctx, t.memory); state != underWay {
					t.take(t.running[i], points, state)
					t.running[i] = nil
				}
			}
		})
	}
	group.Wait()
	if t.decided() {
		t.running = nil
	}
}

// comparison is between ways to find moves.
type comparison struct {
	searcher func(candidate int) search.Searcher // makes the search of one of them
	nodes    int64                               // for each move; 0 means no limit
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

// fixture is a match to be held.
type fixture struct {
	pair  [2]int        // who plays
	seed  uint64        // odd ones swap the sides
	clock time.Duration // for each move; 0 means no limit
}

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

const (
	// comparisonBytes bounds each tree, comparisonSteps a match, in case the game never ends.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

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

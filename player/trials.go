package player

import (
	"context"
	"slices"
	"sync"
	"time"

	"stackmate/internal/guard"
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

// left are the candidates that are not out: the best one, and those that it has not met.
func (t *trials) left() []candidate {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]candidate{t.candidates[t.best]}, t.candidates[t.challenger:]...)
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
	return newTrialMatch(&t.comparison, pair, uint64(2*opening+(t.begun-1)&1), t.at)
}

// take takes note of the share of the points that the first rival of a match got, unless the two have been
// told apart meanwhile.
func (t *trials) take(m *trialMatch, share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.pair != [2]int{t.best, t.challenger} {
		return
	}
	t.over++
	t.better[0].add(share)
	t.better[1].add(1 - share)
	if t.better[1].convinces() {
		t.best = t.challenger
	} else if t.over < mostTrials && !t.better[0].convinces() {
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
				if share, ok := t.running[i].play(ctx); ok {
					t.take(t.running[i], share)
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
	clock    time.Duration                       // for each move; 0 means no limit
	memory   int64                               // bytes that a tree takes
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

// trialMatch is one match between two of the candidates of a comparison.
type trialMatch struct {
	*comparison
	pair     [2]int // who plays
	seed     uint64 // odd ones swap the sides
	machine  machine.Machine
	batch    machine.Batch
	rng      *machine.Rand
	state    machine.State
	steps    int
	seats    []int // by role: the rival that plays it; -1 is chance
	rivals   [2]search.Searcher
	openings *machine.Rand
	values   []search.Interval // by role, once a search has solved the game; else nil
}

const (
	// comparisonBytes bounds each tree, comparisonSteps a match, in case the game never ends.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

// newTrialMatch begins a match from the position at.
func newTrialMatch(c *comparison, pair [2]int, seed uint64, at position) *trialMatch {
	t := &trialMatch{
		comparison: c, pair: pair, seed: seed, machine: at.machine, batch: at.machine.NewNarrowBatch(),
		rng: machine.NewRand(seed), openings: machine.NewRand(seed / 2), state: slices.Clone(at.state),
		seats: seats(at.machine.Names(), seed),
	}
	for i := range t.rivals {
		t.rivals[i] = c.searcher(pair[i])
	}
	return t
}

// play continues the match until it is over, or solved, and returns the share of the points that the first rival gets, or
// until ctx is done. Who finds no move gets nothing, and a match without end is a draw.
func (t *trialMatch) play(ctx context.Context) (share float64, ok bool) {
	b := t.batch
	for ; t.steps < comparisonSteps; t.steps++ {
		b.Load(t.state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, len(t.seats))
			b.Goals(goals, 0)
			return t.share(func(r int) float64 { return float64(search.Points(goals[r])) }), true
		}
		if b.Stuck()[0]&1 != 0 {
			break
		}
		for r, rival := range t.seats {
			move, found := t.move(ctx, machine.Role(r), rival)
			if ctx.Err() != nil {
				return 0, false
			}
			if !found {
				return float64(rival), true
			}
			if t.values != nil {
				return t.share(func(r int) float64 { return t.values[r].Lower }), true
			}
			b.Choose(0, machine.Role(r), move)
		}
		b.Advance(1)
		b.Store(t.state, 1)
	}
	return 0.5, true
}

// share is that of the first rival of the points that roles get.
func (t *trialMatch) share(of func(role int) float64) float64 {
	var points [2]float64
	for r, rival := range t.seats {
		if rival >= 0 {
			points[rival] += of(r)
		}
	}
	if points[0]+points[1] == 0 {
		return 0.5
	}
	return points[0] / (points[0] + points[1])
}

// move is that of a role, which a rival or chance plays.
func (t *trialMatch) move(ctx context.Context, r machine.Role, rival int) (m machine.Move, ok bool) {
	legal := t.batch.AppendLegal(nil, 0, r)
	switch {
	case t.steps < t.opening:
		return legal[t.openings.Intn(len(legal))], true
	case rival < 0 || len(legal) == 1:
		return legal[t.rng.Intn(len(legal))], true
	}
	if t.clock > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.clock)
		defer cancel()
	}
	var found search.Result
	err := guard.Do(func() (err error) {
		found, err = t.rivals[rival].Search(ctx, t.machine, t.state, search.Limits{MaxBytes: t.memory, Seed: t.seed})
		return err
	})
	if err != nil || len(found.Strategies) <= int(r) {
		return machine.NoMove, false
	}
	if found.Solved() {
		t.values = found.Values
	}
	return draw(t.rng, legal, found.Strategies[r]), true
}

// seats says which rival plays each role; -1 is chance.
func seats(names *machine.Names, seed uint64) []int {
	out := slices.Repeat([]int{-1}, len(names.Roles))
	for i, r := range names.Players() {
		out[r] = (i + int(seed)) & 1
	}
	return out
}

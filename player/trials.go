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

// trials find out which of several candidates plays best, in matches against each other. The best
// one so far meets each other one in turn. A sequential test decides; the one that plays already
// wins ties. Where all have met, the next round begins, with a longer clock: all meet in the last one, in those
// before it only candidates with playouts, unless trials are hasty. Trials can be broken off and taken up again at any time.
type trials struct {
	comparison
	candidates []candidate
	hasty      bool // all meet in all rounds
	at         position

	mu          sync.Mutex
	rounds      []time.Duration // the clocks of the rounds to come; that of this one is in the comparison
	best        int             // the candidate to play by
	challengers []int           // those that it still has to meet in this round, the present one first; none if all is decided
	begun       int             // matches of these two
	over        int             // of those
	better      [2]evidence     // that the best is better than the challenger, and the other way round
	held        int             // matches in all
	running     []*trialMatch   // by thread
}

// newTrials makes trials between candidates, the first of which plays already, in rounds with these clocks.
func newTrials(c comparison, list []candidate, hasty bool, at position, clocks ...time.Duration) *trials {
	t := &trials{comparison: c, candidates: list, hasty: hasty, at: at, rounds: clocks}
	t.round()
	return t
}

// round begins the next round in which there is somebody to meet.
func (t *trials) round() {
	for len(t.challengers) == 0 && len(t.rounds) > 0 {
		t.clock, t.rounds = t.rounds[0], t.rounds[1:]
		for i, c := range t.candidates {
			if i != t.best && (t.hasty || c.playsOut() || len(t.rounds) == 0) {
				t.challengers = append(t.challengers, i)
			}
		}
	}
}

// mostTrials is after how many matches two candidates count as equal, trialOpening the number of
// random joint moves at the beginning of a match.
const (
	mostTrials   = 12
	trialOpening = 3
)

// evidence is that shares of points, from 0 to 1, are more than a half on average: what bets on that
// have made of 1 (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
// 2024). If their mean is a half or less, the mean of these ever gets to 1/α with a probability of
// at most α; so one may look after each match.
type evidence [len(bets)]float64

// bets are on how much to win: large ones for many wins, small ones for few more wins than losses.
var bets = [...]float64{0.25, 0.5, 1, 1.5, 1.9}

// 1/α for the one that plays already and for a challenger: three matches won one after the other, and four. Matches
// are few, so that nobody can ask for much; but what seems equal in trials may not be so in play.
const (
	staying  = 3
	takeover = 6
)

func (e *evidence) add(share float64) {
	for i, b := range bets {
		if e[i] == 0 {
			e[i] = 1
		}
		e[i] *= 1 + b*(share-0.5)
	}
}

func (e *evidence) convinces(least float64) bool {
	sum := 0.0
	for _, w := range e {
		sum += w
	}
	return sum >= least*float64(len(bets))
}

// decided tells whether there is nothing more to find out.
func (t *trials) decided() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.challengers) == 0
}

// left are the candidates that are not out, the best one first: all, where another round is to come.
func (t *trials) left() []candidate {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []candidate{t.candidates[t.best]}
	for i, c := range t.candidates {
		if i != t.best && (len(t.rounds) > 0 || slices.Contains(t.challengers, i)) {
			list = append(list, c)
		}
	}
	return list
}

// next is the match to be held now: the one that is under way, unless its candidates have been told apart
// meanwhile, or another one, or nil if all is decided. Every second one has the opening of the one before, with
// sides swapped.
func (t *trials) next(underWay *trialMatch) *trialMatch {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.challengers) == 0:
		return nil
	case underWay != nil && t.tells(underWay):
		return underWay
	}
	challenger := t.challengers[0]
	opening := challenger<<16 + t.begun/2
	t.begun++
	return newTrialMatch(&t.comparison, [2]int{t.best, challenger}, uint64(2*opening+(t.begun-1)&1), t.at)
}

// tells tells whether a match is one of those that decide now.
func (t *trials) tells(m *trialMatch) bool {
	return len(t.challengers) > 0 && m.pair == [2]int{t.best, t.challengers[0]} && m.clock == t.clock
}

// take takes note of the share of the points that the first rival of a match got, unless the two have been
// told apart meanwhile.
func (t *trials) take(m *trialMatch, share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.tells(m) {
		return
	}
	t.held++
	t.over++
	t.better[0].add(share)
	t.better[1].add(1 - share)
	if t.better[1].convinces(takeover) {
		t.best = t.challengers[0]
	} else if t.over < mostTrials && !t.better[0].convinces(staying) {
		return
	}
	t.challengers = t.challengers[1:]
	t.begun, t.over, t.better = 0, 0, [2]evidence{}
	t.round()
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
	memory   int64                               // bytes that a search takes at most
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

// trialMatch is one match between two of the candidates of a comparison.
type trialMatch struct {
	*comparison
	clock    time.Duration // that of the comparison when it began
	pair     [2]int        // who plays
	seed     uint64        // odd ones swap the sides
	machine  machine.Machine
	batch    machine.Batch
	rng      *machine.Rand
	state    machine.State
	steps    int
	seats    []int // by role: the rival that plays it; -1 is chance
	rivals   [2]search.Searcher
	openings *machine.Rand
	hopes    [2]float64 // the share of the points that the first rival gets, as each of them expects
	settled  bool       // they agree, or one of them has proved it
}

const (
	// comparisonBytes bounds each search, comparisonSteps a match, in case the game never ends.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

// newTrialMatch begins a match from the position at.
func newTrialMatch(c *comparison, pair [2]int, seed uint64, at position) *trialMatch {
	t := &trialMatch{
		comparison: c, clock: c.clock, pair: pair, seed: seed, machine: at.machine, batch: at.machine.NewNarrowBatch(),
		rng: machine.NewRand(seed), openings: machine.NewRand(seed / 2), state: slices.Clone(at.state),
		seats: seats(at.machine.Names(), seed), hopes: [2]float64{0.5, 0.5},
	}
	for i := range t.rivals {
		t.rivals[i] = c.searcher(pair[i])
	}
	return t
}

// surely is the share that both rivals must expect, at least, for a match to end before its time: one that is
// won is not worth the time that it takes to win it.
const surely = 0.95

// play continues the match until it is over, or settled, and returns the share of the points that the first rival gets, or
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
			if t.settled {
				return t.hopes[rival], true
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
	t.hope(rival, &found)
	return draw(t.rng, legal, found.Strategies[r]), true
}

// hope takes note of what a rival expects.
func (t *trialMatch) hope(rival int, found *search.Result) {
	t.hopes[rival] = t.share(func(r int) float64 { return (found.Values[r].Lower + found.Values[r].Upper) / 2 })
	t.settled = found.Solved() || min(t.hopes[0], t.hopes[1]) >= surely || max(t.hopes[0], t.hopes[1]) <= 1-surely
}

// seats says which rival plays each role; -1 is chance.
func seats(names *machine.Names, seed uint64) []int {
	out := slices.Repeat([]int{-1}, len(names.Roles))
	for i, r := range names.Players() {
		out[r] = (i + int(seed)) & 1
	}
	return out
}

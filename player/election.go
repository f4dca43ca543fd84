package player

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/search"
)

// comparison is between ways to find moves.
type comparison struct {
	names    []string
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

// election finds out which of several candidates plays best, by sequential halving (Karnin,
// Koren and Somekh, "Almost optimal exploration in multi-armed bandits", 2013): in each round
// all who are left play each other equally often, for an equal part of the time, and the half
// that gets more of the points is left then. The last two play until it is shown who is better.
// It can be broken off and taken up again at any time; who is ahead wins it then.
//
// Nobody needs to be shown to be better to win: where candidates are about as good, it does not
// matter who wins, and where they are not, few matches tell. The first candidate, which is known to play
// well in most games, wins while there are not enough matches to say anything of all. The favourite is one
// of the last two; in the last round it is handicap matches ahead of all others, or of all but a peer, and
// wins if that makes it even, or if there are too few. It is the first candidate or a better one, and
// whoever is followed from then on: to go from one to the next costs what has been searched.
type election struct {
	comparison
	at     position
	memory int64         // bytes that a tree takes
	clock  time.Duration // for each move; 0 means as long as there is time for

	favourite int // of the candidates
	peer      int // the one of whom it is not ahead, or nobody

	mu      sync.Mutex
	trials  []*trialMatch // by thread
	left    []int         // candidates that are not out, those ahead in earlier rounds first
	pairs   [][]pairing
	slot    time.Duration // for a round
	ends    time.Time     // of the round, if there is enough to say by then
	matches int
	moves   float64     // searched for in all of them, and in one that lasts as long as a random one
	better  [2]evidence // of the last two: that the one is, not the other
}

// handicap of the others is in matches won.
const handicap = 2

// pairing is what one candidate has got against another one.
type pairing struct {
	begun, over int
	share       float64 // of the points, from 0 to 1 a match
}

// newElection prepares an election; moves is about how many searches a match takes.
func newElection(c comparison, at position, memory int64, moves float64) *election {
	e := &election{comparison: c, at: at, memory: memory, moves: max(1, moves), peer: nobody}
	for i := range c.names {
		e.left = append(e.left, i)
		e.pairs = append(e.pairs, make([]pairing, len(c.names)))
	}
	return e
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

// take takes note of a match: the goal points of each of two candidates, and how many moves were
// searched for.
func (e *election) take(pair [2]int, points [2]float64, moves int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.matches++
	e.moves += float64(moves)
	share := 0.5
	if total := points[0] + points[1]; total > 0 {
		share = points[0] / total
	}
	for i, own := range [2]float64{share, 1 - share} {
		p := &e.pairs[pair[i]][pair[1-i]]
		p.over++
		p.share += own
		if len(e.left) == 2 {
			if k := slices.Index(e.left, pair[i]); k >= 0 && slices.Contains(e.left, pair[1-i]) {
				e.better[k].add(own)
			}
		}
	}
}

// standing is the share of the points that a candidate has got against those that are left, and
// in how many matches.
func (e *election) standing(candidate int) (share float64, matches int) {
	for _, other := range e.left {
		p := e.pairs[candidate][other]
		share, matches = share+p.share, matches+p.over
	}
	ahead := 0
	if len(e.left) == 2 && slices.Contains(e.left, e.favourite) && !slices.Contains(e.left, e.peer) {
		if ahead = handicap; candidate == e.favourite {
			share += handicap
		}
	}
	return share / float64(max(1, matches+ahead)), matches
}

// saysEnough tells whether all who are left have played enough matches to be ranked.
func (e *election) saysEnough() bool {
	return !slices.ContainsFunc(e.left, func(c int) bool {
		_, matches := e.standing(c)
		return matches < leastMatches
	})
}

// ranked are those who are left, the best first, among equals who was ahead before; if there is
// not enough to say, as they were but, in the last round, the favourite first.
func (e *election) ranked() []int {
	order := slices.Clone(e.left)
	if !e.saysEnough() {
		if len(order) == 2 && order[1] == e.favourite {
			slices.Reverse(order)
		}
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		first, _ := e.standing(a)
		second, _ := e.standing(b)
		switch c := cmp.Compare(second, first); {
		case c != 0 || len(e.left) > 2:
			return c
		case a == e.favourite:
			return -1
		case b == e.favourite:
			return 1
		}
		return 0
	})
	return order
}

// half are those who stay for the next round: the better half, but that the favourite has a place in
// the last round in any case.
func (e *election) half() []int {
	order := e.ranked()
	stay := order[:(len(order)+1)/2]
	if slices.Contains(order, e.favourite) && !slices.Contains(stay, e.favourite) {
		stay[len(stay)-1] = e.favourite
	}
	return stay
}

// write adds how the election stands to a line of a log: the share of the points of each that
// is left, in percent.
func (e *election) write(line *zerolog.Event) {
	for _, c := range e.left {
		share, _ := e.standing(c)
		line.Float64(e.names[c], math.Round(100*share))
	}
}

// best is who is ahead.
func (e *election) best() int { return e.order()[0] }

// order are those who are left, who is ahead first.
func (e *election) order() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ranked()
}

// decided tells whether it is shown who is best.
func (e *election) decided() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.left) == 1 || e.better[0].convinces() || e.better[1].convinces()
}

// next is a match to be held: of those that are left, two who have played least, and each
// other least. It begins another round when it is time for that, of what is left of it.
func (e *election) next(left time.Duration, threads int) fixture {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.left) > 2 && time.Now().After(e.ends) && e.saysEnough() {
		e.left = e.half()
		e.begin(left)
	}
	played := make([]int, len(e.names))
	for _, a := range e.left {
		for _, b := range e.left {
			played[a] += e.pairs[a][b].begun
		}
	}
	least, pair := math.MaxInt, [2]int{}
	for _, a := range e.left {
		for _, b := range e.left {
			if a >= b {
				continue
			}
			if cost := (played[a]+played[b])*len(e.names) + e.pairs[a][b].begun; cost < least {
				least, pair = cost, [2]int{a, b}
			}
		}
	}
	a, b := pair[0], pair[1]
	begun := e.pairs[a][b].begun
	e.pairs[a][b].begun++
	e.pairs[b][a].begun++
	// Each two have openings of their own, and so do every two of their matches. Who has the first
	// seat in the first of them is even over the pairs, too.
	opening := (a*len(e.names)+b)<<16 + begun/2
	clock := e.clock
	if clock == 0 {
		// What a round takes if each plays trialMatches, as long as matches have been so far.
		moves := float64(len(e.left)) / 2 * trialMatches * e.moves / float64(e.matches+1)
		clock = min(max(trialClock, scaled(float64(threads)/moves, e.slot)), maxTrialClock)
	}
	return fixture{pair, uint64(2*opening + (a+b+begun)&1), clock}
}

// begin begins a round; so much time is left for all that there are to be until one is left.
func (e *election) begin(left time.Duration) {
	rounds := bits.Len(uint(len(e.left) - 1))
	e.slot = left / time.Duration(max(1, rounds))
	e.ends = time.Now().Add(e.slot)
}

// expel takes note that the search of a candidate has failed, or that nobody can play.
func (e *election) expel(candidate int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(e.left), func(c int) bool { return c == candidate })
	if candidate == nobody || len(rest) == 0 {
		rest = e.left[:1]
	}
	e.left, e.better = rest, [2]evidence{}
}

// hold goes on with the matches, one on each thread, until ctx is done or the election is
// decided.
func hold(ctx context.Context, e *election, threads int) {
	for len(e.trials) < threads {
		e.trials = append(e.trials, nil)
	}
	e.begin(timeLeft(ctx, time.Now()))
	var group sync.WaitGroup
	for i := range threads {
		group.Go(func() {
			for ctx.Err() == nil && !e.decided() {
				if e.trials[i] == nil {
					e.trials[i] = newTrialMatch(&e.comparison, e.next(timeLeft(ctx, time.Now()), threads), e.at)
				}
				b := e.trials[i]
				points, state := b.play(ctx, e.memory)
				if state == underWay {
					return
				}
				if e.trials[i] = nil; state == failed {
					e.expel(b.culprit)
				} else if state == over {
					e.take(b.pair, points, b.searches)
				}
			}
		})
	}
	group.Wait()
}

package player

import (
	"context"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// Which rule the sampling search should follow where players choose at once
// depends on the game (Tak, Lanctot and Winands, 2014): regret matching is far
// ahead in goofspiel and bidding, UCT in oshi-zumo and tron. Where they move in
// turns, decisive moves in playouts are worth what they cost in most games, but not
// in all (search/montecarlo/README.md). So part of the start clock goes into matches
// between the two ways of sampling.

const (
	// comparisonShare is the part of the start clock for this, comparisonTime
	// its limit: some dozens of matches of a game of medium length.
	comparisonShare = 0.3
	comparisonTime  = 4 * time.Second
	// comparisonNodes per move are enough to tell the rules apart as searches of
	// several times that number do; 200 are not.
	comparisonNodes = 1000
	// comparisonBytes bounds each tree.
	comparisonBytes = 32 << 20
	// comparisonMatches are the fewest that say anything. Without them the rule is
	// regret matching: it may be weaker, but nobody can exploit it for long.
	comparisonMatches = 4
	// comparisonClock is the time for each move where the ways differ in speed: some
	// dozens of rounds.
	comparisonClock = 5 * time.Millisecond
	// plainMatches are the fewest matches, and plainShare the share of the points in
	// them, by which playouts without decisive moves are taken for the better ones.
	plainMatches = 12
	plainShare   = 0.6
	// comparisonProof is the part of that time for the exact search.
	comparisonProof = 0.15
	// comparisonSteps bounds a match, in case the game never ends.
	comparisonSteps = 500
)

// comparison is between two ways of sampling.
type comparison struct {
	names  [2]string
	rivals [2]montecarlo.Config
	nodes  int64         // for each move; 0 means no limit
	clock  time.Duration // for each move; 0 means no limit
	// searcher makes the search of a rival; nil is montecarlo.New.
	searcher func(rival int) search.Searcher
	// opening is how many joint moves are random at first, the same in both of two
	// matches with sides swapped.
	opening int
}

var (
	compareRules = comparison{
		names:  [2]string{"uct", "regret_matching"},
		rivals: [2]montecarlo.Config{{Rule: montecarlo.UCT, Without: montecarlo.Decisive}, {Rule: montecarlo.RegretMatching, Without: montecarlo.Decisive}},
		nodes:  comparisonNodes,
	}
	compareDecisive = comparison{
		names:  [2]string{"decisive", "plain"},
		rivals: [2]montecarlo.Config{{}, {Without: montecarlo.Decisive}},
		clock:  comparisonClock,
	}
)

// solves gives the exact search a chance to solve the game at once.
func (t *thinker) solves(ctx context.Context, at position) bool {
	memory := t.memory.share()
	if t.exact == nil || memory == 0 {
		return false
	}
	share := min(comparisonTime, time.Duration(comparisonShare*float64(timeLeft(ctx, time.Now()))))
	short, stop := context.WithTimeout(ctx, time.Duration(comparisonProof*float64(share)))
	defer stop()
	r, err := t.exact.Search(short, at.machine, at.state, search.Limits{MaxBytes: memory, Seed: t.seed})
	if err != nil {
		t.exact = t.instead(err)
	}
	return err == nil && r.Solved()
}

// chooseSampling finds out the better way of sampling.
func (t *thinker) chooseSampling(ctx context.Context, at position) {
	now := time.Now()
	memory := t.memory.share()
	if memory == 0 {
		return
	}
	share := min(comparisonTime, time.Duration(comparisonShare*float64(timeLeft(ctx, now))))
	ctx, cancel := context.WithDeadline(ctx, now.Add(share))
	defer cancel()
	c := compareRules
	if t.isInTurns() {
		c = compareDecisive
	}
	for i := range c.rivals {
		c.rivals[i].Without |= t.sampledWithout()
	}
	points, matches := t.compare(ctx, at, c, t.threads, min(comparisonBytes, memory/int64(2*t.threads)))
	if t.isInTurns() {
		t.plain = matches >= plainMatches && points[1] > plainShare*(points[0]+points[1])
	} else if matches >= comparisonMatches {
		t.rule = montecarlo.RegretMatching
		if points[0] > points[1] { // not where they share what they get
			t.rule = montecarlo.UCT
		}
	}
	t.log.Info().Int("matches", matches).Float64(c.names[0], points[0]).Float64(c.names[1], points[1]).Msg("comparison")
	t.sampler = t.newSampler()
}

// compare holds matches between the two ways of a comparison, sides swapped, until
// ctx is done, and returns the goal points that each got, in this order. A tree
// takes memory bytes.
func compare(ctx context.Context, at position, c comparison, threads int, memory int64) (points [2]float64, matches int) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range threads {
		group.Go(func() {
			for seed := uint64(worker); ctx.Err() == nil; seed += uint64(threads) {
				goals, ok := playMatch(ctx, at, c, seed, memory)
				if !ok {
					return
				}
				mu.Lock()
				matches++
				points[0] += goals[0]
				points[1] += goals[1]
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return points, matches
}

// playMatch holds one match between two sampling searches from the position at and
// returns the goal points of each. Odd seeds swap the sides.
func playMatch(ctx context.Context, at position, c comparison, seed uint64, memory int64) (points [2]float64, ok bool) {
	b := at.machine.NewBatch()
	rng := machine.NewRand(seed)
	names := at.machine.Names()
	state := append(machine.State(nil), at.state...)
	searches := [2]search.Searcher{}
	for i, config := range c.rivals {
		if c.searcher != nil {
			searches[i] = c.searcher(i)
		} else {
			searches[i] = montecarlo.New(config)
		}
	}
	opening := machine.NewRand(seed / 2)
	for steps := range comparisonSteps {
		b.Load(state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, len(names.Roles))
			b.Goals(goals, 0)
			for r, rival := range seats(names, seed) {
				if rival >= 0 {
					points[rival] += float64(search.Points(goals[r]))
				}
			}
			return points, true
		}
		for r, rival := range seats(names, seed) {
			role := machine.Role(r)
			legal := b.AppendLegal(nil, 0, role)
			if len(legal) == 0 {
				return points, false
			}
			move := legal[rng.Intn(len(legal))]
			if steps < c.opening {
				move = legal[opening.Intn(len(legal))]
			} else if rival >= 0 && len(legal) > 1 {
				found, err := c.search(ctx, searches[rival], at.machine, state, search.Limits{MaxBytes: memory, Seed: seed})
				if err != nil || ctx.Err() != nil || len(found.Strategies) <= r {
					return points, false
				}
				move = draw(rng, legal, found.Strategies[r])
			}
			b.Choose(0, role, move)
		}
		b.Advance(1)
		b.Store(state, 1)
	}
	return points, false
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

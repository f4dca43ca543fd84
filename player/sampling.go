package player

import (
	"context"
	"time"

	"stackmate/search"
	"stackmate/search/montecarlo"
)

// Which rule the sampling search should follow where players choose at once
// depends on the game (Tak, Lanctot and Winands, 2014): regret matching is far
// ahead in goofspiel and bidding, UCT in oshi-zumo and tron. Decisive moves in playouts
// are worth what they cost in most games of turns, but not in all, and in few of those
// where players choose at once (search/montecarlo/README.md). So part of the start clock
// goes into matches between two ways of sampling.

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
	// comparisonProof is the part of that time for the exact search.
	comparisonProof = 0.15
	// comparisonSteps bounds a match, in case the game never ends.
	comparisonSteps = 500
)

// solves gives the exact search a chance to solve the game at once.
func (t *thinker) solves(ctx context.Context, at position) bool {
	memory := t.memory.share()
	if t.exact == nil || memory == 0 {
		return false
	}
	short, stop := context.WithTimeout(ctx, scaled(comparisonProof, comparisonSlot(ctx)))
	defer stop()
	r, err := t.exact.Search(short, at.machine, at.state, search.Limits{MaxBytes: memory, Seed: t.seed})
	if err != nil {
		t.exact = t.instead(err)
	}
	return err == nil && r.Solved()
}

// comparisonSlot is the time for a comparison.
func comparisonSlot(ctx context.Context) time.Duration {
	return min(comparisonTime, scaled(comparisonShare, timeLeft(ctx, time.Now())))
}

// choosesRule tells whether there are rules to choose from.
func (t *thinker) choosesRule() bool {
	return t.class.Players == 2 && t.class.Simultaneous && t.has(regretMatching)
}

// chooseSampling finds out the better way of sampling.
func (t *thinker) chooseSampling(ctx context.Context, at position) {
	if t.choosesRule() {
		c := t.between(mind{name: "uct", rule: montecarlo.UCT, plain: true}, mind{name: "regret_matching", rule: montecarlo.RegretMatching, plain: true})
		c.nodes = comparisonNodes
		if trial := t.compare(ctx, at, c); trial != nil && trial.matches >= comparisonMatches {
			t.mind.rule = montecarlo.RegretMatching
			if trial.points[0] > trial.points[1] { // not where they share what they get
				t.mind.rule = montecarlo.UCT
			}
		}
	}
	if t.hasDecisive {
		c := t.between(mind{name: "decisive", rule: t.mind.rule}, mind{name: "plain", rule: t.mind.rule, plain: true})
		c.clock = comparisonClock
		if trial := t.compare(ctx, at, c); trial != nil {
			t.mind.plain = trial.better[1].convinces() || t.mind.plain && !trial.better[0].convinces()
		}
	}
	t.sampler = t.newSampler()
}

// between is a comparison of two minds.
func (t *thinker) between(first, second mind) comparison {
	return comparison{
		names:    [2]string{first.name, second.name},
		searcher: func(rival int) search.Searcher { return t.searcher([2]mind{first, second}[rival], 1) },
	}
}

// compare lets two minds play against each other for a part of the time; nil if there is no
// memory left for that.
func (t *thinker) compare(ctx context.Context, at position, c comparison) *series {
	memory := t.memory.share()
	if memory == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, comparisonSlot(ctx))
	defer cancel()
	trial := t.series(at, c, memory)
	t.hold(ctx, trial, t.threads)
	t.logged(trial)
	return trial
}

// series prepares the matches of a comparison, for which so many bytes are there.
func (t *thinker) series(at position, c comparison, memory int64) *series {
	return &series{comparison: c, at: at, memory: min(comparisonBytes, memory/int64(2*t.threads))}
}

// logged writes how a comparison stands.
func (t *thinker) logged(s *series) {
	t.log.Info().Int("matches", s.matches).Float64(s.names[0], s.points[0]).Float64(s.names[1], s.points[1]).Msg("comparison")
}

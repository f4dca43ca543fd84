package player

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// Correlation and weight say how well estimates foretell the games from which they are learnt. Those of a search
// are others: where the end decides who is one move ahead, estimates that foretell the former well mislead it, and playouts alone
// win three matches of four (docs/lab/evaluation.md). So estimates meet playouts in matches before they are used.
const (
	// trialShare is the most of the start clock for matches; leastTrials of them must fit into it.
	trialShare  = 0.25
	leastTrials = 6
	// trialPart of the play clock is the most that a move of a match takes. There must be leastTrialMove for it, and time for leastTrialLeaves
	// with playouts: below that trials say little.
	trialPart        = 1.0 / 64
	leastTrialMove   = 4 * time.Millisecond
	leastTrialLeaves = 64
	// A lead of trialLead in matches won ends a trial, one of trialDoubt is enough at its end: for half of the games in which estimates
	// were to count beside playouts they were worse (docs/lab/evaluation.md).
	trialLead  = 4
	trialDoubt = 1
	// mostTrials of equals are enough.
	mostTrials = 40
	// trialOpening is how many joint moves are random at first.
	trialOpening = 2
)

// try tells whether approach a is no worse than playouts, as far as matches with sides swapped show in the time given
// before one of the two leads.
func (t *thinker) try(ctx context.Context, a approach, clock time.Duration) bool {
	move := min(scaled(trialPart, t.playClock()), scaled(1/(leastTrials*max(1, t.class.Length)), clock))
	room := 2 * (comparisonBytes + int64(t.threads)*t.machine.Info().Batch)
	if move < leastTrialMove || t.leaves(move) < leastTrialLeaves || t.memory.share() < room {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, clock)
	defer cancel()
	rivals := [2]montecarlo.Config{t.sampling(a, t.threads), t.sampling(approach{}, t.threads)}
	c := comparison{opening: trialOpening, memory: comparisonBytes, searcher: func(i int) search.Searcher {
		return timed{montecarlo.New(rivals[i]), move}
	}}
	lead, matches := 0., uint64(0)
	for ; lead > -trialLead && lead < trialLead && matches < mostTrials; matches++ {
		share, over := newDuelMatch(&c, 2*t.seed+matches, position{machine: t.machine, state: t.machine.Initial()}).play(ctx)
		if !over {
			break
		}
		lead += 2*share - 1
	}
	t.log.Info().Uint64("matches", matches).Float64("lead", lead).Dur("move", move).Msg("estimates against playouts")
	return lead > -trialDoubt
}

// timed is a search whose moves take so long each.
type timed struct {
	search.Searcher
	clock time.Duration
}

func (s timed) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.clock)
	defer cancel()
	return s.Searcher.Search(ctx, m, q, lim)
}

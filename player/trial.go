package player

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// The correlation and the weight measure an evaluation on games like its training games. A search reaches other
// positions: in parity games a well-correlated evaluation can mislead it, and playouts alone win three of
// four matches (docs/lab/evaluation.md). So an evaluation must hold its own against playouts in matches.
const (
	// trialShare bounds the matches to this share of the start clock; leastTrials matches must fit into it.
	trialShare  = 0.25
	leastTrials = 6
	// trialPart bounds the time of a move in a trial to this share of the play clock. Below leastTrialMove, or
	// leastTrialLeaves leaves with playouts, a match says little and no trial is played.
	trialPart        = 1.0 / 64
	leastTrialMove   = 4 * time.Millisecond
	leastTrialLeaves = 64
	// A lead of trialLead won matches ends a trial; at its end a deficit of trialDoubt rejects the evaluation. Blends
	// were worse than playouts in half of the games (docs/lab/evaluation.md).
	trialLead  = 4
	trialDoubt = 1
	// mostTrials bounds the matches between equals.
	mostTrials = 40
	// trialOpening is the number of random joint moves at the start.
	trialOpening = 2
)

// winsTrial reports whether approach a is not worse than playouts in matches with swapped sides. The matches stop at a
// clear lead or after the given time. Without time or memory for matches it returns true.
func (t *thinker) winsTrial(ctx context.Context, a approach, clock time.Duration) bool {
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
	t.log.Info().Uint64("matches", matches).Float64("lead", lead).Dur("move", move).Msg("matches of the evaluation against playouts")
	return lead > -trialDoubt
}

// timed is a search with a fixed time for each move.
type timed struct {
	search.Searcher
	clock time.Duration
}

func (s timed) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.clock)
	defer cancel()
	return s.Searcher.Search(ctx, m, q, lim)
}

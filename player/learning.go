package player

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// In many games what a position is worth can be learnt within seconds, and a search that
// estimates leaves by that is far ahead of one that plays them out; in others, where all
// depends on who is one move ahead, it is far behind (search/evaluate/README.md). So part of
// the start clock goes into learning, and then into matches at equal time between the
// ways to use what was learnt and doing without.

const (
	// learningShare is the part of what is left of the start clock that is spent on
	// learning, learningTime the most: by then more does not show in matches any more.
	learningShare = 0.45
	learningTime  = time.Minute
	// leastLearning is the start clock below which there is nothing to be learnt in time.
	leastLearning = 2 * time.Second
	// trialShare and trialTime bound the matches for each way to use it.
	trialShare = 0.45
	trialTime  = 10 * time.Second
	// trialClock is the time for each move in them.
	trialClock = 3 * time.Millisecond
	// trialMatches are the fewest matches, and trialPoints the share of the points in
	// them and in one more that is lost, by which an evaluation is taken for an
	// improvement: three matches won are enough.
	trialMatches = 3
	trialPoints  = 0.55
	// trialWon is the share of the points that no other way to use it will beat.
	trialWon = 0.8
	// mixedWeight is how many playouts an estimate counts for where there are both: as
	// many as a leaf gets.
	mixedWeight = 8
)

// learn finds out what positions are worth, and whether the sampling search is better for
// knowing it.
func (t *thinker) learn(ctx context.Context, at position) {
	left := timeLeft(ctx, time.Now())
	memory := t.memory.share()
	if left < leastLearning || memory == 0 {
		return
	}
	config := evaluate.Config{Seed: t.seed, ConstantSum: t.class.ConstantSum, Bytes: memory}
	m := t.playing(ctx, at.machine)
	learner := t.recall(m, config)
	if learner == nil {
		var err error
		if learner, err = evaluate.New(m, config); err != nil {
			t.log.Info().Err(err).Msg("learning")
			return
		}
		short, cancel := context.WithTimeout(ctx, min(learningTime, scaled(learningShare, left)))
		learner.Learn(short, 0)
		cancel()
	}
	p := learner.Progress()
	t.log.Info().Int64("games", p.Games).Float64("correlation", p.Correlation).Msg("learning")
	if p.Games > 0 {
		t.tryOut(ctx, at, learner.Evaluation(), memory)
	}
}

// knowledge is where what was learnt of a game is kept.
type knowledge struct{ file, rules string } // file is "" if there is none

// KnowledgeFile is the name of the file of what was learnt of the rules of a digest.
func KnowledgeFile(digest string) string { return digest + ".learnt" }

// knowledge is what the player knows of a game.
func (p *Player) knowledge(g *gdl.Game) knowledge {
	if p.options.Knowledge == "" {
		return knowledge{}
	}
	digest := g.Digest()
	return knowledge{filepath.Join(p.options.Knowledge, KnowledgeFile(digest)), digest}
}

// recall loads what was learnt of the game before; nil if there is nothing of use.
func (t *thinker) recall(m machine.Machine, c evaluate.Config) *evaluate.Learner {
	if t.knowledge.file == "" {
		return nil
	}
	l, err := evaluate.Load(t.knowledge.file, t.knowledge.rules, m, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		t.log.Warn().Err(err).Msg("knowledge")
	default:
		return l
	}
	return nil
}

// playing is the machine whose random moves are those of playouts.
func (t *thinker) playing(ctx context.Context, m machine.Machine) machine.Machine {
	if d, ok := m.(machine.Decider); ok && t.hasDecisive && !t.plain {
		return d.Decisive(ctx)
	}
	return m
}

// tryOut takes the best way to use an evaluation, if it is better than doing without.
func (t *thinker) tryOut(ctx context.Context, at position, e montecarlo.Evaluator, memory int64) {
	plain := t.sampling()
	alone, mixed := plain, plain
	alone.Evaluator = e
	mixed.Evaluator, mixed.Weight = e, mixedWeight
	best := trialPoints
	for _, c := range []comparison{
		{names: [2]string{"estimates", "playouts"}, rivals: [2]montecarlo.Config{alone, plain}},
		{names: [2]string{"both", "playouts"}, rivals: [2]montecarlo.Config{mixed, plain}},
	} {
		now := time.Now()
		short, cancel := context.WithDeadline(ctx, now.Add(min(trialTime, scaled(trialShare, timeLeft(ctx, now)))))
		c.clock, c.opening = trialClock, 2
		points, matches := t.compare(short, at, c, t.threads, min(comparisonBytes, memory/int64(2*t.threads)))
		cancel()
		t.log.Info().Int("matches", matches).Float64(c.names[0], points[0]).Float64(c.names[1], points[1]).Msg("comparison")
		total := points[0] + points[1]
		if share := points[0] / max(1, total+total/float64(max(1, matches))); matches >= trialMatches && share > best {
			best, t.evaluator, t.weight = share, e, c.rivals[0].Weight
		}
		if best > trialWon {
			break
		}
	}
	t.sampler = t.newSampler()
}

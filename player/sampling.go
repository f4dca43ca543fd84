package player

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// approach is what the sampling search goes by: playouts, if there is no evaluator, or what was learnt.
type approach struct {
	evaluator *evaluate.Evaluation
	weight    float64 // the playouts that an estimate counts for beside them; infinite in their place
	rave      bool    // playouts say something of all moves that they made
}

// alone is the approach by estimates without playouts.
func alone(e *evaluate.Evaluation) approach { return approach{evaluator: e, weight: math.Inf(1)} }

const (
	// Estimates stand in the place of playouts where they are worth aloneWeight of these and correlate by aloneCorrelation with the outcomes
	// of unseen games (docs/lab/evaluation.md).
	aloneWeight      = 16
	aloneCorrelation = 0.35
	// Those that correlate by mixedCorrelation count beside playouts: worth heavyWeight for montecarlo.DefaultPlayouts, all others for
	// what they are worth.
	heavyWeight      = 25
	mixedCorrelation = 0.2
	// Where a move has time for no more than fewLeaves with playouts, those worth heavyWeight play alone however they correlate, and those
	// worth fewLeavesWeight where all moves as first do not.
	fewLeaves       = 8000
	fewLeavesWeight = 10
	// leastAgreement is how much of what moves are worth all playouts must tell that made them at any time later
	// (montecarlo.Agreement), for these to be better than estimates that are worth few playouts (docs/lab/sampling.md).
	leastAgreement = 0.75
	// agreementShare is the most of the start clock in which that is found out, agreementTime the most.
	agreementShare = 0.25
	agreementTime  = 5 * time.Second
)

// approachBy is the approach that follows from what was learnt, e, which is nil if nothing was, and from how well all moves of playouts
// agree with first ones.
func (t *thinker) approachBy(e *evaluate.Evaluation, agreement func() float64) approach {
	correlation, weight := 0., 0.
	if e != nil {
		correlation, weight = e.Correlation(), e.Weight()
	}
	heavy, short := weight >= heavyWeight, t.leaves(t.playClock()) < fewLeaves
	switch {
	case weight >= aloneWeight && correlation >= aloneCorrelation, heavy && short:
		return alone(e)
	case heavy && correlation >= mixedCorrelation:
		return approach{evaluator: e, weight: montecarlo.DefaultPlayouts}
	case t.has(rave) && t.class.InTurns() && agreement() >= leastAgreement:
		return approach{rave: true}
	case short && weight >= fewLeavesWeight:
		return alone(e)
	case correlation >= mixedCorrelation:
		return approach{evaluator: e, weight: weight}
	}
	return approach{}
}

// agreement is that of all moves of playouts with first ones, as far as it can be found out in a start clock and the memory there is.
func (t *thinker) agreement(ctx context.Context, clock time.Duration) float64 {
	m := t.playouts(ctx, t.machine)
	if m.Info().Batch > t.memory.share() {
		return 0
	}
	short, cancel := context.WithTimeout(ctx, min(agreementTime, scaled(agreementShare, clock)))
	defer cancel()
	a := montecarlo.Agreement(short, m, t.seed)
	t.log.Info().Float64("agreement", a).Msg("all moves as first")
	return a
}

// leaves is for how many leaves with playouts there is time.
func (t *thinker) leaves(clock time.Duration) float64 {
	return clock.Seconds() * float64(t.threads) * t.class.StatesPerSecond / max(t.class.Length, 1) / montecarlo.DefaultPlayouts
}

// String names an approach for people.
func (a approach) String() string {
	switch {
	case a.rave:
		return "playouts, all moves as first"
	case a.evaluator == nil:
		return "playouts"
	case math.IsInf(a.weight, 1):
		return "what was learnt in the start clock"
	}
	return "playouts and by what was learnt in the start clock"
}

// ways names, for people, what the sampling search goes by.
func (t *thinker) ways() string {
	if t.parts == nil {
		return t.approach.String()
	}
	var list []string
	for _, part := range t.parts {
		list = append(list, part.approach.String())
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " or ") + ", in each subgame"
}

// adopt makes the sampling search take an approach, and stores it for later policies.
func (t *thinker) adopt(a approach) {
	t.approach = a
	t.sampler = t.newSampler()
	if e := t.experience; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.of, e.approach, e.parts = t.machine, a, t.parts
	}
}

// newSampler makes the sampling search. It has all threads where the exact search works for a part of
// the time only, else those that that one leaves over.
func (t *thinker) newSampler() search.Searcher {
	threads := t.threads
	if t.class.Players == 1 && len(t.exact) > 0 {
		threads = max(1, threads-1)
	}
	whole := montecarlo.New(t.sampling(t.approach, threads))
	if t.parts == nil {
		return whole
	}
	return factor.New(whole, func(m machine.Machine) search.Searcher {
		part := t.parts[m]
		return montecarlo.New(part.sampling(part.approach, threads))
	})
}

// sampling is how the thinker samples by an approach, on so many threads.
func (t *thinker) sampling(a approach, threads int) montecarlo.Config {
	config := montecarlo.Config{
		Rule: montecarlo.RegretMatching, AtOnce: !t.class.InTurns(), Rave: a.rave, Without: t.sampledWithout(), Workers: threads,
	}
	if t.textbook {
		config = montecarlo.Config{Playouts: 1, Exploration: textbookExploration, Without: montecarlo.Plain, Workers: threads}
	}
	if a.evaluator != nil {
		config.Evaluator, config.EstimateWeight = a.evaluator, a.weight
	}
	for _, p := range parameters {
		if v, ok := t.values[p.Name]; ok {
			p.set(&config, v)
		}
	}
	return config
}

// textbookExploration is the constant of textbook UCT, in goal points.
const textbookExploration = 70

// factoringShare is the part of the start clock in which subgames must be found, factoringTime the most.
const (
	factoringShare = 0.15
	factoringTime  = 3 * time.Second
)

// factor finds out whether the game is made of several that can be searched each on its own.
func (t *thinker) factor(ctx context.Context) {
	if !t.has(factoring) || t.class.Chance {
		return
	}
	short, cancel := context.WithTimeout(ctx, min(factoringTime, scaled(factoringShare, timeLeft(ctx, time.Now()))))
	defer cancel()
	for _, g := range factor.Subgames(short, t.machine, t.seed) {
		if t.parts == nil {
			t.parts = make(map[machine.Machine]*thinker)
		}
		part := newThinker(t.setting)
		part.knowledge = knowledge{} // the file is that of the whole
		part.machine, part.class, part.runLearner = g.Machine, solve.Classify(short, g.Machine, t.seed), t.runLearner
		part.findDecisive(short)
		t.parts[g.Machine] = part
	}
	if t.parts != nil {
		t.log.Info().Int("subgames", len(t.parts)).Msg("subgames")
	}
}

package player

import (
	"context"
	"math"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
	"stackmate/search/solve"
)

// candidate is a way to find moves where nothing is proved: playouts, if there is no evaluator, or
// what was learnt.
type candidate struct {
	name      string
	evaluator *evaluate.Evaluation // beside playouts
	alone     bool                 // in their place
	deepens   bool                 // minimax values of estimates, not means
	plain     bool                 // no decisive moves in playouts
	rave      bool                 // playouts say something of all moves that they made
	factors   bool                 // subgames are searched each on its own
}

// Where an estimate is worth aloneWeight playouts, what does without them may be better, and is, where a move has time for no more
// than fewLeaves with playouts; with more, what wins at a short clock may lose at a long one (docs/lab/evaluation.md).
const (
	aloneWeight = 20
	fewLeaves   = 4000
)

// Where estimates correlate less with the outcomes of games than trustedCorrelation, playouts without them play as long as no trials
// show estimates to be better (docs/lab/evaluation.md); but not where there is time for few playouts.
const trustedCorrelation = 0.2

// isShort tells whether a move has time for few leaves with playouts.
func (t *thinker) isShort() bool {
	playouts := t.playClock().Seconds() * float64(t.threads) * t.class.StatesPerSecond / max(t.class.Length, 1)
	return playouts < fewLeaves*montecarlo.DefaultPlayouts
}

// playouts is the name of the candidate without an evaluation.
const playouts = "playouts"

// playing is the candidate that plays before anything is learnt. Decisive moves in playouts pay in
// most games of turns, but in few of those where players choose at once (docs/lab/sampling.md).
func (t *thinker) playing() candidate { return candidate{name: playouts, plain: !t.isInTurns()} }

// unlearnt returns c without an evaluation.
func (c candidate) unlearnt() candidate {
	c.name, c.evaluator, c.alone, c.deepens = playouts, nil, false, false
	return c
}

// playsOut tells whether a candidate has playouts.
func (c candidate) playsOut() bool { return !c.alone && !c.deepens }

// candidates are the ways to find moves with what was learnt, if anything was. The first one, which
// plays well in most games, is the one to play by as long as no trials show another to be better.
func (t *thinker) candidates(e *evaluate.Evaluation) []candidate {
	learnt := t.learnt(e)
	if t.isInTurns() && t.class.Players == 2 && e != nil {
		at := 1
		if e.Correlation() < trustedCorrelation && learnt[0].playsOut() {
			at = 0
		}
		return slices.Insert(learnt, at, t.playing())
	}
	list := []candidate{t.playing()}
	switch {
	case t.isInTurns() && e == nil && t.has(rave) && montecarlo.Raves(t.machine):
		all := t.playing()
		all.name, all.rave = rave, true
		list = append(list, all)
	case !t.isInTurns() && t.hasDecisive:
		decisive := t.playing()
		decisive.name, decisive.plain = "decisive", false
		list = append(list, decisive)
	}
	if t.parts != nil {
		list = append([]candidate{{name: factoring, factors: true}}, list...)
	}
	return append(list, learnt...)
}

// learnt are the candidates with an evaluation, if there is one, the best one in most games first.
func (t *thinker) learnt(e *evaluate.Evaluation) []candidate {
	if e == nil {
		return nil
	}
	both, alone, deepens := t.playing(), t.playing(), t.playing()
	both.name, both.evaluator = "both", e
	list := []candidate{both}
	if t.isInTurns() && e.Weight() >= aloneWeight {
		alone.name, alone.evaluator, alone.alone = "estimates", e, true
		if list = append(list, alone); t.class.Players == 2 && t.isShort() {
			slices.Reverse(list)
		}
	}
	if t.class.Players == 2 && t.class.ConstantSum && (!t.isInTurns() || t.has(alphaBeta)) {
		deepens.name, deepens.evaluator, deepens.deepens = "alpha_beta", e, true
		if !t.isInTurns() {
			deepens.name = "smab"
		}
		list = append(list, deepens)
	}
	return list
}

// samples is why the sampling search decides where nothing is proved.
func (c candidate) samples() string {
	by := "playouts and by what was learnt in the start clock"
	switch {
	case c.evaluator == nil:
		by = "playouts"
	case c.alone:
		by = "what was learnt in the start clock"
	case c.deepens:
		by = "deepening and by what was learnt in the start clock"
	}
	return "nothing is proved that decides: the best by " + by
}

// searcher makes the search of a candidate, on so many threads.
func (t *thinker) searcher(c candidate, threads int) search.Searcher {
	switch {
	case t.textbook:
	case c.factors:
		c.factors = false
		return factor.New(t.searcher(c, threads), func(m machine.Machine) search.Searcher { return t.parts[m].searcher(c, threads) })
	case c.deepens:
		return t.deepening(c.evaluator, threads)
	}
	config := t.sampling(c)
	config.Workers = threads
	return montecarlo.New(config)
}

// sampling is how a candidate samples, on one thread.
func (t *thinker) sampling(c candidate) montecarlo.Config {
	config := montecarlo.Config{Rule: montecarlo.RegretMatching, AtOnce: !t.isInTurns(), Rave: c.rave, Without: t.sampledWithout()}
	if t.textbook {
		config = montecarlo.Config{Playouts: 1, Exploration: textbookExploration, Without: montecarlo.Plain}
	}
	if c.plain {
		config.Without |= montecarlo.Decisive
	}
	if c.evaluator != nil {
		if config.Evaluator, config.EstimateWeight = c.evaluator, c.evaluator.Weight(); c.alone {
			config.EstimateWeight = math.Inf(1)
		}
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

// deepening makes the search of a game of two with constant sum that deepens by plies and has
// estimates at its horizon: alpha-beta, or SMAB where both choose at once.
func (t *thinker) deepening(e *evaluate.Evaluation, threads int) search.Searcher {
	first := t.machine.Names().Players()[0]
	values := func(dst []float64, states []uint64) { e.ValuesOf(first, dst, states) }
	if t.isInTurns() {
		return sequential.New(sequential.Config{Threads: threads, Evaluate: values})
	}
	s, err := simultaneous.NewAnytime(simultaneous.Config{Method: simultaneous.SMAB, Row: first, Evaluate: func(q machine.State) float64 {
		var value [1]float64
		values(value[:], q)
		return value[0]
	}})
	if err != nil {
		panic(err) // of what is written here
	}
	return s
}

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
		t.parts[g.Machine] = &thinker{setting: t.setting, machine: g.Machine, class: solve.Classify(short, g.Machine, t.seed)}
	}
	if t.parts != nil {
		t.log.Info().Int("subgames", len(t.parts)).Msg("subgames")
	}
}

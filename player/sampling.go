package player

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/bestfirst"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
	"stackmate/search/table"
)

// approach is the leaf evaluation of the sampling search: playouts, a trained evaluation, or both.
type approach struct {
	evaluator *evaluate.Evaluation
	alone     bool // the evaluation replaces playouts
	rave      bool // playouts update RAVE values (all moves as first)
}

const (
	// usefulShare is the least share of an evaluation in the best blend with playouts (evaluate.Evaluation.Share) at
	// which it is used (docs/lab/evaluation.md).
	usefulShare = 0.04
	// beyondRave is the share from which on RAVE is not used (docs/lab/sampling.md).
	beyondRave = 0.2
	// rateBytes bounds the memory of the search that measures the number of leaves a second.
	rateBytes = 32 << 20
	// RAVE is used if RAVE values explain at least this share of the variance of first-move values
	// (montecarlo.Agreement, docs/lab/sampling.md).
	leastAgreement = 0.75
)

// approachBy returns the approach for a trained evaluation, which may be nil, given the leaves a second of an approach and
// the agreement of RAVE values with first-move values. If the errors of evaluation and playouts are independent, an
// evaluation alone has Share times the precision of the blend. The precision of all leaves of a second decides, unless
// matches of a training decide (playsAlone).
func (t *thinker) approachBy(e *evaluate.Evaluation, rate func(approach) float64, agreement func() float64) approach {
	share := 0.
	if e != nil {
		share = e.Share()
	}
	blend, alone := approach{evaluator: e}, approach{evaluator: e, alone: true}
	switch inTurns := t.class.InTurns(); {
	case share >= usefulShare && (!inTurns || playsAlone(e, func() bool { return share*rate(alone) >= rate(blend) })):
		return alone
	case inTurns && share < beyondRave && t.has(rave) && agreement() >= leastAgreement:
		return approach{rave: true}
	case share >= usefulShare:
		return blend
	}
	return approach{}
}

// playsAlone reports whether an evaluation replaces playouts in a game of turns: as the matches of a training tell, if the result
// exceeds its standard error, which is about half of Score.Error; else if the evaluation alone is more precise than the blend.
func playsAlone(e *evaluate.Evaluation, precise func() bool) bool {
	if s := e.Alone(); s.Games > 0 && math.Abs(s.Centre()) > s.Error/2 {
		return s.Points > 0
	}
	return precise()
}

// rate returns the number of leaves a second from the first position.
func (t *thinker) rate(ctx context.Context, a approach) float64 {
	ctx, cancel := rateTime.begin(ctx)
	defer cancel()
	limits := search.Limits{MaxBytes: min(rateBytes, t.memory.share())}
	r, err := montecarlo.New(t.sampling(a, t.threads)).Search(ctx, t.machine, t.machine.Initial(), limits)
	if err != nil {
		return 0
	}
	return float64(r.Nodes) / r.Elapsed.Seconds()
}

// playoutsIn returns the number of playouts that fit into a time.
func (t *thinker) playoutsIn(clock time.Duration) float64 {
	return clock.Seconds() * float64(t.threads) * t.class.StatesPerSecond / max(t.class.Length, 1)
}

// agreement returns montecarlo.Agreement, or 0 if memory is too short.
func (t *thinker) agreement(ctx context.Context) float64 {
	m := t.playouts(ctx, t.machine)
	if m.Info().Batch > t.memory.share() {
		return 0
	}
	short, cancel := half.begin(ctx)
	defer cancel()
	a := montecarlo.Agreement(short, m, t.seed)
	t.log.Info().Float64("agreement", a).Msg("agreement of RAVE values with first-move values")
	return a
}

// String returns the name of an approach for explanations.
func (a approach) String() string {
	switch {
	case a.rave:
		return "playouts, all moves as first"
	case a.evaluator == nil:
		return "playouts"
	case a.alone:
		return "the trained evaluation"
	}
	return "playouts and the trained evaluation"
}

// ways returns the names of the approaches for explanations.
func (t *thinker) ways() string {
	if t.parts == nil {
		return t.approach.String()
	}
	var list []string
	for _, part := range t.parts {
		list = append(list, part.approach.String())
	}
	slices.Sort(list)
	text := strings.Join(slices.Compact(list), " or ") + ", in each subgame"
	if apart, ok := t.sampler.(*factor.Searcher); ok {
		if solved, subgames := apart.Solved(); solved > 0 {
			text += fmt.Sprintf(", of which %d of %d are solved", solved, subgames)
		}
	}
	return text
}

// adopt switches the sampling search to an approach and stores it for later policies.
func (t *thinker) adopt(a approach) {
	if t.approach = a; a.evaluator == nil {
		t.dismiss()
	}
	t.sampler = t.newSampler()
	if e := t.experience; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.machine, e.approach, e.parts = t.machine, a, t.parts
	}
}

// samplingThreads returns the threads of the sampling search: all, or, for a single player, all but the thread of the
// exact search.
func (t *thinker) samplingThreads() int {
	if t.class.Players == 1 && len(t.exact) > 0 {
		return max(1, t.threads-1)
	}
	return t.threads
}

// newSampler returns a sampling search.
func (t *thinker) newSampler() search.Searcher {
	threads := t.samplingThreads()
	whole := t.leafSearch(threads)
	if t.parts == nil {
		return whole
	}
	return factor.New(whole, func(m machine.Machine) search.Searcher {
		part := t.parts[m]
		return part.leafSearch(threads)
	}, func(m machine.Machine) search.Searcher {
		part := t.parts[m]
		if len(part.methods) == 0 {
			return nil
		}
		return part.exactSearch(part.methods[0])
	})
}

// leafSearch returns the search that values leaves by the approach.
func (t *thinker) leafSearch(threads int) search.Searcher {
	if t.isBestFirst() {
		return bestfirst.New(t.approach.evaluator)
	}
	return montecarlo.New(t.sampling(t.approach, threads))
}

// isBestFirst reports whether an evaluation guides a best-first search: where both players choose at once.
func (t *thinker) isBestFirst() bool { return t.approach.evaluator != nil && !t.class.InTurns() }

// samplerTitle returns the name of the sampling search in the literature.
func (t *thinker) samplerTitle() string {
	if t.isBestFirst() {
		return "best-first search"
	}
	return solve.Title(solve.MonteCarlo)
}

// sampling returns the configuration of the sampling search for an approach.
func (t *thinker) sampling(a approach, threads int) montecarlo.Config {
	config := montecarlo.Config{
		Rule: montecarlo.RegretMatching, AtOnce: !t.class.InTurns(), Rave: a.rave, Without: t.sampledWithout(), Workers: threads,
	}
	if t.kind.plain {
		config = montecarlo.Config{Playouts: 1, Exploration: textbookExploration, Without: montecarlo.Plain, Workers: threads}
	}
	if a.evaluator != nil {
		config.Evaluator, config.Alone = a.evaluator, a.alone
		if t.pupil != nil {
			config.Evaluator = t.pupil
		}
	}
	for _, p := range parameters {
		if v, ok := t.values[p.Name]; ok {
			p.set(&config, v)
		}
	}
	return config
}

// textbookExploration is the exploration constant of plain UCT in goal points.
const textbookExploration = 70

// factor splits the game into independent subgames, each with its own thinker, if it finds such subgames.
func (t *thinker) factor(ctx context.Context) {
	if !t.has(factoring) || t.class.Chance {
		return
	}
	short, cancel := factTime.begin(ctx)
	defer cancel()
	for _, g := range factor.Subgames(short, t.machine, t.seed) {
		if t.parts == nil {
			t.parts = make(map[machine.Machine]*thinker)
		}
		part := newThinker(t.setting)
		part.knowledge, part.ponders = knowledge{}, false // the file belongs to the whole game, as pondering does
		part.machine, part.runLearner = g.Machine, t.runLearner
		observing, end := factTime.begin(ctx)
		class, ok := t.classify(observing, g.Machine)
		if end(); !ok {
			t.parts = nil
			return
		}
		part.class = class
		part.findDecisive(short)
		if t.has(exactSearch) {
			part.makeExact()
			table.PackingOf(g.Machine) // the first call for a game takes longer than a move may
			part.proveSum(short)
		}
		t.parts[g.Machine] = part
	}
	if t.parts != nil {
		t.log.Info().Int("subgames", len(t.parts)).Msg("subgames")
	}
}

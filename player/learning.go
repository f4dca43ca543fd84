package player

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
)

// Playouts that prefer moves which have won are better than plain ones in some games and
// worse in others (search/montecarlo/README.md). In many games what a position is worth can be learnt within seconds, and a search that
// estimates leaves by that is far ahead of one that plays them out; in others, where all
// depends on who is one move ahead, it is far behind (search/evaluate/README.md). So part of
// the start clock goes into learning, and then into matches at equal time between the
// ways to use what was learnt and doing without: those that show to be better, not by
// chance, are used.

const (
	// learningShare is the part of what is left of the start clock that is spent on
	// learning, learningTime the most: by then more does not show in matches any more.
	learningShare = 0.45
	learningTime  = time.Minute
	// leastLearning is the start clock below which there is nothing to be learnt in time.
	leastLearning = 2 * time.Second
	// trialShare is the part of what is then left that is spent on matches, trialTime the most.
	trialShare = 0.9
	trialTime  = 30 * time.Second
	// trialMatches is about how many matches are to be held for each way to use what was
	// learnt, each move taking as long as that allows within these bounds.
	trialMatches  = 12
	trialClock    = 3 * time.Millisecond
	maxTrialClock = 30 * time.Millisecond
	// trialOpening is the number of random joint moves at the beginning of a match.
	trialOpening = 3
	// studyTime is how much of the time of the others is spent on trials in a match.
	studyTime = 30 * time.Second
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
	if d, ok := at.machine.(machine.Threatener); ok && t.has(threats) {
		short, cancel := context.WithTimeout(ctx, min(decisiveTime, left/4))
		config.Threats = d.Threats(short)
		cancel()
	}
	m := t.playing(ctx, at.machine)
	learner := t.recall(m, config)
	if learner == nil {
		var err error
		if learner, err = evaluate.New(m, config); err != nil {
			t.log.Info().Err(err).Msg("learning")
			t.tryOut(ctx, at, nil, memory)
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
	if t.hasDecisive && !t.mind.plain {
		return machine.Decisive(ctx, m, !t.isInTurns())
	}
	return m
}

// mind is a way to find moves where nothing is proved: playouts, if there is no
// evaluator, or what was learnt.
type mind struct {
	name      string
	rule      montecarlo.Rule // where players choose at once
	plain     bool            // no decisive moves in playouts
	evaluator *evaluate.Evaluation
	weight    int  // of estimates beside playouts; 0 means that there are none
	deepens   bool // minimax values of estimates, not means
	averages  bool // playouts prefer moves that have won
	rave      bool // playouts say something of all moves that they made
}

// unlearnt is the mind that samples like d, without what was learnt.
func (d mind) unlearnt() mind {
	d.name, d.evaluator, d.weight, d.deepens = playouts, nil, 0, false
	return d
}

// playouts is the name of the mind of who has learnt nothing.
const playouts = "playouts"

// minds are the ways to do without an evaluation, or to use one if it is there. Of the latter
// the later ones must be clearly better than the first, which gains most from longer clocks
// than those of trials.
func (t *thinker) minds(e *evaluate.Evaluation) []mind {
	var list []mind
	add := func(d mind) {
		d.rule, d.plain = t.mind.rule, t.mind.plain
		list = append(list, d)
	}
	if t.has(averages) {
		add(mind{name: averages, averages: true})
	}
	if t.isInTurns() && t.has(rave) && montecarlo.Raves(t.machine) {
		add(mind{name: rave, rave: true})
	}
	if e == nil {
		return list
	}
	if t.class.Players == 2 && t.class.ConstantSum {
		switch {
		case t.isInTurns() && t.has(alphaBeta):
			add(mind{name: "alpha_beta", evaluator: e, deepens: true})
		case !t.isInTurns() && t.has(horizon):
			add(mind{name: "horizon", evaluator: e, deepens: true})
		}
	}
	add(mind{name: "both", evaluator: e, weight: mixedWeight})
	add(mind{name: "estimates", evaluator: e})
	return list
}

// searcher makes the search of a mind, on so many threads.
func (t *thinker) searcher(d mind, threads int) search.Searcher {
	if t.class.Players == 1 && !t.class.Chance && len(t.machine.Names().Roles) == 1 && t.has(nested) {
		return montecarlo.NewNested()
	}
	if d.deepens {
		return t.deepening(d.evaluator, threads)
	}
	c := t.sampling(d)
	c.Workers = threads
	return montecarlo.New(c)
}

// deepening makes the search of a game of two with constant sum that deepens by plies and has
// estimates at its horizon: alpha-beta, or equilibria where both choose at once.
func (t *thinker) deepening(e *evaluate.Evaluation, threads int) search.Searcher {
	first := t.machine.Names().Players()[0]
	values := func(dst []float64, states []uint64) { e.ValuesOf(first, dst, states) }
	if t.isInTurns() {
		return sequential.New(sequential.Config{Threads: threads, Evaluate: values})
	}
	s, err := simultaneous.NewAnytime(simultaneous.Config{Row: first, Evaluate: func(q machine.State) float64 {
		var value [1]float64
		values(value[:], q)
		return value[0]
	}})
	if err != nil {
		panic(err) // of what is written here
	}
	return s
}

// tryOut takes the best way to use an evaluation, if it is better than doing without.
// Who has shown to be better than the best one so far takes its place; where it is not
// shown who is better, the matches go on in the time of the others.
func (t *thinker) tryOut(ctx context.Context, at position, e *evaluate.Evaluation, memory int64) {
	minds := t.minds(e)
	left := min(trialTime, scaled(trialShare, timeLeft(ctx, time.Now())))
	for i, challenger := range minds {
		began := time.Now()
		slot := left / time.Duration(len(minds)-i)
		short, cancel := context.WithTimeout(ctx, slot)
		challenger.averages = challenger.averages || t.mind.averages
		s := t.series(at, t.between(challenger, t.mind), memory)
		s.opening = trialOpening
		s.clock = min(max(trialClock, scaled(1/(trialMatches*max(1, t.class.Length)), slot)), maxTrialClock)
		t.hold(short, s, t.threads)
		cancel()
		t.logged(s)
		t.studies.trials = append(t.studies.trials, trial{s, challenger})
		t.judge()
		left -= time.Since(began)
	}
	t.sampler = t.newSampler()
}

// trial is of a mind against the one that is the best so far.
type trial struct {
	*series
	challenger mind
}

// studies are the trials that are not decided, and the time that was spent on them between
// moves.
type studies struct {
	trials []trial
	spent  time.Duration
}

// judge takes note of the trials that are decided, and tells whether the mind is another
// one now. Against that one nothing has been tried.
func (t *thinker) judge() (changed bool) {
	u := &t.studies
	for _, s := range u.trials {
		if s.better[0].convinces() {
			t.mind, u.trials = s.challenger, nil
			return true
		}
	}
	u.trials = slices.DeleteFunc(u.trials, func(s trial) bool { return s.decided() })
	return false
}

// study goes on with the trials that are not decided, for some of the time between moves.
func (t *thinker) study(ctx context.Context) {
	u, began := &t.studies, time.Now()
	ctx, cancel := context.WithTimeout(ctx, max(0, studyTime-u.spent))
	defer cancel()
	for len(u.trials) > 0 && ctx.Err() == nil {
		s := u.trials[0]
		s.clock = maxTrialClock
		if t.hold(ctx, s.series, t.threads); t.judge() {
			t.sampler = t.newSampler()
		}
	}
	u.spent += time.Since(began)
}

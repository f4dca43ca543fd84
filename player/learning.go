package player

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
)

// In many games what a position is worth can be learnt within seconds, and a search that
// estimates leaves by that is far ahead of one that plays them out; in others, where all
// depends on who is one move ahead, it is far behind (docs/lab/evaluation.md). So part of
// the start clock goes into learning, and then into matches at equal time between the
// ways to use what was learnt and doing without.

const (
	// learningShare is the part of what is left of the start clock that is spent on
	// learning, learningTime the most: by then more does not show in matches any more.
	learningShare = 0.55
	learningTime  = time.Minute
	// leastCorrelation with the outcomes of unseen games is what it takes to be tried out: the less
	// candidates there are, the more is said of each.
	leastCorrelation = 0.03
	// leastLearning is the start clock below which there is nothing to be learnt in time.
	leastLearning = 2 * time.Second
	// trialShare is the part of what is then left that is spent on matches, trialTime the most
	// for an election.
	trialShare = 0.9
	trialTime  = 30 * time.Second
	// trialMatches is about how many matches each candidate has in a round of an election, each
	// move taking as long as that allows within these bounds; leastMatches the fewest that say
	// anything.
	trialMatches  = 8
	leastMatches  = 4
	trialClock    = 3 * time.Millisecond
	maxTrialClock = 30 * time.Millisecond
	// trialOpening is the number of random joint moves at the beginning of a match.
	trialOpening = 3
	// maxPonderedLearning is how much of the opponents' time is spent on learning, at most, and only where
	// a search has at least ponderedLearningShare bytes: a learner takes up to 120 MB, and half as much for signals.
	// maxTuningTime is how much is spent on trial matches after that, finalClock the time for their moves in a final.
	maxPonderedLearning   = 20 * time.Second
	ponderedLearningShare = 512 << 20
	maxTuningTime         = time.Minute
	finalClock            = 100 * time.Millisecond
	// mixedWeight is how many playouts an estimate counts for where there are both: as
	// many as a leaf gets.
	mixedWeight = 8
)

// learn finds out what positions are worth, and whether the sampling search is better for
// knowing it. It returns false where nothing was learnt to be tried out.
func (t *thinker) learn(ctx context.Context, at position) bool {
	left := timeLeft(ctx, time.Now())
	memory := t.memory.share()
	if left < leastLearning || memory == 0 {
		return false
	}
	config := evaluate.Config{Seed: t.seed, ConstantSum: t.class.ConstantSum, Bytes: memory}
	if t.has(signals) {
		short, cancel := context.WithTimeout(ctx, min(decisiveTime, left/4))
		config.Signals = at.machine.Signals(short)
		cancel()
	}
	m := t.playing(ctx, at.machine)
	learner := t.recall(m, config)
	recalled := learner != nil
	if !recalled {
		var err error
		if learner, err = evaluate.New(m, config); err != nil {
			t.log.Info().Err(err).Msg("learning")
			return false
		}
	}
	began := time.Now()
	useful := t.train(ctx, learner, min(learningTime, scaled(learningShare, left)), recalled)
	t.tuning.course = course{taken: time.Since(began)}
	p := learner.Progress()
	t.log.Info().Dur("taken", t.tuning.taken).Int64("games", p.Games).Float64("correlation", p.Correlation).Msg("learning")
	if !useful {
		return false
	}
	t.keep(learner)
	t.elect(ctx, at, t.configurations(learner.Evaluation()), trialShare)
	if memory >= ponderedLearningShare {
		t.tuning.learner = learner
	}
	return true
}

// train trains for the time d and reports whether the weights are useful. It stops at half of the time where estimates do
// not correlate with outcomes: comparing ways of sampling is a better use of the other half.
func (t *thinker) train(ctx context.Context, l *evaluate.Learner, d time.Duration, recalled bool) (useful bool) {
	for _, least := range []float64{0, leastCorrelation} {
		half, cancel := context.WithTimeout(ctx, d/2)
		t.runLearner(l, half, 0)
		cancel()
		if p := l.Progress(); p.Games == 0 || !recalled && p.Correlation <= least {
			return false
		}
	}
	return true
}

// knowledge is where what was learnt of a game is kept.
type knowledge struct{ file, rules string } // file is "" if there is none

// damagedSuffix is what is added to the name of a file that is set aside.
const damagedSuffix = ".damaged"

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

// keep saves what was learnt for the next match, unless more is known there by now, or what is there cannot be read.
// Of two players who do so in the same moment the later one wins.
func (t *thinker) keep(l *evaluate.Learner) {
	k := t.knowledge
	if k.file == "" {
		return
	}
	known, err := evaluate.Learnt(k.file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && known.Games < l.Progress().Games {
		err = l.Save(k.file, k.rules)
	}
	if err != nil {
		t.log.Warn().Err(err).Msg("knowledge")
	}
}

// recall loads what was learnt of the game before; nil if there is nothing of use. What is of use to nobody is set
// aside, so that what is learnt now can be kept; what others may be able to use stays, and nothing is kept.
func (t *thinker) recall(m machine.Machine, c evaluate.Config) *evaluate.Learner {
	if t.knowledge.file == "" {
		return nil
	}
	l, err := evaluate.Load(t.knowledge.file, t.knowledge.rules, m, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, evaluate.ErrDamaged):
		aside := t.knowledge.file + damagedSuffix
		t.log.Warn().Err(err).Str("aside", aside).Msg("knowledge is set aside")
		if err := os.Rename(t.knowledge.file, aside); err != nil && !errors.Is(err, fs.ErrNotExist) { // another player was faster
			t.log.Warn().Err(err).Msg("knowledge")
		}
	case err != nil:
		t.log.Warn().Err(err).Msg("knowledge is not used, and nothing is kept")
		t.knowledge = knowledge{}
	default:
		return l
	}
	return nil
}

// playing is the machine whose random moves are those of playouts.
func (t *thinker) playing(ctx context.Context, m machine.Machine) machine.Machine {
	if t.hasDecisive && !t.configuration.plain {
		return machine.Decisive(ctx, m, !t.isInTurns())
	}
	return m
}

// configuration is a way to find moves where nothing is proved: playouts, if there is no
// evaluator, or what was learnt.
type configuration struct {
	name      string
	rule      montecarlo.Rule // where players choose at once
	plain     bool            // no decisive moves in playouts
	evaluator *evaluate.Evaluation
	weight    int  // of estimates beside playouts; 0 means that there are none
	deepens   bool // minimax values of estimates, not means
	rave      bool // playouts say something of all moves that they made
	factors   bool // subgames are searched each on its own, in this way
}

// unlearnt returns d without an evaluation.
func (d configuration) unlearnt() configuration {
	d.name, d.evaluator, d.weight, d.deepens = playouts, nil, 0, false
	return d
}

// with returns d with the evaluation e, if d uses one.
func (d configuration) with(e *evaluate.Evaluation) configuration {
	if d.evaluator != nil {
		d.evaluator = e
	}
	return d
}

// samples is why the sampling search decides where nothing is proved.
func (d configuration) samples() string {
	by := "playouts and by what was learnt in the start clock"
	switch {
	case d.evaluator == nil:
		by = "playouts"
	case d.deepens:
		by = "deepening and by what was learnt in the start clock"
	case d.weight == 0:
		by = "what was learnt in the start clock"
	}
	return "nothing is proved that decides: the best by " + by
}

// playouts is the name of the configuration without an evaluation.
const playouts = "playouts"

// configurations are the present one, without an evaluation, and the ways to use one.
func (t *thinker) configurations(e *evaluate.Evaluation) []configuration {
	both := t.configuration
	both.evaluator = e
	deepens, estimates := both, both
	list := []configuration{t.configuration}
	if t.class.Players == 2 && t.class.ConstantSum {
		deepens.deepens = true
		switch {
		case t.isInTurns() && t.has(alphaBeta):
			deepens.name = "alpha_beta"
			list = append(list, deepens)
		case !t.isInTurns() && t.has(horizon):
			deepens.name = "horizon"
			list = append(list, deepens)
		}
	}
	both.name, both.weight, estimates.name = "both", mixedWeight, "estimates"
	return append(list, both, estimates)
}

// favourite returns the configuration that always reaches the final and wins ties, and its peer, or nobody. In games
// of two players in turns the favourite is the one with playouts, estimates and priors, which gains with clocks longer
// than those of trials (docs/lab/sampling.md), and its peer the one that deepens, which does not lose by them. In other
// games it is the first.
func (t *thinker) favourite(configurations []configuration) (ahead, peer int) {
	both := slices.IndexFunc(configurations, func(d configuration) bool { return d.weight > 0 })
	if both < 0 || t.class.Players > 2 || !t.isInTurns() || t.sampledWithout()&montecarlo.Priors != 0 {
		return 0, nobody
	}
	return both, slices.IndexFunc(configurations, func(d configuration) bool { return d.deepens })
}

// searcher makes the search of a configuration, on so many threads.
func (t *thinker) searcher(d configuration, threads int) search.Searcher {
	if d.factors {
		d.factors = false
		return factor.New(t.searcher(d, threads), func(m machine.Machine) search.Searcher { return t.parts[m].searcher(d, threads) })
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

// experience is how a policy has come to think in the course of a match. One that takes
// its place, after a panic or because it hangs, goes on from there. It is safe for
// concurrent use.
type experience struct {
	mu            sync.Mutex
	of            machine.Machine
	configuration configuration
	parts         map[machine.Machine]*thinker
}

// adopt makes the sampling search use a configuration, and stores it for later policies.
func (t *thinker) adopt(d configuration) {
	t.configuration = d
	t.sampler = t.newSampler()
	if e := t.experience; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.of, e.configuration, e.parts = t.machine, d, t.parts
	}
}

// inherit takes over the configuration of the policy before, if that had the same machine.
func (t *thinker) inherit() {
	e := t.experience
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == t.machine {
		t.begun, t.configuration, t.parts = t.machine, e.configuration, e.parts
	}
}

// elect adopts the best of several configurations, as far as trial matches show in a part of the time.
func (t *thinker) elect(ctx context.Context, at position, configurations []configuration, part float64) {
	memory := t.memory.share()
	if memory == 0 || len(configurations) < 2 {
		return
	}
	limit := min(trialTime, scaled(part, timeLeft(ctx, time.Now())))
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e := t.election(configurations, at, min(comparisonBytes, memory/int64(2*t.threads)))
	e.favourite, e.peer = t.favourite(configurations)
	t.hold(ctx, e, t.threads)
	t.follow(e, configurations)
}

// election prepares trial matches between configurations.
func (t *thinker) election(configurations []configuration, at position, memory int64) *election {
	c := comparison{searcher: func(i int) search.Searcher { return t.searcher(configurations[i], 1) }, opening: trialOpening}
	for _, d := range configurations {
		c.names = append(c.names, d.name)
	}
	moves := t.class.Length
	if !t.isInTurns() {
		moves *= float64(t.class.Players)
	}
	return newElection(c, at, memory, moves)
}

// follow adopts the configuration that is ahead in an election. While pondering, the election goes on if it is undecided;
// otherwise the best two play a final with longer clocks: a search that wins all matches at a few milliseconds a move may
// lose all at a quarter of a second, and the other way round (docs/lab/evaluation.md).
func (t *thinker) follow(e *election, configurations []configuration) {
	order := e.order()
	best := order[0]
	e.favourite, e.peer = best, nobody
	if t.configuration != configurations[best] {
		t.adopt(configurations[best])
	}
	t.log.Info().Str("best", t.configuration.name).Int("matches", e.matches).Dur("clock", e.clock).Func(e.write).Msg("comparison")
	t.tuning.election, t.tuning.configurations = e, configurations
	if len(order) > 1 && e.clock == 0 && e.saysEnough() {
		pair := []configuration{configurations[best], configurations[order[1]]}
		t.tuning.election, t.tuning.configurations = t.election(pair, e.at, e.memory), pair
		t.tuning.clock = finalClock
	}
}

// tuning is what the player learns and compares between moves.
type tuning struct {
	course
	*election
	configurations []configuration
	spent          time.Duration // on matches
}

// course is learning that goes on: each time that it has taken twice as long as before, what was learnt is
// taken over.
type course struct {
	learner *evaluate.Learner // nil if there is nothing more to learn
	taken   time.Duration     // until what was taken over last
	more    time.Duration     // since then
}

// tune continues learning and then the last election while pondering, until the election is decided. The leader is
// adopted as soon as there are enough matches.
func (t *thinker) tune(ctx context.Context) {
	t.learnOn(ctx)
	u, began := &t.tuning, time.Now()
	if u.election == nil || u.decided() || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(0, t.tuningTime()-u.spent))
	defer cancel()
	t.hold(ctx, u.election, t.threads)
	u.spent += time.Since(began)
	if ready := u.clock == 0 && u.saysEnough(); ready || (u.clock > 0 || u.decided()) && u.configurations[u.best()] != t.configuration {
		t.follow(u.election, u.configurations)
	}
}

// tuningTime is how much of the opponents' time trial matches may take: that of the first half of a match, so that the
// second half gains by them.
func (t *thinker) tuningTime() time.Duration {
	if t.clock == 0 {
		return maxTuningTime
	}
	others := t.class.Length * (1 - 1/float64(max(1, t.class.Players)))
	return min(maxTuningTime, scaled(others/2, t.clock))
}

// learnOn continues learning, and updates the evaluation of all configurations.
func (t *thinker) learnOn(ctx context.Context) {
	u := &t.tuning
	for u.learner != nil && ctx.Err() == nil {
		began := time.Now()
		period, cancel := context.WithTimeout(ctx, u.taken-u.more)
		t.runLearner(u.learner, period, 0)
		cancel()
		if u.more += time.Since(began); u.more < u.taken {
			return
		}
		t.keep(u.learner)
		e := u.learner.Evaluation()
		for i := range u.configurations {
			u.configurations[i] = u.configurations[i].with(e)
		}
		if t.configuration.evaluator != nil {
			t.adopt(t.configuration.with(e))
		}
		u.taken, u.more = u.taken+u.more, 0
		known := u.learner.Progress()
		t.log.Info().Dur("taken", u.taken).Int64("games", known.Games).Float64("correlation", known.Correlation).Msg("learning")
		if u.taken > maxPonderedLearning {
			u.learner = nil
		}
	}
}

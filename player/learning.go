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
// depends on who is one move ahead, it is far behind (search/evaluate/README.md). So part of
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
	// lessonTime is how much of the time of the others is spent on learning, at most, where the share of
	// a search is so large that what a learner takes (120 MB at most, and half as much for signals) does not matter beside it;
	// maxStudyTime how much on matches after that, studyClock what moves of a final have then.
	lessonTime   = 20 * time.Second
	lessonShare  = 512 << 20
	maxStudyTime = time.Minute
	studyClock   = 100 * time.Millisecond
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
	useful := t.school(ctx, learner, min(learningTime, scaled(learningShare, left)), recalled)
	t.studies.course = course{taken: time.Since(began)}
	p := learner.Progress()
	t.log.Info().Dur("taken", t.studies.taken).Int64("games", p.Games).Float64("correlation", p.Correlation).Msg("learning")
	if !useful {
		return false
	}
	t.keep(learner)
	t.elect(ctx, at, t.minds(learner.Evaluation()), trialShare)
	if memory >= lessonShare {
		t.studies.learner = learner
	}
	return true
}

// school teaches for a time, and tells whether what was learnt is of use. Where it has nothing to do with outcomes by
// half of the time, there is more to be had from trying out ways of sampling in the other half.
func (t *thinker) school(ctx context.Context, l *evaluate.Learner, d time.Duration, recalled bool) (useful bool) {
	for _, least := range []float64{0, leastCorrelation} {
		half, cancel := context.WithTimeout(ctx, d/2)
		t.teach(l, half, 0)
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
	rave      bool // playouts say something of all moves that they made
	factors   bool // subgames are searched each on its own, in this way
}

// unlearnt is the mind that samples like d, without what was learnt.
func (d mind) unlearnt() mind {
	d.name, d.evaluator, d.weight, d.deepens = playouts, nil, 0, false
	return d
}

// with is the mind d that goes by evaluation e, if d goes by any.
func (d mind) with(e *evaluate.Evaluation) mind {
	if d.evaluator != nil {
		d.evaluator = e
	}
	return d
}

// samples is why the sampling search decides where nothing is proved.
func (d mind) samples() string {
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

// playouts is the name of the mind of who has learnt nothing.
const playouts = "playouts"

// minds are the present one, which does without an evaluation, and the ways to use one.
func (t *thinker) minds(e *evaluate.Evaluation) []mind {
	both := t.mind
	both.evaluator = e
	deepens, estimates := both, both
	list := []mind{t.mind}
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

// favourite is which of several minds is to be ahead in the last round of an election, and who is its peer: the first
// and nobody, or in games of two in turns the one of playouts, estimates and priors together, which gains with longer
// clocks than those of trials (search/montecarlo/README.md), and the one that deepens, which does not lose by them.
func (t *thinker) favourite(minds []mind) (ahead, peer int) {
	both := slices.IndexFunc(minds, func(d mind) bool { return d.weight > 0 })
	if both < 0 || t.class.Players > 2 || !t.isInTurns() || t.sampledWithout()&montecarlo.Priors != 0 {
		return 0, nobody
	}
	return both, slices.IndexFunc(minds, func(d mind) bool { return d.deepens })
}

// searcher makes the search of a mind, on so many threads.
func (t *thinker) searcher(d mind, threads int) search.Searcher {
	if t.class.Players == 1 && !t.class.Chance && len(t.machine.Names().Roles) == 1 && t.has(nested) {
		return montecarlo.NewNested()
	}
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
	mu    sync.Mutex
	of    machine.Machine
	mind  mind
	parts map[machine.Machine]*thinker
}

// adopt makes a mind that by which the sampling search goes, and leaves it to policies to come.
func (t *thinker) adopt(d mind) {
	t.mind = d
	t.sampler = t.newSampler()
	if e := t.experience; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.of, e.mind, e.parts = t.machine, d, t.parts
	}
}

// inherit takes over the mind of the policy before, if that was of the same machine.
func (t *thinker) inherit() {
	e := t.experience
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == t.machine {
		t.begun, t.mind, t.parts = t.machine, e.mind, e.parts
	}
}

// elect makes the mind the best one of several, as far as matches show in a part of the time.
func (t *thinker) elect(ctx context.Context, at position, minds []mind, part float64) {
	memory := t.memory.share()
	if memory == 0 || len(minds) < 2 {
		return
	}
	limit := min(trialTime, scaled(part, timeLeft(ctx, time.Now())))
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e := t.election(minds, at, min(comparisonBytes, memory/int64(2*t.threads)))
	e.favourite, e.peer = t.favourite(minds)
	t.hold(ctx, e, t.threads)
	t.follow(e, minds)
}

// election prepares one between minds.
func (t *thinker) election(minds []mind, at position, memory int64) *election {
	c := comparison{searcher: func(i int) search.Searcher { return t.searcher(minds[i], 1) }, opening: trialOpening}
	for _, d := range minds {
		c.names = append(c.names, d.name)
	}
	moves := t.class.Length
	if !t.isInTurns() {
		moves *= float64(t.class.Players)
	}
	return newElection(c, at, memory, moves)
}

// follow takes the mind that is ahead in an election. What is to be studied then is that election, if it does not say
// enough yet, else a final between this mind and the next one, with long clocks: a search that wins all matches of a
// few milliseconds a move may lose all of those with a quarter of a second, and the other way round
// (search/evaluate/README.md).
func (t *thinker) follow(e *election, minds []mind) {
	order := e.order()
	best := order[0]
	e.favourite, e.peer = best, nobody
	if t.mind != minds[best] {
		t.adopt(minds[best])
	}
	t.log.Info().Str("best", t.mind.name).Int("matches", e.matches).Dur("clock", e.clock).Func(e.write).Msg("comparison")
	t.studies.election, t.studies.minds = e, minds
	if len(order) > 1 && e.clock == 0 && e.saysEnough() {
		pair := []mind{minds[best], minds[order[1]]}
		t.studies.election, t.studies.minds = t.election(pair, e.at, e.memory), pair
		t.studies.clock = studyClock
	}
}

// studies are what is learnt and tried out between moves.
type studies struct {
	course
	*election
	minds []mind
	spent time.Duration // on matches
}

// course is learning that goes on: each time that it has taken twice as long as before, what was learnt is
// taken over.
type course struct {
	learner *evaluate.Learner // nil if there is nothing more to learn
	taken   time.Duration     // until what was taken over last
	more    time.Duration     // since then
}

// study goes on with learning and then with the last election, for some of the time between moves, until it is
// decided; who is ahead is followed as soon as there is enough to say.
func (t *thinker) study(ctx context.Context) {
	t.learnOn(ctx)
	u, began := &t.studies, time.Now()
	if u.election == nil || u.decided() || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(0, t.studyTime()-u.spent))
	defer cancel()
	t.hold(ctx, u.election, t.threads)
	u.spent += time.Since(began)
	if ready := u.clock == 0 && u.saysEnough(); ready || (u.clock > 0 || u.decided()) && u.minds[u.best()] != t.mind {
		t.follow(u.election, u.minds)
	}
}

// studyTime is how much of the time of the others there is for matches: until half of a match is over, so that the
// other half gains by them.
func (t *thinker) studyTime() time.Duration {
	if t.clock == 0 {
		return maxStudyTime
	}
	others := t.class.Length * (1 - 1/float64(max(1, t.class.Players)))
	return min(maxStudyTime, scaled(others/2, t.clock))
}

// learnOn goes on learning, and lets all minds that go by what was learnt go by what is learnt now.
func (t *thinker) learnOn(ctx context.Context) {
	u := &t.studies
	for u.learner != nil && ctx.Err() == nil {
		began := time.Now()
		lesson, cancel := context.WithTimeout(ctx, u.taken-u.more)
		t.teach(u.learner, lesson, 0)
		cancel()
		if u.more += time.Since(began); u.more < u.taken {
			return
		}
		t.keep(u.learner)
		e := u.learner.Evaluation()
		for i := range u.minds {
			u.minds[i] = u.minds[i].with(e)
		}
		if t.mind.evaluator != nil {
			t.adopt(t.mind.with(e))
		}
		u.taken, u.more = u.taken+u.more, 0
		known := u.learner.Progress()
		t.log.Info().Dur("taken", u.taken).Int64("games", known.Games).Float64("correlation", known.Correlation).Msg("learning")
		if u.taken > lessonTime {
			u.learner = nil
		}
	}
}

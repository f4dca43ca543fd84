package player

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// thinker decides by searching. Two searches run side by side: an exact one,
// where there is one for the class of the game, and one that samples. The exact
// one takes over as soon as it proves more than the other one estimates.
type thinker struct {
	setting
	rng *machine.Rand

	machine     machine.Machine // that class and searches are for
	begun       machine.Machine // of which it was tried to learn
	class       solve.Class
	methods     []string          // of the exact searches, the best one for the class first
	exact       []search.Searcher // by method; they work side by side
	sampler     search.Searcher
	grants      map[search.Searcher]int64 // the memory that each of them has
	hasDecisive bool                      // the machine knows decisive moves, and there are opponents
	approach    approach                  // what the sampler goes by
	// parts, by machine, think of the subgames of one that is made of such, else nil.
	parts  map[machine.Machine]*thinker
	plan   plan
	course course
	// runLearner is the method of learners, but in tests.
	runLearner func(l *evaluate.Learner, ctx context.Context, games int64)
	// beatsPlayouts is the trial of an approach (trial.go), but in tests.
	beatsPlayouts func(t *thinker, ctx context.Context, a approach, clock time.Duration) bool
	// exactWork is the part of its time that the exact search works. Where several play, it takes
	// time from the estimates, and in most positions of most games it gets nowhere: so it
	// gets half as much for each move that is made without its help, down to leastWork, with which it begins in games of
	// turns that the start clock has not been enough to solve.
	exactWork float64
}

const leastWork = 1. / 8

func newThinker(s setting) *thinker {
	return &thinker{
		setting: s, rng: machine.NewRand(s.seed), runLearner: (*evaluate.Learner).Learn, beatsPlayouts: (*thinker).try,
		exactWork: 1, grants: map[search.Searcher]int64{},
	}
}

// maxExpansion is the longest that an exact search may be deaf to its context:
// seconds for the children of one position.
const maxExpansion = 0.02

// prepare sets the searches up for the machine of a position.
func (t *thinker) prepare(ctx context.Context, at position) {
	if t.machine == at.machine {
		return
	}
	t.machine, t.plan = at.machine, plan{}
	t.class = solve.Classify(ctx, at.machine, t.seed)
	t.log.Info().Stringer("class", t.class).Float64("length", t.class.Length).Float64("branching", t.class.Branching).
		Float64("states_per_second", t.class.StatesPerSecond).Msg("class")
	t.exact, t.hasDecisive, t.parts, t.approach = nil, false, nil, approach{}
	if t.has(exactSearch) && t.class.Branching < maxExpansion*t.class.StatesPerSecond {
		t.makeExact()
		t.proveSum(ctx)
		// Found now, not in the time of the first move: neither looks at a clock.
		t.machine.Symmetries()
		t.machine.Packing()
	}
	t.findDecisive(ctx)
	t.inherit()
	t.sampler = t.newSampler()
}

// sumShare is the share of the clock in which a machine may prove the sum of the goals, sumTime the most. The machine
// remembers it. Without it the exact searches prove facts about the goal of the own role alone, in more time.
const (
	sumShare = 0.05
	sumTime  = 2 * time.Second
)

// proveSum has the machine prove the sum of the goals of two players, if it seems to be constant.
func (t *thinker) proveSum(ctx context.Context) {
	if t.class.Players == 2 && t.class.ConstantSum {
		short, cancel := context.WithTimeout(ctx, min(sumTime, scaled(sumShare, timeLeft(ctx, time.Now()))))
		defer cancel()
		t.machine.ProvedGoalSum(short)
	}
}

// decisiveTime bounds the search for decisive moves: those of games in which it
// takes longer cost too much anyway.
const decisiveTime = 1500 * time.Millisecond

// findDecisive finds out whether the machine knows decisive moves: now, not in the time of the first move.
func (t *thinker) findDecisive(ctx context.Context) {
	if t.class.Players > 1 && t.sampledWithout()&montecarlo.Decisive == 0 {
		short, cancel := context.WithTimeout(ctx, min(decisiveTime, timeLeft(ctx, time.Now())/4))
		defer cancel()
		t.hasDecisive = t.machine.Decisive(short, !t.class.InTurns()) != nil
	}
}

// makeExact makes the exact searches for the class of the game.
func (t *thinker) makeExact() {
	t.methods, t.exact = solve.Choose(t.class), nil
	if chosen := t.spec.exact.method; chosen != "" && t.methods != nil {
		t.methods = []string{chosen}
	}
	for _, method := range t.methods {
		t.exact = append(t.exact, t.exactSearch(method))
	}
}

// exactSearch makes the search of a method.
func (t *thinker) exactSearch(method string) search.Searcher {
	s, err := solve.NewSearcher(method, t.spec.exact.options())
	if err != nil {
		panic(err) // the method is one of package solve
	}
	return s
}

// reclassify takes note of what the error of an exact search shows of the class of the game:
// others take the place of all where it is another class, else this one is left out.
func (t *thinker) reclassify(failed search.Searcher, reason error) {
	class, _ := solve.Instead(t.class, reason)
	if i := slices.Index(t.exact, failed); class == t.class {
		t.methods, t.exact = slices.Delete(slices.Clone(t.methods), i, i+1), slices.Delete(slices.Clone(t.exact), i, i+1)
		return
	}
	t.class = class
	t.makeExact()
}

// granted is the memory for a search. It keeps what it has as long as it lives, since other
// limits mean other tables and trees, unless there is far more or less for it by now.
func (t *thinker) granted(s search.Searcher) int64 {
	share := t.memory.share()
	if s == t.sampler {
		share = max(share, t.memory.floor())
	}
	if slices.Index(t.exact, s) > 0 {
		share /= int64(len(t.exact) - 1)
	}
	if has := t.grants[s]; has > 0 && has <= share+share/2 && share <= 2*has {
		return has
	}
	maps.DeleteFunc(t.grants, func(s search.Searcher, _ int64) bool { return s != t.sampler && !slices.Contains(t.exact, s) })
	t.grants[s] = share
	return share
}

const (
	// proofShare is the part of the start clock in which the game may be solved at once, proofTime the most; atOnceShare
	// is that part, without an upper bound, where players choose at once: nothing is learnt there, and a
	// first move without a proof often loses.
	proofShare  = 0.1
	proofTime   = 2 * time.Second
	atOnceShare = 0.3
)

// begin implements policy. Unless the game can be solved at once, it is learnt what positions are worth;
// the rest of the time goes into the position, and what is found of it is kept.
func (t *thinker) begin(ctx context.Context, at position) {
	t.prepare(ctx, at)
	t.begun = at.machine
	if t.textbook {
		return
	}
	if t.class.Players > 1 && !t.solves(ctx, at) {
		if t.class.InTurns() {
			t.exactWork = leastWork
		}
		t.factor(ctx)
		t.adopt(t.study(ctx))
	}
	if r := t.search(ctx, at); r.alone {
		if k := r.soonest(); k != nil {
			t.plan = plan{k.Line, at.state}
		}
	}
}

// study finds out how leaves are valued: those of the game, or of each of the subgames that it is made of, which may be in
// turns where the whole is not; that then goes by playouts.
func (t *thinker) study(ctx context.Context) approach {
	if t.parts == nil {
		clock := timeLeft(ctx, time.Now())
		agreement := sync.OnceValue(func() float64 { return t.agreement(ctx, clock) })
		a := t.approachBy(t.learn(ctx, scaled(learningShare, clock)), agreement)
		if a.evaluator != nil && !t.beatsPlayouts(t, ctx, a, scaled(trialShare, clock)) {
			return t.approachBy(nil, agreement)
		}
		return a
	}
	left := len(t.parts)
	for _, part := range t.parts {
		short, cancel := context.WithTimeout(ctx, timeLeft(ctx, time.Now())/time.Duration(left))
		part.approach = part.study(short)
		cancel()
		left--
	}
	return approach{}
}

// solves gives the searches a chance to solve the game at once: the exact ones alone where players choose at once.
func (t *thinker) solves(ctx context.Context, at position) bool {
	if len(t.exact) == 0 {
		return false
	}
	left := timeLeft(ctx, time.Now())
	most := min(proofTime, scaled(proofShare, left))
	if t.class.Simultaneous {
		most = scaled(atOnceShare, left)
		sampler := t.sampler
		t.sampler = nil
		defer func() { t.sampler = sampler }()
	}
	short, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return t.search(short, at).settled() != nil
}

// ponder implements policy: of a machine that came after the start clock it is learnt now, and then the searches go on side by
// side. The part of the tree that the next position needs is kept, and so is what is proved.
func (t *thinker) ponder(ctx context.Context, at position) {
	t.prepare(ctx, at)
	if t.begun != at.machine {
		late, cancel := context.WithTimeout(ctx, max(t.clock, 2*leastLearning))
		t.begin(late, at)
		cancel()
	}
	if ctx.Err() == nil {
		t.search(ctx, at)
	}
}

// playClock is the time for a move.
func (t *thinker) playClock() time.Duration { return cmp.Or(t.clock, unlimitedThinking) }

// choose implements policy.
func (t *thinker) choose(ctx context.Context, at position) choice {
	t.prepare(ctx, at)
	r := t.search(ctx, at)
	if t.exactWork = max(leastWork, t.exactWork/2); r.helped {
		t.exactWork = 1
	}
	t.arrive(ctx, r)
	v := r.unwaiting(r.decide("nothing is proved that decides: the best by " + t.ways()))
	if v.by == byFallback {
		return t.withoutSearch(ctx, at)
	}
	c := choice{move: draw(t.rng, at.legal, v.strategy), verdict: v, root: r}
	t.remember(r, c.move)
	if v.by == byPlan {
		t.plan = plan{v.result.Line, at.state}.after(at.machine)
	}
	return c
}

// withoutSearch chooses a move where no search has come back: the favourite of an interim result for this
// position, else the best move by a search of one ply.
func (t *thinker) withoutSearch(ctx context.Context, at position) choice {
	v := verdict{by: byFallback, why: "no search has come back: the best move by one ply"}
	if m, ok := t.experience.favouriteAt(at); ok {
		v.why = "no search has come back: the favourite of the search before"
		return choice{move: m, verdict: v}
	}
	greedy := &onePly{rng: t.rng}
	return choice{move: greedy.choose(ctx, at).move, verdict: v}
}

// draw samples a strategy; whatever it says, the move is legal.
func draw(rng *machine.Rand, legal []machine.Move, strategy []search.Weighted) machine.Move {
	point := rng.Float64()
	move := legal[0]
	for _, w := range strategy {
		move = w.Move
		if point -= w.Probability; point < 0 {
			break
		}
	}
	if slices.Contains(legal, move) {
		return move
	}
	return legal[0]
}

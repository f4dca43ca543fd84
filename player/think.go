package player

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
	"stackmate/search/table"
)

// thinker is a policy that decides by two searches in parallel: an exact search, if there is a method for the
// class of the game, and a sampling search. The exact search decides once it proves at least the
// value that the samples estimate.
type thinker struct {
	setting
	rng *machine.Rand

	subject
	valuation
	searchers
	plan   plan
	course course
}

// subject holds the facts about the game, found once for each machine.
type subject struct {
	machine     machine.Machine // machine of the facts and of the searches
	begun       machine.Machine // machine for which begin has run
	class       solve.Class
	hasDecisive bool // the machine finds decisive moves, and there are opponents
	// parts holds the thinkers of independent subgames, by machine; nil if there are none.
	parts map[machine.Machine]*thinker
}

// valuation holds the values of leaves in the sampling search, and how they are found.
type valuation struct {
	approach approach
	pupil    *pupil // learns while the player ponders; nil if nothing is learnt any more
	// runLearner is (*evaluate.Learner).Learn, except in tests.
	runLearner func(l *evaluate.Learner, ctx context.Context, games int64)
}

// searchers holds the searches of a round, which keep their tables and trees from one round to the next.
type searchers struct {
	methods []string          // of the exact searches, best first
	exact   []search.Searcher // by method; they run in parallel
	sampler search.Searcher
	grants  map[search.Searcher]int64 // memory of each search
	// exactShare is the part of each move's time for exact search. In games of several roles it halves after each move
	// that exact search did not help, down to leastExactShare, where unsolved sequential games begin.
	exactShare float64
}

const leastExactShare = 1. / 8

func newThinker(s setting) *thinker {
	return &thinker{
		setting: s, rng: machine.NewRand(s.seed),
		valuation: valuation{runLearner: (*evaluate.Learner).Learn},
		searchers: searchers{exactShare: 1, grants: map[search.Searcher]int64{}},
	}
}

// maxExpansion bounds the seconds to expand a position in an exact search, which does not check its context
// meanwhile.
const maxExpansion = 0.02

// classify returns the class of a game, and false if ctx has ended before a whole game was observed.
func (s *setting) classify(ctx context.Context, m machine.Machine) (solve.Class, bool) {
	class := solve.Classify(ctx, m, s.seed)
	return class, class.Playouts > 0 || ctx.Err() == nil
}

// prepare classifies the game and creates the searches, if the machine is new. If ctx ends before the class is known, the
// next call does so.
func (t *thinker) prepare(ctx context.Context, at position) {
	if t.machine == at.machine {
		return
	}
	t.subject = subject{begun: t.begun}
	t.plan, t.exact, t.sampler, t.approach = plan{}, nil, nil, approach{}
	t.dismiss()
	class, ok := t.classify(ctx, at.machine)
	if !ok {
		return
	}
	t.machine, t.class = at.machine, class
	t.log.Info().Stringer("class", t.class).Float64("length", t.class.Length).Float64("branching", t.class.Branching).
		Float64("states_per_second", t.class.StatesPerSecond).Msg("class")
	if t.has(exactSearch) && t.class.Branching < maxExpansion*t.class.StatesPerSecond {
		t.makeExact()
		t.proveSum(ctx)
		// Computed now rather than in the time of the first move: neither computation checks a clock.
		facts.Symmetries(t.machine)
		table.PackingOf(t.machine)
	}
	t.findDecisive(ctx)
	t.inherit()
	t.sampler = t.newSampler()
}

// proveSum lets the machine prove the sum of the goals of two players, if samples suggest a constant sum. The machine
// stores the sum. Without it exact searches prove facts about the own goal alone, which takes longer.
func (t *thinker) proveSum(ctx context.Context) {
	if t.class.Players == 2 && t.class.ConstantSum {
		short, cancel := factTime.begin(ctx)
		defer cancel()
		facts.ProvedGoalSum(short, t.machine)
	}
}

// findDecisive sets hasDecisive before the first move, as the search takes time.
func (t *thinker) findDecisive(ctx context.Context) {
	if t.class.Players > 1 && t.sampledWithout()&montecarlo.Decisive == 0 {
		short, cancel := factTime.begin(ctx)
		defer cancel()
		t.hasDecisive = facts.Decisive(short, t.machine, !t.class.InTurns()) != nil
	}
}

// makeExact creates the exact searches for the class of the game.
func (t *thinker) makeExact() {
	t.methods, t.exact = solve.Choose(t.class), nil
	if chosen := t.spec.exact.method; chosen != "" && t.methods != nil {
		t.methods = []string{chosen}
	}
	for _, method := range t.methods {
		t.exact = append(t.exact, t.exactSearch(method))
	}
}

// exactSearch returns the exact search of a method.
func (t *thinker) exactSearch(method string) search.Searcher {
	s, err := solve.NewSearcher(method, t.spec.exact.options())
	if err != nil {
		panic(err) // the method is one of package solve
	}
	return s
}

// reclassify handles the error of an exact search. If the error disproves the class of the game, new searches
// replace all exact searches; otherwise the failed search is removed.
func (t *thinker) reclassify(failed search.Searcher, reason error) {
	class, _ := solve.Instead(t.class, reason)
	if i := slices.Index(t.exact, failed); class == t.class {
		t.methods, t.exact = slices.Delete(slices.Clone(t.methods), i, i+1), slices.Delete(slices.Clone(t.exact), i, i+1)
		return
	}
	t.class = class
	t.makeExact()
}

// granted returns the memory for a search.
func (t *thinker) granted(s search.Searcher) int64 {
	share := t.memory.share()
	if s == t.sampler {
		share = max(share, t.memory.floor())
	}
	return t.grant(s, share)
}

// grant returns the memory for a search, of which the first exact search gets a share and all others together one. A
// search keeps its grant, since another limit means new tables and trees. It gets a new grant if its share is below two
// thirds of the grant or above twice the grant.
func (l *searchers) grant(s search.Searcher, share int64) int64 {
	if slices.Index(l.exact, s) > 0 {
		share /= int64(len(l.exact) - 1)
	}
	if has := l.grants[s]; has > 0 && has <= share+share/2 && share <= 2*has {
		return has
	}
	maps.DeleteFunc(l.grants, func(s search.Searcher, _ int64) bool { return s != l.sampler && !slices.Contains(l.exact, s) })
	l.grants[s] = share
	return share
}

// adapt sets the share of exact search after a move, which it has helped or not.
func (l *searchers) adapt(helped bool) {
	if l.exactShare = max(leastExactShare, l.exactShare/2); helped {
		l.exactShare = 1
	}
}

// begin implements policy. It tries to solve the game, else it trains an evaluation. It searches the position in the
// remaining time and keeps the trees and tables.
func (t *thinker) begin(ctx context.Context, at position) {
	t.prepare(ctx, at)
	t.begun = t.machine
	if t.kind.plain {
		return
	}
	if t.class.Players > 1 {
		t.factor(ctx)
		if !t.solves(ctx, at) {
			if t.class.InTurns() {
				t.exactShare = leastExactShare
			}
			t.adopt(t.study(ctx))
		}
	}
	if r := t.search(ctx, at); r.alone {
		if k := r.soonest(); k != nil {
			t.plan = plan{k.Line, at.state}
		}
	}
}

// study chooses the approach for the game, or for each of its independent subgames. A subgame may be sequential
// although the whole game is not; the whole game then uses playouts.
func (t *thinker) study(ctx context.Context) approach {
	if t.parts == nil {
		rate := func(a approach) float64 { return t.rate(ctx, a) }
		return t.finishLearning(ctx, t.approachBy(t.learn(ctx), rate, func() float64 { return t.agreement(ctx) }))
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

// solves reports whether the searches solve the game within their portion of the clock. In simultaneous games only exact searches run.
func (t *thinker) solves(ctx context.Context, at position) bool {
	if len(t.exact) == 0 {
		return false
	}
	most := factTime
	if t.class.Simultaneous {
		if t.parts == nil {
			most = quarter
		}
		sampler := t.sampler
		t.sampler = nil
		defer func() { t.sampler = sampler }()
	}
	short, cancel := most.begin(ctx)
	defer cancel()
	return t.search(short, at).settled() != nil
}

// ponder implements policy. If the machine came after the start clock, begin runs first. Then the pupil goes on learning.
// Without a pupil, and after a move that exact search has helped, the searches run on the position, and subtrees and
// tables that the next position needs are kept.
func (t *thinker) ponder(ctx context.Context, at position) {
	t.prepare(ctx, at)
	if t.begun != at.machine {
		late, cancel := context.WithTimeout(ctx, t.playClock())
		t.begin(late, at)
		cancel()
	}
	switch {
	case ctx.Err() != nil:
	case t.pupil != nil && t.exactShare < 1:
		t.learnOn(ctx, at.state)
	default:
		t.search(ctx, at)
	}
}

// playClock returns the time for a move.
func (t *thinker) playClock() time.Duration { return cmp.Or(t.clock, unlimitedThinking) }

// choose implements policy.
func (t *thinker) choose(ctx context.Context, at position) choice {
	t.prepare(ctx, at)
	r := t.search(ctx, at)
	t.adapt(r.helped)
	t.arrive(ctx, r)
	v := r.unwaiting(r.decide("no proof decides: the best move by " + t.ways()))
	if v.by == byFallback {
		return t.withoutSearch(ctx, at)
	}
	c := choice{move: draw(t.rng, at.legal, v.strategy), verdict: v, root: r}
	t.remember(r, c.move)
	if v.by == byPlan {
		t.plan = plan{v.result.Line, at.state}.advance(at.machine)
	}
	return c
}

// withoutSearch chooses a move if no search has returned: the favourite of an interim result for this position,
// else the best move by a search of one ply. If the thinking time is over, the search of one ply has half of the time that
// is left.
func (t *thinker) withoutSearch(ctx context.Context, at position) choice {
	v := verdict{by: byFallback, why: "no search has returned: the best move by one ply"}
	if m, ok := t.experience.favouriteAt(at); ok {
		v.why = "no search has returned: the preferred move of the search before"
		return choice{move: m, verdict: v}
	}
	ctx, end := at.extended(ctx)
	defer end()
	greedy := &onePly{rng: t.rng}
	return choice{move: greedy.choose(ctx, at).move, verdict: v}
}

// draw samples a move from a strategy; it returns a legal move also for an invalid strategy.
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

package player

import (
	"context"
	"maps"
	"slices"
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

	machine       machine.Machine // that class and searches are for
	begun         machine.Machine // for which it was tried out what pays
	class         solve.Class
	methods       []string          // of the exact searches, the best one for the class first
	exact         []search.Searcher // by method; they work side by side
	sampler       search.Searcher
	grants        map[search.Searcher]int64 // the memory that each of them has
	hasDecisive   bool                      // the machine knows decisive moves, and there are opponents
	configuration configuration             // what the sampler goes by
	tuning        tuning                    // of which is the best (see learning.go)
	// parts, by machine, think of the subgames of one that is made of such, else nil.
	parts map[machine.Machine]*thinker
	plan  plan
	// hold and runLearner are the function hold and the method Learn, but in tests.
	hold       func(ctx context.Context, e *election, threads int)
	runLearner func(l *evaluate.Learner, ctx context.Context, games int64)
	// exactWork is the part of the time in which exact searches work, where they share
	// the threads of the sampling one (see share.go).
	exactWork float64
}

func newThinker(s setting) *thinker {
	return &thinker{setting: s, rng: machine.NewRand(s.seed), hold: hold, runLearner: (*evaluate.Learner).Learn, exactWork: 1, grants: map[search.Searcher]int64{}}
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
	t.exact = nil
	t.hasDecisive, t.tuning, t.parts = false, tuning{}, nil
	t.configuration = configuration{name: playouts, plain: !t.isInTurns()} // a rule of thumb must show that it is of use
	if t.has(regretMatching) {
		t.configuration.rule = montecarlo.RegretMatching
	}
	if t.has(exactSearch) && t.class.Branching < maxExpansion*t.class.StatesPerSecond {
		t.makeExact()
		t.machine.Symmetries() // found now, not in the time of the first move
	}
	if t.class.Players > 1 && t.sampledWithout()&montecarlo.Decisive == 0 {
		short, cancel := context.WithTimeout(ctx, min(decisiveTime, timeLeft(ctx, time.Now())/4))
		t.hasDecisive = at.machine.Decisive(short, !t.isInTurns()) != nil // as above
		cancel()
	}
	t.inherit()
	t.sampler = t.newSampler()
}

// decisiveTime bounds the search for decisive moves: those of games in which it
// takes longer cost too much anyway.
const decisiveTime = 1500 * time.Millisecond

// isInTurns tells whether several players move one at a time.
func (t *thinker) isInTurns() bool { return t.class.Players > 1 && !t.class.Simultaneous }

// makeExact makes the exact searches for the class of the game.
func (t *thinker) makeExact() {
	t.methods, t.exact = solve.Choose(t.class), nil
	if chosen := t.setting.exact.method; chosen != "" && t.methods != nil {
		t.methods = []string{chosen}
	}
	for _, method := range t.methods {
		t.exact = append(t.exact, t.exactSearch(method))
	}
}

// exactSearch makes the search of a method.
func (t *thinker) exactSearch(method string) search.Searcher {
	s, err := solve.NewSearcher(method, t.setting.exact.options())
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

// newSampler makes the sampling search.
func (t *thinker) newSampler() search.Searcher {
	return t.searcher(t.configuration, t.samplingThreads())
}

// samplingThreads are all where the exact search gives back what it does not need, else
// those that it leaves over.
func (t *thinker) samplingThreads() int {
	if len(t.exact) == 0 || t.shares() {
		return t.threads
	}
	return max(1, t.threads-1)
}

// sampling is how a configuration samples, on one thread.
func (t *thinker) sampling(d configuration) montecarlo.Config {
	c := montecarlo.Config{
		Rule: d.rule, AtOnce: !t.isInTurns(), Weight: d.weight, Rave: d.rave, Without: t.sampledWithout(),
	}
	if d.plain {
		c.Without |= montecarlo.Decisive
	}
	if d.evaluator != nil {
		c.Evaluator = d.evaluator
	}
	if !t.has(severalAtOnce) {
		c.Playouts, c.Exploration = 1, plainExploration
	}
	for _, p := range parameters {
		if v, ok := t.values[p.Name]; ok {
			p.set(&c, v)
		}
	}
	return c
}

// plainExploration is the constant of textbook UCT, in goal points.
const plainExploration = 70

// begin implements policy. A player alone looks for a plan as long as the start
// clock runs. Unless the game can be solved at once, what positions are worth is learnt and tried out, and so are
// ways of sampling: first where players choose at once or there are subgames, where they matter most; in other games
// of turns only where nothing is learnt that is of use.
func (t *thinker) begin(ctx context.Context, at position) {
	t.prepare(ctx, at)
	t.begun = at.machine
	if t.class.Players == 1 {
		t.search(ctx, at)
		return
	}
	t.factor(ctx)
	ways := t.ways()
	learns := t.has(learning) && (t.isInTurns() || t.class.ConstantSum)
	switch {
	case !t.has(rehearsal) || len(ways) == 1 && !learns || t.solves(ctx, at):
	case !learns:
		t.elect(ctx, at, ways, trialShare)
	case !t.isInTurns() || t.parts != nil:
		t.elect(ctx, at, ways, samplingShare)
		t.learn(ctx, at)
	case !t.learn(ctx, at):
		t.elect(ctx, at, ways, trialShare)
	}
}

// ponder implements policy: for a machine that came after the start clock it is found out now what
// pays, what is not decided is tried out, and then the searches go on side by side. The part of the tree that the next position needs is kept, and so is what
// is proved.
func (t *thinker) ponder(ctx context.Context, at position) {
	t.prepare(ctx, at)
	if t.begun != at.machine && t.class.Players > 1 {
		late, cancel := context.WithTimeout(ctx, max(t.clock, 2*leastLearning))
		t.begin(late, at)
		cancel()
	}
	t.tune(ctx)
	if ctx.Err() == nil {
		t.search(ctx, at)
	}
}

// choose implements policy.
func (t *thinker) choose(ctx context.Context, at position) choice {
	t.prepare(ctx, at)
	if c, ok := t.planned(at, bestGoal); ok {
		return c
	}
	r := t.search(ctx, at)
	t.worthwhile(r)
	if t.class.Players == 1 {
		least := float64(worstGoal) // a plan must not fall short of what is proved
		if r.settles(r.exact) {
			least = r.exact.Values[at.role].Lower
		}
		if c, ok := t.planned(at, least); ok {
			return c
		}
	}
	v := r.decide(t.configuration.samples())
	if len(v.strategy) == 0 {
		return choice{move: at.legal[0], verdict: verdict{by: byFallback}}
	}
	return choice{move: draw(t.rng, at.legal, v.strategy), verdict: v, root: r}
}

// planned is the next move of the plan, if it promises at least goal points: nothing
// better is known, so that goal is proved if there is none.
func (t *thinker) planned(at position, goal float64) (choice, bool) {
	line := t.plan.line
	move, ok := t.plan.next(at, goal)
	if !ok {
		return choice{}, false
	}
	r := &search.Result{Values: make([]search.Interval, len(at.machine.Names().Roles)), Proved: t.plan.goal >= bestGoal, Line: line}
	r.Values[at.role] = search.Exact(t.plan.goal)
	return choice{move: move, verdict: verdict{by: byPlan, why: "the next move of a line that leads to this goal for sure", result: r}}, true
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

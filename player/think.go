package player

import (
	"context"
	"fmt"
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

	machine     machine.Machine // that class and searches are for
	class       solve.Class
	exact       search.Searcher   // nil if there is none
	beside      []search.Searcher // other exact ones that work beside it
	sampler     search.Searcher
	hasDecisive bool    // the machine knows decisive moves, and there are opponents
	mind        mind    // what the sampler goes by
	studies     studies // of which is the best (see learning.go)
	// parts, by machine, think of the subgames of one that is made of such, else nil.
	parts map[machine.Machine]*thinker
	plan  plan
	// hold and teach are the function hold and the method Learn, but in tests.
	hold  func(ctx context.Context, e *election, threads int)
	teach func(l *evaluate.Learner, ctx context.Context, games int64)
	// exactWork is the part of the time in which exact searches work, where they share
	// the threads of the sampling one (see share.go).
	exactWork float64
}

func newThinker(s setting) *thinker {
	return &thinker{setting: s, rng: machine.NewRand(s.seed), hold: hold, teach: (*evaluate.Learner).Learn, exactWork: 1}
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
	t.exact, t.beside = nil, nil
	t.hasDecisive, t.studies, t.parts = false, studies{}, nil
	t.mind = mind{name: playouts, plain: !t.isInTurns()} // a rule of thumb must show that it is of use
	if t.has(regretMatching) {
		t.mind.rule = montecarlo.RegretMatching
	}
	if t.has(exactSearch) && t.class.Branching < maxExpansion*t.class.StatesPerSecond {
		t.exact = t.exactSearch(0)
		for number := 1; number < len(solve.Choose(t.class)); number++ {
			if s := t.exactSearch(number); s != nil {
				t.beside = append(t.beside, s)
			}
		}
		t.machine.Symmetries() // found now, not in the time of the first move
	}
	if d, ok := at.machine.(machine.Decider); ok && t.class.Players > 1 && t.sampledWithout()&montecarlo.Decisive == 0 {
		short, cancel := context.WithTimeout(ctx, min(decisiveTime, timeLeft(ctx, time.Now())/4))
		t.hasDecisive = d.Decisive(short, !t.isInTurns()) != nil // as above
		cancel()
	}
	t.sampler = t.newSampler()
}

// decisiveTime bounds the search for decisive moves: those of games in which it
// takes longer cost too much anyway.
const decisiveTime = 1500 * time.Millisecond

// isInTurns tells whether several players move one at a time.
func (t *thinker) isInTurns() bool { return t.class.Players > 1 && !t.class.Simultaneous }

// exactSearch makes one of the exact searches for the class of the game, 0 being the
// best, or nil if there are fewer.
func (t *thinker) exactSearch(number int) search.Searcher {
	methods := solve.Choose(t.class)
	if number >= len(methods) {
		return nil
	}
	s, err := solve.NewSearcher(methods[number], solve.Default())
	if err != nil {
		t.log.Error().Err(err).Msg("exact search")
		return nil
	}
	return s
}

// instead takes note of what the error of an exact search shows of the class, and
// makes the one to use from then on, or nil.
func (t *thinker) instead(reason error) search.Searcher {
	class, methods := solve.Instead(t.class, reason)
	t.class = class
	if methods == nil {
		return nil
	}
	return t.exactSearch(0)
}

// newSampler makes the sampling search.
func (t *thinker) newSampler() search.Searcher {
	return t.searcher(t.mind, t.samplingThreads())
}

// samplingThreads are all where the exact search gives back what it does not need, else
// those that it leaves over.
func (t *thinker) samplingThreads() int {
	if t.exact == nil || t.shares() {
		return t.threads
	}
	return max(1, t.threads-1)
}

// sampling is how a mind samples, on one thread.
func (t *thinker) sampling(d mind) montecarlo.Config {
	c := montecarlo.Config{
		Rule: d.rule, AtOnce: !t.isInTurns(), Weight: d.weight, Averages: d.averages, Rave: d.rave, Without: t.sampledWithout(),
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

// ponder implements policy: what is not decided is tried out, and then the searches go on
// side by side. The part of the tree that the next position needs is kept, and so is what
// is proved.
func (t *thinker) ponder(ctx context.Context, at position) {
	t.prepare(ctx, at)
	t.study(ctx)
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
	found := t.search(ctx, at)
	t.worthwhile(found, at.role)
	if t.mind.deepens && t.has(resistance) && t.lacks(found, at.role) {
		found = t.resist(ctx, at, found)
	}
	if t.class.Players == 1 {
		least := float64(worstGoal) // a plan must not fall short of what is proved
		if settles(found.exact, at.role) {
			least = found.exact.Values[at.role].Lower
		}
		if c, ok := t.planned(at, least); ok {
			return c
		}
	}
	who, why, r := t.decide(at, found)
	if r == nil || len(r.Strategies) <= int(at.role) || len(r.Strategies[at.role]) == 0 {
		return choice{move: at.legal[0], by: byFallback}
	}
	drawn := draw(t.rng, at.legal, r.Strategies[at.role])
	move := t.unrefuted(at, found, drawn)
	if move != drawn {
		why = fmt.Sprintf("the best move by playouts that is not proved a mistake, as %s is", at.machine.Names().MoveText(at.role, drawn))
	}
	return choice{move: move, by: who, why: why, result: r, sampled: found.sampled, exact: found.exact, tried: found.ranking}
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
	return choice{move: move, by: byPlan, why: "the next move of a line that leads to this goal for sure", result: r}, true
}

// unrefuted is move, unless the exact search has proved it to be a mistake: then it
// is the next best move by sampling that is none, and by which playouts have gained
// something, if there is one.
func (t *thinker) unrefuted(at position, f findings, move machine.Move) machine.Move {
	if !slices.Contains(f.refuted, move) {
		return move
	}
	next := move
	for _, m := range f.ranking {
		switch {
		case slices.Contains(f.refuted, m.Move) || !slices.Contains(at.legal, m.Move):
		case m.Mean > worstGoal:
			return m.Move
		case next == move:
			next = m.Move
		}
	}
	return next
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

package player

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/games/gamestest"
	"stackmate/gdl/canonical"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/bestfirst"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/table"
)

func TestStartClocksAreKept(t *testing.T) {
	exhaustive.Only(t, "takes four seconds")
	m := gamestest.Machine(t, "connectFour-5x4")
	p := onOneThread(0, 64<<20, exactSearch)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	began := time.Now()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3, 4}}
	p.prepare(ctx, at)
	if e := p.learn(ctx); e == nil || ctx.Err() != nil {
		t.Errorf("learnt %v in %v of a start clock of 4 s", e, time.Since(began))
	}
}

func TestTheTextbookPlayerHasNeitherTechniquesNorPreparation(t *testing.T) {
	s, err := parse("mcts-plain")
	if err != nil {
		t.Fatal(err)
	}
	p := newThinker(setting{spec: s, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	m := gamestest.Machine(t, "ticTacToe")
	p.begin(ctxOf(t, 2*time.Second), position{machine: m, state: m.Initial()})
	want := montecarlo.Config{Playouts: 1, Exploration: textbookExploration, Without: montecarlo.Plain, Workers: 1}
	if got := p.sampling(p.approach, p.samplingThreads()); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if p.sampler.(*montecarlo.Searcher).Bounds() != nil {
		t.Error("the first position is searched in the start clock")
	}
}

// learntOf returns an evaluation trained on the given number of games, with its share beside playouts.
func learntOf(t *testing.T, m machine.Machine, games int64) *evaluate.Evaluation {
	t.Helper()
	l := learnerOf(t, m, nil, games)
	l.Weigh(t.Context(), math.Inf(1))
	return l.Evaluation()
}

func TestWhatWasLearntDecidesHowLeavesAreValued(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	m := gamestest.Machine(t, "breakthrough-4x4")
	useless, useful := learntOf(t, m, 1), learntOf(t, m, 10_000)
	if useless.Share() >= usefulShare || useful.Share() < 0.5 {
		t.Fatalf("shares %g after a game, %g after many", useless.Share(), useful.Share())
	}
	middling := useless
	for games := int64(500); middling.Share() < usefulShare || middling.Share() >= beyondRave; games += 100 {
		if middling = learntOf(t, m, games); games > 4000 {
			t.Fatalf("no share between %g and %g", usefulShare, beyondRave)
		}
	}
	p := onOneThread(0, 64<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p.prepare(ctx, position{machine: m, state: m.Initial()})
	for i, c := range []struct {
		learnt    *evaluate.Evaluation
		faster    float64 // the rate of leaves by the evaluation alone, in rates of the blend
		agreement float64
		want      approach
	}{
		{nil, 9, 0.6, approach{}},
		{nil, 9, 0.8, approach{rave: true}},
		{useless, 9, 0.6, approach{}},
		{useless, 9, 0.8, approach{rave: true}},
		{useful, 1.01 / useful.Share(), 0.8, approach{evaluator: useful, alone: true}},
		{middling, 1, 0.8, approach{rave: true}},
		{middling, 1, 0.6, approach{evaluator: middling}},
		{useful, 0.99 / useful.Share(), 0.8, approach{evaluator: useful}},
		{useful, 0.99 / useful.Share(), 0.6, approach{evaluator: useful}},
	} {
		rate := func(a approach) float64 {
			if a.alone {
				return 1000 * c.faster
			}
			return 1000
		}
		if p.approach = p.approachBy(c.learnt, rate, func() float64 { return c.agreement }); p.approach != c.want {
			t.Errorf("case %d: %+v, want %+v", i, p.approach, c.want)
		}
		if s, ok := p.newSampler().(*montecarlo.Searcher); !ok {
			t.Errorf("case %d: searched by %T", i, s)
		}
		s := p.sampling(p.approach, 1)
		if s.AtOnce || s.Rave != c.want.rave || (s.Evaluator != nil) != (c.want.evaluator != nil) || s.Alone != c.want.alone {
			t.Errorf("case %d: samples as %+v", i, s)
		}
	}
	inTurns := p.class
	p.class.Simultaneous = true
	if got := p.approachBy(nil, nil, func() float64 { return 1 }); got.rave {
		t.Error("RAVE is used in a game of simultaneous moves")
	}
	p.class = inTurns
	p.without = append(p.without, rave)
	if got := p.approachBy(nil, nil, func() float64 { return 1 }); got.rave {
		t.Error("a player without the technique uses RAVE")
	}
	if blend, alone := p.rate(ctx, approach{evaluator: useful}), p.rate(ctx, approach{evaluator: useful, alone: true}); min(blend, alone) <= 0 {
		t.Errorf("%g leaves a second beside playouts, %g without", blend, alone)
	}
}

func TestMatchesOfATrainingDecideWhetherPlayoutsAreReplaced(t *testing.T) {
	l, err := evaluate.New(gamestest.Machine(t, "ticTacToe"), evaluate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	file, rules := filepath.Join(t.TempDir(), "learnt"), canonical.New(gamestest.Rules(t, "ticTacToe"))
	if err := l.Save(file, rules); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		alone   evaluate.Score
		precise bool
		want    bool
	}{
		{evaluate.Score{}, true, true},
		{evaluate.Score{}, false, false},
		{evaluate.Score{Games: 20, Points: -40, Error: 30}, true, false},
		{evaluate.Score{Games: 20, Points: 40, Error: 30}, false, true},
		{evaluate.Score{Games: 4, Points: -40, Error: 90}, true, true},
		{evaluate.Score{Games: 4, Points: 40, Error: 90}, false, false},
	} {
		if err := evaluate.Record(file, c.alone); err != nil {
			t.Fatal(err)
		}
		known, err := evaluate.Load(file, rules, gamestest.Machine(t, "ticTacToe"), evaluate.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got := playsAlone(known.Evaluation(), func() bool { return c.precise }); got != c.want {
			t.Errorf("%+v, more precise alone: %t; alone: %t, want %t", c.alone, c.precise, got, c.want)
		}
	}
}

func TestWhereBothChooseAnEvaluationGuidesABestFirstSearch(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	m := gamestest.Machine(t, "goofspiel-6")
	p := onOneThread(0, 64<<20, exactSearch)
	p.prepare(ctxOf(t, time.Minute), position{machine: m, state: m.Initial()})
	useless, useful := learntOf(t, m, 1), learntOf(t, m, 20_000)
	if useless.Share() >= usefulShare || useful.Share() < usefulShare {
		t.Fatalf("shares %g after a game, %g after many", useless.Share(), useful.Share())
	}
	for i, c := range []struct {
		learnt *evaluate.Evaluation
		want   approach
		best   bool
	}{{nil, approach{}, false}, {useless, approach{}, false}, {useful, approach{evaluator: useful, alone: true}, true}} {
		p.adopt(p.approachBy(c.learnt, nil, nil))
		if _, best := p.sampler.(*bestfirst.Searcher); p.approach != c.want || best != c.best {
			t.Errorf("case %d: %+v, searched by %T", i, p.approach, p.sampler)
		}
	}
	r := p.search(ctxOf(t, 100*time.Millisecond), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3, 4, 5}})
	v := r.decide("")
	sum := 0.
	for _, w := range v.strategy {
		sum += w.Probability
	}
	if r.sampled == nil || r.sampled.Playouts < 36 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("a move by %+v of %+v", v, r.sampled)
	}
}

func TestPlayoutsReplaceAnEvaluationWherePositionsAreTooWide(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-6")
	for _, c := range []struct {
		reason error
		stays  bool
	}{{context.DeadlineExceeded, true}, {fmt.Errorf("%w: many", play.ErrTooWide), false}} {
		p := onOneThread(0, 64<<20, exactSearch)
		p.prepare(ctxOf(t, time.Minute), position{machine: m, state: m.Initial()})
		p.adopt(approach{evaluator: new(evaluate.Evaluation), alone: true})
		p.replace(p.sampler, c.reason)
		if _, best := p.sampler.(*bestfirst.Searcher); best != c.stays || (p.approach.evaluator != nil) != c.stays {
			t.Errorf("after %v: %T by %+v", c.reason, p.sampler, p.approach)
		}
	}
}

// factorAtOnce finds the subgames by the clock of a bubble, which stands still meanwhile.
func factorAtOnce(t *testing.T, p *thinker) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { p.factor(t.Context()) })
}

func TestSubgamesAreSearchedApart(t *testing.T) {
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	for without, apart := range map[string]bool{"decisive": true, factoring: false} {
		p := onOneThread(0, 64<<20, exactSearch, learning, without)
		at := position{machine: m, state: m.Initial(), legal: []machine.Move{0}}
		p.prepare(t.Context(), at)
		factorAtOnce(t, p)
		p.adopt(approach{})
		if _, is := p.sampler.(*factor.Searcher); is != apart || (p.parts != nil) != apart {
			t.Errorf("without %s the search is %T, of %d parts", without, p.sampler, len(p.parts))
		}
		r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 500})
		if err != nil || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

func TestEachSubgameIsLearnt(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	p := onOneThread(0, 64<<20, exactSearch)
	p.ponders = true
	ctx := ctxOf(t, time.Minute)
	before, parts := time.Now(), 2
	p.runLearner = func(l *evaluate.Learner, short context.Context, _ int64) {
		ends, _ := short.Deadline()
		all, _ := ctx.Deadline()
		share := half.share / float64(parts)
		// The time of the part is counted from a moment between the part before it and now.
		earliest, latest := before.Add(scaled(share, all.Sub(before))), time.Now().Add(scaled(share, time.Until(all)))
		if ends.Before(earliest) || ends.After(latest) {
			t.Errorf("of the last %d subgames the first is learnt until %v before the end, want %v to %v", parts, all.Sub(ends), all.Sub(latest), all.Sub(earliest))
		}
		l.Learn(t.Context(), 10_000)
		before, parts = time.Now(), parts-1
	}
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0}}
	p.prepare(t.Context(), at)
	factorAtOnce(t, p)
	p.study(ctx)
	if parts != 0 {
		t.Fatalf("%d subgames are not learnt", parts)
	}
	if got := p.ways(); !strings.HasSuffix(got, "the trained evaluation, in each subgame") {
		t.Errorf("goes by %q", got)
	}
	for m, part := range p.parts {
		e := part.approach.evaluator
		if e == nil || m != part.machine {
			t.Fatalf("the evaluation of a subgame is not used: %+v", part.approach)
		}
		if part.ponders {
			t.Error("a learner of a subgame stays, which nobody ponders about")
		}
		e.Values(make([]float64, len(m.Names().Roles)), m.Initial())
		if s := part.sampling(part.approach, 1); s.Evaluator != montecarlo.Evaluator(e) || s.AtOnce {
			t.Errorf("a subgame is sampled as %+v", s)
		}
	}
}

// The packing of a game takes longer than a move may, and only its first call allocates.
func TestSubgamesArePackedInTheStartClock(t *testing.T) {
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	p := onOneThread(0, 64<<20)
	p.prepare(t.Context(), position{machine: m, state: m.Initial(), legal: []machine.Move{0}})
	factorAtOnce(t, p)
	if len(p.parts) != 2 {
		t.Fatalf("%d subgames, want 2", len(p.parts))
	}
	for m := range p.parts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		table.PackingOf(m)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<16 {
			t.Errorf("the packing of a subgame allocates %d bytes after the start clock", grown)
		}
	}
}

// BenchmarkRules measures the possible gain of choosing the selection rule anew in each position: goal points that strategies of UCT and
// of regret matching lose against the best reply, in positions of solved games, and the loss of the better of the two in each position,
// chosen by an oracle. The loss of the better of two seeds of one rule is due to chance alone.
func BenchmarkRules(b *testing.B) {
	const clock, positions = 30 * time.Millisecond, 40
	for _, game := range []string{"biddingTicTacToe-3", "goofspiel-6", "oshiZumo-12-3"} {
		b.Run(game, func(b *testing.B) {
			u := newOracle(b, newReferee(b, game).machine)
			lost := func(q *question, rule montecarlo.Rule, seed uint64) float64 {
				return exploited(b, u, q, montecarlo.New(montecarlo.Config{Rule: rule, Without: montecarlo.Decisive}), clock, seed)
			}
			sums := make(map[string]float64)
			for _, q := range u.questions(b, positions) {
				uct, regret := lost(&q, montecarlo.UCT, 1), lost(&q, montecarlo.RegretMatching, 1)
				sums["uct"] += uct
				sums["regret"] += regret
				sums["better-rule"] += min(uct, regret)
				sums["better-seed-uct"] += min(uct, lost(&q, montecarlo.UCT, 2))
				sums["better-seed-regret"] += min(regret, lost(&q, montecarlo.RegretMatching, 2))
			}
			for name, sum := range sums {
				b.ReportMetric(sum/positions, name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// exploited returns the goal points that the strategy of a search loses against the best reply, after a processor time.
func exploited(b *testing.B, u *oracle, q *question, s search.Searcher, clock time.Duration, seed uint64) float64 {
	ctx, cancel := withProcessorTime(b.Context(), clock)
	defer cancel()
	r, err := s.Search(ctx, u.machine, q.state, search.Limits{MaxBytes: comparisonBytes, Seed: seed})
	if err != nil {
		b.Fatal(err)
	}
	return q.loss(r.Strategies[q.role])
}

// BenchmarkExploited reports how many goal points the strategies of searches lose against the best reply in positions of solved games:
// playouts with regret matching, and best-first search by an evaluation learnt for learningClock.
func BenchmarkExploited(b *testing.B) {
	const positions = 60
	for _, game := range []string{"goofspiel-6", "goofspiel-7", "goofspiel-8", "oshiZumo-12-3", "oshiZumo-18-3", "biddingTicTacToe-3", "biddingTicTacToe-5", "pursuit-3x3-6"} {
		u := newOracle(b, newReferee(b, game).machine)
		asked := u.questions(b, positions)
		e := learnt(b, u.machine, true).Evaluation()
		for _, clock := range []time.Duration{12 * time.Millisecond, 200 * time.Millisecond} {
			for name, search := range map[string]func() search.Searcher{
				"playouts": func() search.Searcher {
					return montecarlo.New(montecarlo.Config{Rule: montecarlo.RegretMatching, AtOnce: true})
				},
				"best-first": func() search.Searcher { return bestfirst.New(e) },
			} {
				b.Run(fmt.Sprintf("%s/%s/%v", game, name, clock), func(b *testing.B) {
					var sum, squares float64
					for i := range asked {
						lost := exploited(b, u, &asked[i], search(), clock, uint64(i))
						sum, squares = sum+lost, squares+lost*lost
					}
					mean := sum / positions
					b.ReportMetric(mean, "lost")
					b.ReportMetric(1.96*math.Sqrt((squares/positions-mean*mean)/positions), "±")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

func TestThePuzzlesOfOnePlayerLeaveAThreadToTheExactSearch(t *testing.T) {
	for _, c := range []struct{ players, exact, threads, want int }{{1, 1, 4, 3}, {1, 0, 4, 4}, {2, 1, 4, 4}, {1, 1, 1, 1}} {
		p := newThinker(setting{spec: spec{threads: c.threads}})
		p.class.Players, p.exact = c.players, make([]search.Searcher, c.exact)
		if got := p.samplingThreads(); got != c.want {
			t.Errorf("%+v: %d threads", c, got)
		}
	}
}

func TestExactSearchesBesideTheFirstDivideItsMemory(t *testing.T) {
	first, second, third := &patient{}, &patient{deaf: 1}, &patient{deaf: 2}
	l := searchers{exact: []search.Searcher{first, second, third}, grants: map[search.Searcher]int64{}}
	for _, c := range []struct {
		searcher    search.Searcher
		share, want int64
	}{
		{first, 100, 100},
		{second, 100, 50},
		{third, 100, 50},
		{first, 70, 100},
		{first, 60, 60},
		{first, 120, 60},
		{first, 121, 121}, // a table is kept unless the share is 1.5 times less or twice more
	} {
		if got := l.grant(c.searcher, c.share); got != c.want {
			t.Errorf("of a share of %d: %d, want %d", c.share, got, c.want)
		}
	}
}

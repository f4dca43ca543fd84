package player

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
)

func TestATrialGivesEachRivalItsOwnSide(t *testing.T) {
	// The row player wins whatever happens, so the rival that has the row gets
	// all the points: the first with even seeds, the second with odd ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		share, over := newTrialMatch(&comparison{searcher: sampling(500, montecarlo.Config{}, montecarlo.Config{})}, [2]int{0, 1}, seed, at).play(t.Context())
		if !over || share != float64(1-seed&1) {
			t.Errorf("seed %d: the first gets %v, %v; want all for rival %d", seed, share, over, seed&1)
		}
	}
}

func TestRehearsalsKeepToTheirPartOfTheStartClock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	m := gamestest.Machine(t, "tron-5x5")
	p := onOneThread(0, 64<<20, exactSearch, learning)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	began := time.Now()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
	p.prepare(ctx, at)
	p.rehearse(ctx, at)
	if ctx.Err() != nil {
		t.Errorf("took %v of a start clock of 4 s", time.Since(began))
	}
}

func TestCandidates(t *testing.T) {
	for game, c := range map[string]struct{ learnt, unlearnt []string }{
		"connectFour-4x4": {[]string{"playouts", "both", "alpha_beta"}, []string{"playouts", "rave"}},
		"tron-5x5":        {[]string{"playouts", "decisive", "both", "smab"}, []string{"playouts", "decisive"}},
		"trio":            {[]string{"playouts", "both"}, []string{"playouts", "rave"}},
	} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		p.prepare(ctx, position{machine: m, state: m.Initial()})
		cancel()
		for e, want := range map[*evaluate.Evaluation][]string{nil: c.unlearnt, new(evaluate.Evaluation): c.learnt} {
			var got []string
			for _, d := range p.candidates(e) {
				got = append(got, d.name)
				s := p.sampling(d)
				if s.AtOnce == p.isInTurns() || (s.Without&montecarlo.Decisive != 0) != d.plain || s.Rave != d.rave || (s.Evaluator != nil) != (d.evaluator != nil) {
					t.Errorf("%s: %s samples as %+v", game, d.name, s)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", game, got, want)
			}
		}
	}
}

func TestEstimatesThatAreWorthManyPlayoutsGoWithout(t *testing.T) {
	m := gamestest.Machine(t, "breakthrough-4x4")
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true})
	if err != nil {
		t.Fatal(err)
	}
	l.Learn(t.Context(), 10_000)
	l.Weigh(t.Context())
	p := onOneThread(0, 64<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p.prepare(ctx, position{machine: m, state: m.Initial()})
	for speed, want := range map[float64][]string{ // playouts a second; there are ten seconds for a move
		3000: {"estimates", "playouts", "both", "alpha_beta"},
		3400: {"both", "playouts", "estimates", "alpha_beta"},
	} {
		p.class.StatesPerSecond = speed * p.class.Length
		var got []string
		list := p.candidates(l.Evaluation())
		trials := p.newTrials(list, position{machine: m, state: m.Initial()})
		for i, c := range list {
			if got = append(got, c.name); math.IsInf(p.sampling(c).EstimateWeight, 1) != c.alone || c.unlearnt() != p.playing() {
				t.Errorf("%s samples as %+v, without what was learnt as %+v", c.name, p.sampling(c), c.unlearnt())
			}
			met := i > 0 && (want[0] != "both" || c.name == "playouts") // in the first round
			if slices.Contains(trials.challengers, i) != met || c.alone != (c.name == "estimates") {
				t.Errorf("%s, where %s is the first, which meets %v: %+v", c.name, want[0], trials.challengers, c)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("estimates that are worth %g playouts: %v, want %v", l.Evaluation().Weight(), got, want)
		}
	}
}

func TestSubgamesAreSearchedApartUnlessThatGetsFewerPoints(t *testing.T) {
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	for name, c := range map[string]struct {
		won   int // by the search of the whole
		apart bool
	}{"better": {-5, true}, "worse": {5, false}, "too few matches to say": {2, true}} {
		t.Run(name, func(t *testing.T) {
			p := onOneThread(0, 64<<20, exactSearch, learning, "decisive")
			p.hold = func(e *trials, _ context.Context, _ int) {
				if len(e.candidates) != 2 || !e.candidates[0].factors || e.candidates[1].name != playouts {
					t.Fatalf("compared %+v", e.candidates)
				}
				e.won(c.won)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			at := position{machine: m, state: m.Initial()}
			p.prepare(ctx, at)
			p.rehearse(ctx, at)
			if _, apart := p.sampler.(*factor.Searcher); apart != c.apart || p.candidate.factors != c.apart {
				t.Errorf("the search is %T, of %+v", p.sampler, p.candidate)
			}
			r, err := p.sampler.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: 500})
			if err != nil || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// sampling makes rivals that sample, with so many nodes a move, or without a limit.
func sampling(nodes int64, rivals ...montecarlo.Config) func(int) search.Searcher {
	return func(i int) search.Searcher { return limited{montecarlo.New(rivals[i]), nodes} }
}

func TestCandidatesAreComparedAtEqualTime(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	c := comparison{clock: 3 * time.Millisecond, searcher: sampling(0, montecarlo.Config{}, montecarlo.Config{Without: montecarlo.Decisive})}
	began := time.Now()
	trial := newTrialMatch(&c, [2]int{0, 1}, 1, position{machine: m, state: m.Initial()})
	if share, over := trial.play(t.Context()); !over || share < 0 || share > 1 {
		t.Errorf("%v of the points, %v", share, over)
	}
	// Near the end all is proved in less.
	if took := time.Since(began); took < time.Duration(trial.steps/4)*c.clock {
		t.Errorf("%d moves in %v", trial.steps, took)
	}
}

func TestChanceHasNoSeatInAMatchBetweenRules(t *testing.T) {
	got := seats(&machine.Names{Roles: []string{"a", machine.RandomRole, "b"}}, 1)
	if got[0] != 1 || got[1] != -1 || got[2] != 0 {
		t.Errorf("seats %v, want 1 -1 0", got)
	}
}

// BenchmarkRules shows what could be gained by choosing the rule anew in each position: goal points
// that strategies of UCT and of regret matching lose against the best reply, in positions of solved
// games, and what the better of the two would lose in each of them, told by an oracle. What the better
// of two seeds of one rule loses is by chance alone.
func BenchmarkRules(b *testing.B) {
	const clock, positions = 30 * time.Millisecond, 40
	for _, game := range []string{"biddingTicTacToe-3", "goofspiel-6", "oshiZumo-12-3"} {
		b.Run(game, func(b *testing.B) {
			u := newOracle(b, newReferee(b, game).machine)
			lost := func(q *question, rule montecarlo.Rule, seed uint64) float64 {
				ctx, cancel := withProcessorTime(b.Context(), clock)
				defer cancel()
				s := montecarlo.New(montecarlo.Config{Rule: rule, Without: montecarlo.Decisive})
				r, err := s.Search(ctx, u.machine, q.state, search.Limits{MaxBytes: comparisonBytes, Seed: seed})
				if err != nil {
					b.Fatal(err)
				}
				return q.loss(r.Strategies[q.role])
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

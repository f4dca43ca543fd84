package player

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
)

func TestATrialGivesEachRivalItsOwnSide(t *testing.T) {
	// The row player wins whatever happens, so the rival that has the row gets
	// all the points: the first with even seeds, the second with odd ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		points, state := newTrialMatch(&comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{}), nodes: 500}, fixture{[2]int{0, 1}, seed, 0}, at).play(t.Context(), comparisonBytes)
		if state != over || points[seed&1] != 100 || points[1-seed&1] != 0 {
			t.Errorf("seed %d: points %v, %v; want all for rival %d", seed, points, state, seed&1)
		}
	}
}

func TestTheComparisonOfRulesKeepsToItsPartOfTheStartClock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	p := newThinker(setting{threads: 2, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch, learning}})
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	began := time.Now()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
	if ctx.Err() != nil {
		t.Errorf("took %v of a start clock of 4 s", time.Since(began))
	}
}

func TestTheRuleThatGetsMorePointsIsPlayed(t *testing.T) {
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	for name, c := range map[string]struct {
		won, lost int // by UCT
		want      montecarlo.Rule
	}{
		"UCT is better":             {7, 3, montecarlo.UCT},
		"regret matching is better": {3, 7, montecarlo.RegretMatching},
		"too few matches to say":    {leastMatches - 1, 0, montecarlo.RegretMatching},
	} {
		t.Run(name, func(t *testing.T) {
			p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch, learning}})
			p.hold = func(_ context.Context, e *election, _ int) { won(e, 1, 0, c.won); won(e, 0, 1, c.lost) }
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
			p.begin(ctx, at)
			if p.configuration.rule != c.want {
				t.Errorf("rule %v, want %v", p.configuration.rule, c.want)
			}
			// Only regret matching mixes: the search made for the match is of the rule.
			r, err := p.sampler.Search(ctx, m, at.state, search.Limits{MaxNodes: 2000, Seed: 1})
			if mixed := len(r.Strategies[0]) > 1; err != nil || mixed != (c.want == montecarlo.RegretMatching) {
				t.Errorf("strategy %v, %v", r.Strategies[0], err)
			}
		})
	}
}

// Where players choose at once it is the other way round.
func TestPlayoutsAreDecisiveUnlessPlainOnesGetMorePoints(t *testing.T) {
	const turns, atOnce = "connectFour-4x4", "tron-5x5"
	for name, c := range map[string]struct {
		game      string
		won, lost int // by decisive playouts
		plain     bool
	}{
		"decisive are better":             {turns, 9, 7, false},
		"plain are two matches ahead":     {turns, 7, 9, false},
		"plain are better":                {turns, 6, 9, true},
		"too few matches to say":          {turns, 0, 3, false},
		"at once, decisive are better":    {atOnce, 9, 6, false},
		"at once, two matches ahead":      {atOnce, 9, 7, true},
		"at once, too few matches to say": {atOnce, 3, 0, true},
		"at once, plain are better":       {atOnce, 3, 17, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := gamestest.Machine(t, c.game)
			p := newThinker(setting{
				threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0),
				without: []string{exactSearch, learning, rave, regretMatching},
			})
			compared := comparison{}
			p.hold = func(_ context.Context, e *election, _ int) {
				compared = e.comparison
				decisive, plain := 0, 1
				if c.game == atOnce {
					decisive, plain = 1, 0
				}
				won(e, decisive, plain, c.won)
				won(e, plain, decisive, c.lost)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
			if len(compared.names) != 2 || p.configuration.plain != c.plain {
				t.Errorf("compared %v, plain %v, want %v", compared.names, p.configuration.plain, c.plain)
			}
			if s := p.sampling(p.configuration); s.AtOnce != (c.game == atOnce) || (s.Without&montecarlo.Decisive != 0) != c.plain {
				t.Errorf("sampling goes on as %+v", s)
			}
		})
	}
}

func TestSubgamesAreSearchedApartWhereThatGetsMorePoints(t *testing.T) {
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	for name, c := range map[string]struct {
		won, lost int // by subgames
		apart     bool
	}{"better": {20, 0, true}, "worse": {0, 20, false}, "too few matches to say": {0, leastMatches - 1, true}} {
		t.Run(name, func(t *testing.T) {
			p := newThinker(setting{
				threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0),
				without: []string{exactSearch, learning, regretMatching, "decisive"},
			})
			p.hold = func(_ context.Context, e *election, _ int) {
				if !slices.Equal(e.names, []string{factoring, playouts}) {
					t.Fatalf("compared %q", e.names)
				}
				won(e, 0, 1, c.won)
				won(e, 1, 0, c.lost)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			at := position{machine: m, state: m.Initial()}
			p.begin(ctx, at)
			if _, apart := p.sampler.(*factor.Searcher); apart != c.apart || p.configuration.factors != c.apart {
				t.Errorf("the search is %T, of %+v", p.sampler, p.configuration)
			}
			r, err := p.sampler.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: 500})
			if err != nil || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestAllWaysOfSamplingAreCandidates(t *testing.T) {
	for game, want := range map[string][]string{
		"connectFour-4x4": {"playouts", "playouts+plain", "playouts+rave"},
		"tron-5x5": {
			"playouts", "playouts+uct", "playouts+decisive", "playouts+uct+decisive",
		},
	} {
		m := gamestest.Machine(t, game)
		p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		p.prepare(ctx, position{machine: m, state: m.Initial()})
		cancel()
		var got []string
		for _, d := range p.ways() {
			got = append(got, d.name)
			if strings.Contains(d.name, "uct") == (d.rule == montecarlo.RegretMatching) ||
				strings.Contains(d.name, "rave") != d.rave || !p.isInTurns() && strings.Contains(d.name, "decisive") == d.plain {
				t.Errorf("%s is %+v", d.name, d)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", game, got, want)
		}
	}
}

// sampling makes rivals that sample.
func sampling(rivals ...montecarlo.Config) func(int) search.Searcher {
	return func(i int) search.Searcher { return montecarlo.New(rivals[i]) }
}

func TestWaysOfSamplingAreComparedAtEqualTime(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	c := comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{Without: montecarlo.Decisive})}
	points, state := newTrialMatch(&c, fixture{[2]int{0, 1}, 1, trialClock}, position{machine: m, state: m.Initial()}).play(t.Context(), comparisonBytes)
	if total := points[0] + points[1]; state != over || total != 100 {
		t.Errorf("%v points, %v", points, state)
	}
}

func TestMatchesBetweenTheRulesCountWhatEachGets(t *testing.T) {
	// Matching pennies in which the row player must not be predictable: UCT plays
	// the move it tried most, the same in every search with the same seed, regret
	// matching both. What each gets is counted for it.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{0, 100}, {0, 100}}})
	e := between(m, comparison{nodes: 1000}, montecarlo.Config{}, montecarlo.Config{Rule: montecarlo.RegretMatching})
	holdUntil(t, e, 2, func() bool { return e.matches > 0 })
	first, matches := e.standing(0)
	second, _ := e.standing(1)
	if matches == 0 || matches != e.matches || math.Abs(first+second-1) > 1e-9 {
		t.Errorf("shares of %v and %v in %d matches of %d", first, second, matches, e.matches)
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

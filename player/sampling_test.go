package player

import (
	"context"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

func TestATrialGivesEachRivalItsOwnSide(t *testing.T) {
	// The row player wins whatever happens, so the rival that has the row gets
	// all the points: the first with even seeds, the second with odd ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		points, state := newBout(&comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{}), nodes: comparisonNodes}, at, seed).play(t.Context(), comparisonBytes)
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
		"too few matches to say":    {comparisonMatches - 1, 0, montecarlo.RegretMatching},
	} {
		t.Run(name, func(t *testing.T) {
			p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch, learning}})
			p.hold = func(_ context.Context, s *series, _ int) { wins(s, c.won); wins(s, -c.lost) }
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
			p.begin(ctx, at)
			if p.mind.rule != c.want {
				t.Errorf("rule %v, want %v", p.mind.rule, c.want)
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
func TestPlayoutsAreDecisiveUnlessPlainOnesGetClearlyMorePoints(t *testing.T) {
	const turns, atOnce = "connectFour-4x4", "tron-5x5"
	for name, c := range map[string]struct {
		game      string
		won, lost int // by decisive playouts
		plain     bool
	}{
		"decisive are better":                 {turns, 9, 7, false},
		"plain are a bit better":              {turns, 7, 9, false},
		"plain are clearly ahead":             {turns, 3, 17, true},
		"too few matches to say":              {turns, 0, 5, false},
		"at once, decisive are a bit better":  {atOnce, 9, 7, true},
		"at once, decisive are clearly ahead": {atOnce, 17, 3, false},
		"at once, too few matches to say":     {atOnce, 5, 0, true},
		"at once, plain are clearly ahead":    {atOnce, 3, 17, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := gamestest.Machine(t, c.game)
			p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch, learning}})
			compared := comparison{}
			p.hold = func(_ context.Context, s *series, _ int) {
				compared = s.comparison
				wins(s, c.won)
				wins(s, -c.lost)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
			if compared.names != decisiveOrPlain || compared.clock == 0 || p.mind.plain != c.plain {
				t.Errorf("compared %v, %v a move, plain %v, want %v", compared.names, compared.clock, p.mind.plain, c.plain)
			}
			if s := p.sampling(p.mind); s.AtOnce != (c.game == atOnce) || (s.Without&montecarlo.Decisive != 0) != c.plain {
				t.Errorf("sampling goes on as %+v", s)
			}
		})
	}
}

// decisiveOrPlain are the rivals where there are decisive moves.
var decisiveOrPlain = [2]string{"decisive", "plain"}

// sampling makes rivals that sample.
func sampling(rivals ...montecarlo.Config) func(int) search.Searcher {
	return func(i int) search.Searcher { return montecarlo.New(rivals[i]) }
}

func TestWaysOfSamplingAreComparedAtEqualTime(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	c := comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{Without: montecarlo.Decisive}), clock: comparisonClock}
	points, state := newBout(&c, position{machine: m, state: m.Initial()}, 1).play(t.Context(), comparisonBytes)
	if total := points[0] + points[1]; state != over || total != 100 {
		t.Errorf("%v points, %v", points, state)
	}
}

func TestMatchesBetweenTheRulesCountWhatEachGets(t *testing.T) {
	// Matching pennies in which the row player must not be predictable: UCT plays
	// the move it tried most, the same in every search with the same seed, regret
	// matching both. What each gets is counted for it.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{0, 100}, {0, 100}}})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := comparison{searcher: sampling(montecarlo.Config{}, montecarlo.Config{Rule: montecarlo.RegretMatching}), nodes: comparisonNodes}
	s := &series{comparison: c, at: position{machine: m, state: m.Initial()}, memory: comparisonBytes}
	hold(ctx, s, 2)
	if total := s.points[0] + s.points[1]; s.matches == 0 || total != 100*float64(s.matches) {
		t.Errorf("%v points in %d matches of 100 points", s.points, s.matches)
	}
}

func TestChanceHasNoSeatInAMatchBetweenRules(t *testing.T) {
	got := seats(&machine.Names{Roles: []string{"a", machine.RandomRole, "b"}}, 1)
	if got[0] != 1 || got[1] != -1 || got[2] != 0 {
		t.Errorf("seats %v, want 1 -1 0", got)
	}
}

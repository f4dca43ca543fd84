package player

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// wins are that many matches won by the first or, if there are less than none, lost by it.
func wins(s *series, count int) {
	for range max(count, -count) {
		if count > 0 {
			s.take([2]float64{100, 0})
		} else {
			s.take([2]float64{0, 100})
		}
	}
}

// schooled is a thinker without exact search that has learnt a game before, so that it does
// not depend on the clock what it knows.
func schooled(t *testing.T, m machine.Machine, without ...string) *thinker {
	t.Helper()
	file, _ := lessons(t, m, m.(machine.Threatener).Threats(t.Context()))
	return newThinker(setting{
		threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0),
		without: append(without, exactSearch), knowledge: knowledge{file, "rules"},
	})
}

// lessons is a file of what was learnt of a game whose rules have the digest "rules", and from
// how many games.
func lessons(t *testing.T, m machine.Machine, threats machine.Threats) (file string, games int64) {
	t.Helper()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true, Threats: threats})
	if err != nil {
		t.Fatal(err)
	}
	l.Learn(t.Context(), 50)
	file = filepath.Join(t.TempDir(), KnowledgeFile("rules"))
	if err := l.Save(file, "rules"); err != nil {
		t.Fatal(err)
	}
	return file, l.Progress().Games
}

func TestWhatWasLearntIsUsedAsMatchesShowToBeBest(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	for name, c := range map[string]struct {
		won  map[[2]string]int // matches, by challenger and who is best so far
		want string
	}{
		"estimates are better":             {map[[2]string]int{{"estimates", "playouts"}: 10}, "estimates"},
		"both are":                         {map[[2]string]int{{"both", "playouts"}: 10}, "both"},
		"estimates are better yet":         {map[[2]string]int{{"both", "playouts"}: 10, {"estimates", "both"}: 10}, "estimates"},
		"playouts that learn are":          {map[[2]string]int{{"averages", "playouts"}: 10}, "averages"},
		"estimates are better than these":  {map[[2]string]int{{"averages", "playouts"}: 10, {"estimates", "averages"}: 10}, "estimates"},
		"alpha-beta is":                    {map[[2]string]int{{"alpha_beta", "playouts"}: 10}, "alpha_beta"},
		"none is":                          {map[[2]string]int{{"estimates", "playouts"}: -10, {"both", "playouts"}: -10}, "playouts"},
		"three matches won are not enough": {map[[2]string]int{{"estimates", "playouts"}: 3}, "playouts"},
	} {
		t.Run(name, func(t *testing.T) {
			p := schooled(t, m)
			p.hold = func(_ context.Context, s *series, _ int) {
				wins(s, c.won[s.names])
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
			if p.mind.name != c.want {
				t.Errorf("%s, want %s", p.mind.name, c.want)
			}
			r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 2000})
			_, samples := p.sampler.(*montecarlo.Searcher)
			if err != nil || samples != (c.want != "alpha_beta") || len(r.Strategies[0]) != 1 {
				t.Errorf("the search is a %T, %v, strategies %v", p.sampler, err, r.Strategies)
			}
			if playsOut := r.Playouts > 0 && p.mind.weight > 0; playsOut != (c.want == "both") {
				t.Errorf("%d playouts, weight %d", r.Playouts, p.mind.weight)
			}
		})
	}
}

func TestEquilibriaOfWhatWasLearntArePlayedWhereTheyAreBetter(t *testing.T) {
	m := gamestest.Machine(t, "biddingTicTacToe-2")
	p := schooled(t, m)
	p.hold = func(_ context.Context, s *series, _ int) {
		if s.names == [2]string{"horizon", "playouts"} {
			wins(s, 10)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}}
	p.prepare(ctx, at)
	p.learn(ctx, at)
	r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 300})
	if err != nil || p.mind.name != "horizon" || r.Playouts > 0 || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
		t.Errorf("%s: %d playouts, strategies %v, %v", p.mind.name, r.Playouts, r.Strategies, err)
	}
	var f findings
	p.file(at, &f, report{from: p.sampler, err: search.ErrNotZeroSum})
	if _, samples := p.sampler.(*montecarlo.Searcher); !samples || p.mind != p.mind.unlearnt() {
		t.Errorf("%s, a %T, goes on with a game that it cannot search", p.mind.name, p.sampler)
	}
}

func TestTrialsThatAreNotDecidedGoOnBetweenMoves(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := schooled(t, m, alphaBeta, averages, rave)
	between, asked := false, []string{}
	p.hold = func(ctx context.Context, s *series, _ int) {
		switch {
		case s.names == decisiveOrPlain:
		case !between:
			wins(s, 3)
		case s.names[0] == "both":
			asked = append(asked, "both")
			wins(s, -20)
		default:
			asked = append(asked, "estimates")
			wins(s, 3) // together with those before
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}}
	p.begin(ctx, at)
	if p.mind.name != playouts {
		t.Fatalf("%s after three matches won", p.mind.name)
	}
	between = true
	pondering, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	p.study(pondering)
	if p.mind.name != "estimates" || !slices.Equal(asked, []string{"both", "estimates"}) || len(p.studies.trials) > 0 {
		t.Errorf("%s after trials of %v, %d not decided", p.mind.name, asked, len(p.studies.trials))
	}
}

func TestTheStartClockTeaches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	m := gamestest.Machine(t, "connectFour-4x4")
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}})
	tried := false
	p.hold = func(_ context.Context, s *series, _ int) { tried = tried || s.names[0] == "estimates" }
	ctx, cancel := context.WithTimeout(t.Context(), 2*leastLearning)
	defer cancel()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
	if !tried {
		t.Error("nothing that was learnt is tried out")
	}
}

func TestNothingIsLearntInAShortStartClock(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}})
	p.hold = func(_ context.Context, s *series, _ int) {
		if s.names != decisiveOrPlain {
			t.Errorf("%v are tried out", s.names)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), leastLearning/2)
	defer cancel()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
}

func TestKnowledgeIsUsedInsteadOfLearning(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	file, games := lessons(t, m, nil)
	for name, c := range map[string]struct {
		knowledge knowledge
		known     bool
	}{
		"of the game":     {knowledge{file, "rules"}, true},
		"none":            {knowledge{}, false},
		"no file":         {knowledge{file + ".not", "rules"}, false},
		"of another game": {knowledge{file, "others"}, false},
	} {
		p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: c.knowledge})
		got := p.recall(m, evaluate.Config{ConstantSum: true})
		if (got != nil) != c.known || c.known && got.Progress().Games != games {
			t.Errorf("knowledge %s: learner %v", name, got)
		}
	}
}

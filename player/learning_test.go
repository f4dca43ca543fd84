package player

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// trained is a thinker without exact search that has learnt a game before, so that it does
// not depend on the clock what it knows.
func trained(t *testing.T, m machine.Machine, without ...string) *thinker {
	t.Helper()
	file, _ := savedWeights(t, m, m.Signals(t.Context()))
	p := newThinker(setting{
		threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0),
		without: append(without, exactSearch), knowledge: knowledge{file, "rules"},
	})
	p.runLearner = func(*evaluate.Learner, context.Context, int64) {}
	return p
}

// savedWeights is a file of the weights of a game whose rules have the digest "rules", and from
// how many games.
func savedWeights(t *testing.T, m machine.Machine, signals machine.Signals) (file string, games int64) {
	t.Helper()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true, Signals: signals})
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
		order []string // the best first
		want  string
	}{
		"estimates are best":   {[]string{"estimates", "both", "playouts"}, "estimates"},
		"both are":             {[]string{"both", "playouts"}, "both"},
		"alpha-beta is":        {[]string{"alpha_beta", "estimates", "playouts"}, "alpha_beta"},
		"none is":              {[]string{"playouts"}, "playouts"},
		"there are no matches": {nil, "playouts"},
	} {
		t.Run(name, func(t *testing.T) {
			p := trained(t, m)
			p.hold = func(_ context.Context, e *election, _ int) {
				for i, name := range c.order {
					first := slices.Index(e.names, name)
					for j, other := range e.names {
						if first >= 0 && j != first && !slices.Contains(c.order[:i], other) {
							won(e, first, j, 10)
						}
					}
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
			if p.configuration.name != c.want {
				t.Errorf("%s, want %s", p.configuration.name, c.want)
			}
			r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 2000})
			_, samples := p.sampler.(*montecarlo.Searcher)
			if err != nil || samples != (c.want != "alpha_beta") || len(r.Strategies[0]) != 1 {
				t.Errorf("the search is a %T, %v, strategies %v", p.sampler, err, r.Strategies)
			}
			if playsOut := r.Playouts > 0 && p.configuration.weight > 0; playsOut != (c.want == "both") {
				t.Errorf("%d playouts, weight %d", r.Playouts, p.configuration.weight)
			}
		})
	}
}

func TestPlayoutsWithPriorsAreTheFavouriteInTurns(t *testing.T) {
	for _, c := range []struct {
		game, want string
		peer       int
		without    []string
	}{
		{"connectFour-4x4", "both", 1, nil},
		{"connectFour-4x4", "both", nobody, []string{alphaBeta}},
		{"connectFour-4x4", "playouts", nobody, []string{"priors"}},
		{"biddingTicTacToe-2", "playouts", nobody, nil},
	} {
		m := gamestest.Machine(t, c.game)
		l, err := evaluate.New(m, evaluate.Config{ConstantSum: true})
		if err != nil {
			t.Fatal(err)
		}
		p := trained(t, m, c.without...)
		p.prepare(t.Context(), position{machine: m, state: m.Initial()})
		ways, configurations := p.ways(), p.configurations(l.Evaluation())
		if ahead, peer := p.favourite(configurations); configurations[ahead].name != c.want || peer != c.peer || configurations[0].name != "playouts" {
			t.Errorf("%s without %v: %s is ahead, but not of %d; want %s, not of %d", c.game, c.without, configurations[ahead].name, peer, c.want, c.peer)
		}
		if ahead, peer := p.favourite(ways); ahead != 0 || peer != nobody {
			t.Errorf("%s: of the ways of sampling %d is ahead, but not of %d", c.game, ahead, peer)
		}
	}
}

func TestWaysOfSamplingAreTriedFirstWhereTheyMatterMost(t *testing.T) {
	turns, atOnce := gamestest.Machine(t, "connectFour-4x4"), gamestest.Machine(t, "biddingTicTacToe-2")
	for name, c := range map[string]struct {
		m       machine.Machine
		without []string
		want    []string // the last candidates of each election
	}{
		"in turns":           {turns, nil, []string{"estimates"}},
		"with no learning":   {turns, []string{learning}, []string{"playouts+rave"}},
		"who choose at once": {atOnce, nil, []string{"playouts+uct+decisive", "estimates"}},
	} {
		p := trained(t, c.m, c.without...)
		var last []string
		p.hold = func(_ context.Context, e *election, _ int) { last = append(last, e.names[len(e.names)-1]) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		p.begin(ctx, position{machine: c.m, state: c.m.Initial(), legal: []machine.Move{0, 1}})
		cancel()
		if !slices.Equal(last, c.want) {
			t.Errorf("%s: elections end with %v, want %v", name, last, c.want)
		}
	}
}

func TestEquilibriaOfWhatWasLearntArePlayedWhereTheyAreBetter(t *testing.T) {
	m := gamestest.Machine(t, "biddingTicTacToe-2")
	p := trained(t, m)
	p.hold = func(_ context.Context, e *election, _ int) {
		for i := range e.names {
			if horizon := slices.Index(e.names, "horizon"); i != horizon {
				won(e, horizon, i, 10)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}}
	p.prepare(ctx, at)
	p.learn(ctx, at)
	r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 300})
	if err != nil || p.configuration.name != "horizon" || r.Playouts > 0 || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
		t.Errorf("%s: %d playouts, strategies %v, %v", p.configuration.name, r.Playouts, r.Strategies, err)
	}
	p.replace(p.sampler, search.ErrNotZeroSum)
	if _, samples := p.sampler.(*montecarlo.Searcher); !samples || p.configuration != p.configuration.unlearnt() {
		t.Errorf("%s, a %T, goes on with a game that it cannot search", p.configuration.name, p.sampler)
	}
}

func TestWhatAnElectionDoesNotShowIsStudiedBetweenMoves(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	for name, c := range map[string]struct {
		before, between int // matches that estimates win
		first, want     string
		again           bool // it goes on between the moves after
	}{
		"nobody is better":           {0, 0, "playouts", "playouts", true},
		"who is ahead wins":          {leastMatches, 1, "estimates", "estimates", true},
		"too few matches at first":   {1, leastMatches, "playouts", "estimates", true},
		"still too few":              {1, 1, "playouts", "playouts", true},
		"another one is better":      {0, 6, "playouts", "estimates", true},
		"at longer clocks":           {-6, leastMatches, "playouts", "estimates", true},
		"the same one is":            {leastMatches, 6, "estimates", "estimates", false},
		"not at longer clocks":       {6, -leastMatches, "estimates", "playouts", true},
		"not shown at longer clocks": {6, 1 - leastMatches, "estimates", "estimates", true},
	} {
		p := trained(t, m, alphaBeta, rave)
		wins := c.before
		held := 0
		p.hold = func(_ context.Context, e *election, _ int) {
			if playouts, estimates := slices.Index(e.names, "playouts"), slices.Index(e.names, "estimates"); estimates >= 0 {
				held++
				e.left = []int{playouts, estimates}
				won(e, estimates, playouts, wins)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
		cancel()
		if p.configuration.name != c.first {
			t.Errorf("%s: %s at first, want %s", name, p.configuration.name, c.first)
		}
		wins = c.between
		pondering, stop := context.WithTimeout(t.Context(), time.Minute)
		p.tune(pondering)
		if p.configuration.name != c.want {
			t.Errorf("%s: %s, want %s", name, p.configuration.name, c.want)
		}
		if e := p.tuning.election; e.names[e.favourite] != p.configuration.name {
			t.Errorf("%s: %s is the favourite, %s is followed", name, e.names[e.favourite], p.configuration.name)
		}
		held, wins = 0, 0
		p.tune(pondering)
		stop()
		if again := held > 0; again != c.again {
			t.Errorf("%s: goes on after that: %v", name, again)
		}
	}
}

func TestMatchesBetweenMovesEndByTheMiddle(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	for clock, want := range map[time.Duration]time.Duration{0: maxTuningTime, time.Second: 3 * time.Second, time.Hour: maxTuningTime} {
		p := newThinker(setting{threads: 1, clock: clock, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
		p.prepare(t.Context(), position{machine: m, state: m.Initial()})
		p.class.Length = 12 // half of it in the time of the other one, and half of that
		p.tuning.election = newElection(comparison{names: []string{playouts, "both"}}, position{}, 0, 12)
		left := time.Duration(-1)
		p.hold = func(ctx context.Context, _ *election, _ int) {
			ends, _ := ctx.Deadline()
			left = time.Until(ends)
		}
		for _, spent := range []time.Duration{0, want - 20*time.Millisecond, want} {
			p.tuning.spent = spent
			p.tune(t.Context())
			if rest := want - spent; left > rest || left < rest-time.Second {
				t.Errorf("clock of %v, %v are spent: %v left for matches, want %v", clock, spent, left, rest)
			}
		}
	}
}

func TestLearningGoesOnBetweenMoves(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p, held := trained(t, m, alphaBeta, rave), 0
	p.hold = func(_ context.Context, e *election, _ int) {
		held++
		if estimates := slices.Index(e.names, "estimates"); estimates >= 0 {
			e.left = []int{slices.Index(e.names, "playouts"), estimates}
			won(e, estimates, e.left[0], leastMatches)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
	cancel()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true})
	if err != nil || p.configuration.name != "estimates" {
		t.Fatalf("%s is chosen, error %v", p.configuration.name, err)
	}
	p.runLearner = (*evaluate.Learner).Learn
	u, before, sampler := &p.tuning, p.configuration.evaluator, p.sampler
	tuneUntil := func(until func() bool) {
		t.Helper()
		for began := time.Now(); !until() && time.Since(began) < time.Minute; {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			p.tune(ctx)
			cancel()
		}
	}
	held = 0
	u.course = course{learner: l, taken: 100 * time.Millisecond}
	tuneUntil(func() bool { return p.configuration.evaluator != before })
	if p.configuration.evaluator == before || u.configurations[0].evaluator != p.configuration.evaluator || p.sampler == sampler || l.Progress().Games == 0 {
		t.Errorf("nothing that was learnt in %d games is taken over", l.Progress().Games)
	}
	if held > 0 || u.learner == nil || u.taken < 200*time.Millisecond {
		t.Errorf("after %v matches are held %d times, learning goes on: %v", u.taken, held, u.learner != nil)
	}
	u.more = u.taken - time.Millisecond
	u.taken += maxPonderedLearning
	u.more += maxPonderedLearning
	tuneUntil(func() bool { return held > 0 })
	if held == 0 || u.learner != nil {
		t.Errorf("after %v matches are held %d times, learning goes on: %v", u.taken, held, u.learner != nil)
	}
}

func TestTheStartClockTeaches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	m := gamestest.Machine(t, "connectFour-4x4")
	tried, knows := false, knowledge{filepath.Join(t.TempDir(), KnowledgeFile("rules")), "rules"}
	for clock := 2 * leastLearning; !tried && clock < 2*time.Minute; clock *= 2 { // on a busy machine learning takes longer
		p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}, knowledge: knows})
		p.hold = func(_ context.Context, e *election, _ int) { tried = tried || slices.Contains(e.names, "estimates") }
		ctx, cancel := context.WithTimeout(t.Context(), clock)
		p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
		cancel()
	}
	if _, err := evaluate.Learnt(knows.file); !tried || err != nil {
		t.Errorf("what was learnt is tried out: %v, kept for the next match: %v", tried, err)
	}
}

func TestNothingIsLearntInAShortStartClock(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}})
	p.hold = func(_ context.Context, e *election, _ int) {
		if slices.Contains(e.names, "estimates") {
			t.Errorf("%v are tried out", e.names)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), leastLearning/2)
	defer cancel()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
}

func TestLearningOfNoUseEndsAtHalfOfItsTime(t *testing.T) {
	l, err := evaluate.New(gamestest.Machine(t, "connectFour-4x4"), evaluate.Config{ConstantSum: true})
	if err != nil {
		t.Fatal(err)
	}
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	for _, c := range []struct {
		games    int64
		recalled bool
		useful   bool
		periods  int
	}{{0, false, false, 1}, {50, true, true, 2}} {
		periods := 0
		p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) {
			periods++
			if ends, _ := ctx.Deadline(); time.Until(ends) > time.Minute/2 {
				t.Errorf("a period of %v, want half a minute", time.Until(ends))
			}
			if c.games > l.Progress().Games {
				l.Learn(t.Context(), c.games)
			}
		}
		if useful := p.train(t.Context(), l, time.Minute, c.recalled); useful != c.useful || periods != c.periods {
			t.Errorf("%d games, recalled %v: of use %v after %d periods, want %v after %d", c.games, c.recalled, useful, periods, c.useful, c.periods)
		}
	}
}

func TestKnowledgeIsUsedInsteadOfLearning(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	file, games := savedWeights(t, m, nil)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copied") // it is set aside
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		knowledge knowledge
		known     bool
	}{
		"of the game":     {knowledge{file, "rules"}, true},
		"none":            {knowledge{}, false},
		"no file":         {knowledge{file + ".not", "rules"}, false},
		"of another game": {knowledge{copied, "others"}, false},
	} {
		p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: c.knowledge})
		got := p.recall(m, evaluate.Config{ConstantSum: true})
		if (got != nil) != c.known || c.known && got.Progress().Games != games {
			t.Errorf("knowledge %s: learner %v", name, got)
		}
	}
}

func TestWhatIsLearntIsKeptUnlessMoreIsKnown(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	learnt := func(games int64) *evaluate.Learner {
		l, err := evaluate.New(m, evaluate.Config{ConstantSum: true})
		if err != nil {
			t.Fatal(err)
		}
		l.Learn(t.Context(), games)
		return l
	}
	little, more := learnt(20), learnt(60)
	var log strings.Builder
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
	p.keep(more) // nowhere
	p.knowledge = knowledge{filepath.Join(t.TempDir(), KnowledgeFile("rules")), "rules"}
	for i, l := range []*evaluate.Learner{little, more, little} {
		p.keep(l)
		want := []*evaluate.Learner{little, more, more}[i].Progress().Games
		if got := p.recall(m, evaluate.Config{ConstantSum: true}); got == nil || got.Progress().Games != want {
			t.Errorf("after %d times what is kept is %v, want that of %d games", i+1, got, want)
		}
	}
	if err := os.WriteFile(p.knowledge.file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.keep(more)
	if text, err := os.ReadFile(p.knowledge.file); string(text) != "nonsense" || err != nil || !strings.Contains(log.String(), "expected what was learnt") {
		t.Errorf("what cannot be read is overwritten, %v; said of it: %s", err, log.String())
	}
	p.recall(m, evaluate.Config{ConstantSum: true})
	p.keep(more)
	if known, err := evaluate.Learnt(p.knowledge.file); err != nil || known.Games != more.Progress().Games {
		t.Errorf("after damage %d games are kept, %v", known.Games, err)
	}
	if text, err := os.ReadFile(p.knowledge.file + damagedSuffix); string(text) != "nonsense" {
		t.Errorf("what cannot be read is not set aside, %v", err)
	}
	other := gamestest.Machine(t, "ticTacToe") // as the same game may seem to an engine that had less time
	if p.recall(other, evaluate.Config{ConstantSum: true}); p.knowledge.file != "" {
		t.Error("what others can use would be replaced")
	}
	p.knowledge.file = filepath.Join(t.TempDir(), "nowhere", "file")
	if p.keep(more); !strings.Contains(log.String(), "cannot save what was learnt") {
		t.Errorf("of a folder that is not there is said: %s", log.String())
	}
}

package player

import (
	"context"
	"math"
	"os"
	"path/filepath"
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
		spec:   spec{threads: 1, without: append(without, exactSearch)},
		memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: knowledge{file, "rules"},
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

// rehearsed makes a thinker rehearse, with trials in which each challenger wins or loses.
func rehearsed(t *testing.T, p *thinker, m machine.Machine, wins func(challenger candidate) bool) {
	t.Helper()
	p.hold = func(e *trials, _ context.Context, _ int) {
		for !e.decided() {
			if count := 4; wins(e.candidates[e.challengers[0]]) {
				e.won(count)
			} else {
				e.won(-count)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}}
	p.prepare(ctx, at)
	p.rehearse(ctx, at)
}

func TestWhatWasLearntIsUsedAsMatchesShowToBeBest(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	for _, want := range []string{"both", "alpha_beta", "playouts"} {
		t.Run(want, func(t *testing.T) {
			p := trained(t, m)
			rehearsed(t, p, m, func(c candidate) bool { return c.name == want })
			if p.candidate.name != want {
				t.Errorf("%s, want %s", p.candidate.name, want)
			}
			r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 2000})
			_, samples := p.sampler.(*montecarlo.Searcher)
			if err != nil || samples != (want != "alpha_beta") || len(r.Strategies[0]) != 1 || samples != (r.Playouts > 0) {
				t.Errorf("the search is a %T, %v, %d playouts, strategies %v", p.sampler, err, r.Playouts, r.Strategies)
			}
		})
	}
}

func TestEquilibriaOfWhatWasLearntArePlayedWhereTheyAreBetter(t *testing.T) {
	m := gamestest.Machine(t, "biddingTicTacToe-2")
	p := trained(t, m)
	rehearsed(t, p, m, func(c candidate) bool { return c.deepens })
	r, err := p.sampler.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 300})
	if err != nil || !p.candidate.deepens || r.Playouts > 0 || len(r.Strategies) != 2 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
		t.Errorf("%s: %d playouts, strategies %v, %v", p.candidate.name, r.Playouts, r.Strategies, err)
	}
	p.replace(p.sampler, search.ErrNotZeroSum)
	if _, samples := p.sampler.(*montecarlo.Searcher); !samples || p.candidate != p.candidate.unlearnt() {
		t.Errorf("%s, a %T, goes on with a game that it cannot search", p.candidate.name, p.sampler)
	}
}

func TestExactSearchesBeginWithLittleTimeInGamesOfTurnsThatAreNotSolvedAtOnce(t *testing.T) {
	for game, c := range map[string]struct {
		clock time.Duration
		want  float64
	}{"breakthrough": {300 * time.Millisecond, leastWork}, "goofspiel-10": {300 * time.Millisecond, 1}, "ticTacToe": {20 * time.Second, 1}} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20, learning)
		p.begin(ctxOf(t, c.clock), position{machine: m, state: m.Initial()})
		if p.exactWork != c.want {
			t.Errorf("%s: exact searches begin with %v of the time, want %v", game, p.exactWork, c.want)
		}
	}
}

func TestTrialsThatDecideNothingGoOnBetweenMoves(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := trained(t, m)
	p.clock = time.Second
	left, held := time.Duration(0), 0
	p.hold = func(e *trials, ctx context.Context, _ int) {
		ends, _ := ctx.Deadline()
		left = time.Until(ends)
		if held++; held == 2 {
			for _, won := range []int{-3, -3, 4} { // both is met in both rounds
				e.won(won)
			}
		}
	}
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p.prepare(ctx, at)
	p.rehearse(ctx, at)
	p.begun, p.class.Length = m, 12
	if p.candidate.name != playouts || p.trials.clock != p.clock/300 {
		t.Fatalf("%s plays at first, trials have a clock of %v", p.candidate.name, p.trials.clock)
	}
	if p.trialTime() != 750*time.Millisecond { // an eighth of the time of the moves of the other one
		t.Errorf("%v for trials between moves", p.trialTime())
	}
	p.ponder(ctxOf(t, 20*time.Millisecond), at)
	if p.candidate.name != "alpha_beta" || held != 2 || left > 750*time.Millisecond || p.trials.clock != p.clock/20 {
		t.Errorf("%s plays after matches have been held %d times, the last time for %v, at last with a clock of %v", p.candidate.name, held, left, p.trials.clock)
	}
	p.ponder(ctxOf(t, 10*time.Millisecond), at)
	if held != 2 {
		t.Errorf("matches are held %d times, want 2: all is decided", held)
	}
}

// ctxOf is a context with a deadline.
func ctxOf(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestTheStartClockTeaches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	m := gamestest.Machine(t, "connectFour-4x4")
	tried, knows := false, knowledge{filepath.Join(t.TempDir(), KnowledgeFile("rules")), "rules"}
	for clock := 2 * leastLearning; !tried && clock < 2*time.Minute; clock *= 2 { // on a busy machine learning takes longer
		p := newThinker(setting{spec: spec{threads: 1, without: []string{exactSearch}}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: knows})
		p.hold = func(e *trials, _ context.Context, _ int) {
			if best := e.candidates[0]; best.evaluator != nil {
				tried = true
				w := best.evaluator.Weight()
				if counts := p.sampling(best).EstimateWeight; w <= 0 || counts != w && !(best.alone && math.IsInf(counts, 1)) {
					t.Errorf("an estimate that is worth %g playouts counts for %g", w, counts)
				}
			}
		}
		p.begin(ctxOf(t, clock), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
	}
	if _, err := evaluate.Learnt(knows.file); !tried || err != nil {
		t.Errorf("what was learnt is tried out: %v, kept for the next match: %v", tried, err)
	}
}

func TestNothingIsLearntInAShortStartClock(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := newThinker(setting{spec: spec{threads: 1, without: []string{exactSearch}}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	p.hold = func(e *trials, _ context.Context, _ int) {
		if e.candidates[0].evaluator != nil {
			t.Errorf("%+v are tried out", e.candidates)
		}
	}
	p.begin(ctxOf(t, leastLearning/2), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
}

func TestWhatIsOfNoUseIsNotTriedOut(t *testing.T) {
	m := gamestest.Machine(t, "gomoku-5x5") // one game says nothing of others
	for games, useful := range map[int64]bool{0: false, 1: false, 3000: true} {
		p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
		p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) {
			if ends, _ := ctx.Deadline(); time.Until(ends) > time.Minute/2 {
				t.Errorf("%v to learn, want half a minute", time.Until(ends))
			}
			if games > 0 {
				l.Learn(t.Context(), games)
			}
		}
		at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}}
		ctx := ctxOf(t, time.Minute)
		p.prepare(ctx, at)
		e := p.learn(ctx, at)
		if got := e != nil; got != useful {
			t.Errorf("after %d games what was learnt is of use: %v", games, got)
		}
	}
}

func TestNothingIsLearntOfASolvedGame(t *testing.T) {
	m := newSubtraction(9)
	p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	p.runLearner = func(*evaluate.Learner, context.Context, int64) {
		t.Error("the sampling search has proved the value, and it learns")
	}
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}}
	p.prepare(t.Context(), at)
	p.exact = exacts(&patient{result: pure(0, search.Interval{Upper: bestGoal}, true)})
	p.begin(ctxOf(t, time.Minute), at)
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
		p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: c.knowledge})
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
	p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
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

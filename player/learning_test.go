package player

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
)

// learnerOf returns a learner after the given number of games.
func learnerOf(t *testing.T, m machine.Machine, signals machine.Signals, games int64) *evaluate.Learner {
	t.Helper()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true, Signals: signals})
	if err != nil {
		t.Fatal(err)
	}
	l.Learn(t.Context(), games)
	return l
}

// savedWeights returns a file of the weights of a game whose rules have the digest "rules", and from
// how many games.
func savedWeights(t *testing.T, m machine.Machine, signals machine.Signals) (file string, games int64) {
	t.Helper()
	l := learnerOf(t, m, signals, 50)
	file = filepath.Join(t.TempDir(), KnowledgeFile("rules"))
	if err := l.Save(file, "rules"); err != nil {
		t.Fatal(err)
	}
	return file, l.Progress().Games
}

func TestExactSearchesBeginWithLittleTimeInGamesOfTurnsThatAreNotSolvedAtOnce(t *testing.T) {
	for game, c := range map[string]struct {
		clock time.Duration
		want  float64
	}{"breakthrough": {300 * time.Millisecond, leastExactShare}, "goofspiel-10": {300 * time.Millisecond, 1}, "ticTacToe": {20 * time.Second, 1}} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20, learning)
		p.begin(ctxOf(t, c.clock), position{machine: m, state: m.Initial()})
		if p.exactShare != c.want {
			t.Errorf("%s: exact searches begin with %v of the time, want %v", game, p.exactShare, c.want)
		}
	}
}

// ctxOf returns a context with a deadline.
func ctxOf(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestTheStartClockTeaches(t *testing.T) {
	exhaustive.Only(t, "takes two seconds")
	m := gamestest.Machine(t, "connectFour-4x4")
	used, knows := false, knowledge{filepath.Join(t.TempDir(), KnowledgeFile("rules")), "rules"}
	for clock := 2 * leastLearning; !used && clock < 2*time.Minute; clock *= 2 { // on a busy machine learning takes longer
		p := newThinker(setting{spec: spec{threads: 1, without: []string{exactSearch}}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: knows})
		p.begin(ctxOf(t, clock), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
		used = p.approach.evaluator != nil
	}
	if _, err := evaluate.Learnt(knows.file); !used || err != nil {
		t.Errorf("what was learnt is used: %v, kept for the next match: %v", used, err)
	}
}

func TestNothingIsLearntWhereItDoesNotPay(t *testing.T) {
	for game, clock := range map[string]time.Duration{"connectFour-4x4": leastLearning / 2, "tron-5x5": time.Minute, "slidingPuzzle-3x3-5": time.Minute} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20, exactSearch)
		p.runLearner = func(*evaluate.Learner, context.Context, int64) {
			t.Errorf("%s: it is learnt in a start clock of %v", game, clock)
		}
		at := position{machine: m, state: m.Initial()}
		ctx := ctxOf(t, clock)
		if p.prepare(ctx, at); p.newLearner(ctx) != nil {
			t.Errorf("%s: something is learnt in a start clock of %v", game, clock)
		}
	}
}

func TestMostOfTheStartClockGoesIntoLearning(t *testing.T) {
	m := gamestest.Machine(t, "gomoku-5x5") // one game says nothing of others
	p := onOneThread(0, 64<<20, rave)
	var left []float64
	p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) {
		left = append(left, timeLeft(ctx, time.Now()).Seconds())
	}
	p.prepare(ctxOf(t, time.Minute), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}})
	p.study(ctxOf(t, time.Minute))
	if len(left) != 1 || left[0] < 30 || left[0] > 36 {
		t.Errorf("%v seconds of a minute to learn, want 36 at most", left)
	}
}

func TestWhatIsOfNoUseIsNotLearnt(t *testing.T) {
	m := gamestest.Machine(t, "gomoku-5x5")
	for games, useful := range map[int64]bool{0: false, 1: false, 3000: true} {
		p := onOneThread(0, 64<<20)
		p.runLearner = func(l *evaluate.Learner, _ context.Context, _ int64) {
			if games > 0 {
				l.Learn(t.Context(), games)
			}
		}
		ctx := ctxOf(t, time.Minute)
		p.prepare(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}})
		e := p.learn(ctx, time.Minute)
		if got := e != nil && e.Correlation() > leastCorrelation; got != useful {
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
	searchBy(p, p.sampler, &patient{result: pure(0, search.Interval{Upper: bestGoal}, true)})
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
	little, more := learnerOf(t, m, nil, 20), learnerOf(t, m, nil, 60)
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
	if text, err := os.ReadFile(p.knowledge.file); string(text) != "nonsense" || err != nil || !strings.Contains(log.String(), "not an evaluation") {
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
	if p.keep(more); !strings.Contains(log.String(), "cannot save the evaluation") {
		t.Errorf("of a folder that is not there is said: %s", log.String())
	}
}

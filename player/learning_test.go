package player

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/gdl/canonical"
	"stackmate/gdl/rewrite"
	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

// learnerOf returns a learner after the given number of games.
func learnerOf(t *testing.T, m machine.Machine, signals facts.Signals, games int64) *evaluate.Learner {
	t.Helper()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true, Signals: signals})
	if err != nil {
		t.Fatal(err)
	}
	l.Learn(t.Context(), games)
	return l
}

// knowledgeOf returns the knowledge of a game in a folder of its own.
func knowledgeOf(t *testing.T, game *gdl.Game) knowledge {
	t.Helper()
	return (&Player{options: Options{Knowledge: t.TempDir()}}).knowledge(game)
}

func TestExactSearchesBeginWithLittleTimeInGamesOfTurnsThatAreNotSolvedAtOnce(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long; other tests of exact searches look at their goroutines")
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
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	m := gamestest.Machine(t, "connectFour-4x4")
	knows := knowledgeOf(t, gamestest.Rules(t, "connectFour-4x4"))
	p := newThinker(setting{spec: spec{threads: 1, without: []string{exactSearch}}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: knows})
	p.runLearner = func(l *evaluate.Learner, _ context.Context, _ int64) { l.Learn(t.Context(), 16_000) }
	ctx := ctxOf(t, time.Minute)
	p.prepare(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
	p.adopt(p.study(ctx))
	known, err := evaluate.Learnt(knows.file)
	if p.approach.evaluator == nil || err != nil || known.Games < 16_000 {
		t.Errorf("an evaluation is used: %v, kept for the next match: %d games, %v", p.approach.evaluator != nil, known.Games, err)
	}
}

func TestNothingIsLearntWhereItDoesNotPay(t *testing.T) {
	for _, game := range []string{"prisonersDilemma", "slidingPuzzle-3x3-5"} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20, exactSearch)
		p.runLearner = func(*evaluate.Learner, context.Context, int64) {
			t.Errorf("%s is learnt", game)
		}
		at := position{machine: m, state: m.Initial()}
		ctx := ctxOf(t, time.Minute)
		if p.prepare(ctx, at); p.newLearner(ctx) != nil {
			t.Errorf("%s has a learner", game)
		}
	}
	m := gamestest.Machine(t, "connectFour-4x4")
	p := onOneThread(0, 64<<20, exactSearch)
	p.prepare(t.Context(), position{machine: m, state: m.Initial()})
	over, end := context.WithCancel(t.Context())
	if end(); p.newLearner(over) != nil || p.newLearner(t.Context()) == nil {
		t.Error("there is a learner after the start clock, or none in it")
	}
}

// Where both players choose at once, the start clock teaches, but nothing is learnt later: who waits for the other one searches.
func TestMovesChosenAtOnceAreLearntInTheStartClockAlone(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	for game, ponders := range map[string]bool{"goofspiel-6": false, "breakthrough-4x4": true} {
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 1<<30, exactSearch)
		p.ponders, p.clock = true, time.Minute
		p.runLearner = func(l *evaluate.Learner, _ context.Context, _ int64) { l.Learn(t.Context(), 20_000) }
		ctx := ctxOf(t, time.Minute)
		p.prepare(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
		p.adopt(p.study(ctx))
		if p.approach.evaluator == nil || (p.pupil != nil) != ponders {
			t.Errorf("%s: the evaluation is used: %v, it learns on: %v, want %v", game, p.approach.evaluator != nil, p.pupil != nil, ponders)
		}
	}
}

func TestGamesOfTurnsAndOfMatricesAreLearnable(t *testing.T) {
	two := solve.Class{Players: 2, ConstantSum: true, Simultaneous: true, Branching: 100}
	with := func(change func(*solve.Class)) solve.Class {
		c := two
		change(&c)
		return c
	}
	goofspiel, pig := gamestest.Machine(t, "goofspiel-4"), gamestest.Machine(t, "pig")
	for i, c := range []struct {
		class   solve.Class
		machine machine.Machine
		want    bool
	}{
		{two, goofspiel, true},
		{two, pig, false}, // a role of chance
		{with(func(c *solve.Class) { c.Simultaneous = false }), pig, true},
		{with(func(c *solve.Class) { c.ConstantSum = false }), goofspiel, false},
		{with(func(c *solve.Class) { c.Players = 3 }), goofspiel, false},
		{with(func(c *solve.Class) { c.Chance = true }), goofspiel, false},
		{with(func(c *solve.Class) { c.Branching = widestAtOnce + 1 }), goofspiel, false},
	} {
		if got := Learnable(c.class, c.machine); got != c.want {
			t.Errorf("case %d: %v, want %v", i, got, c.want)
		}
	}
}

func TestAPartOfTheStartClockGoesIntoLearning(t *testing.T) {
	for game, most := range map[string]float64{"gomoku-5x5": 30, "goofspiel-6": 15} { // one game says nothing of others
		m := gamestest.Machine(t, game)
		p := onOneThread(0, 64<<20, rave)
		var left []float64
		p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) {
			left = append(left, timeLeft(ctx, time.Now()).Seconds())
		}
		p.prepare(ctxOf(t, time.Minute), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}})
		p.study(ctxOf(t, time.Minute))
		if len(left) != 1 || left[0] < most-5 || left[0] > most {
			t.Errorf("%s: %v seconds of a minute to learn, want %v at most", game, left, most)
		}
	}
}

func TestWhatIsOfNoUseIsNotLearnt(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long on one goroutine")
	m := gamestest.Machine(t, "breakthrough-4x4")
	for games, useful := range map[int64]bool{0: false, 1: false, 10_000: true} {
		p := onOneThread(0, 1<<30)
		p.ponders = true
		p.runLearner = func(l *evaluate.Learner, _ context.Context, _ int64) {
			if games > 0 {
				l.Learn(t.Context(), games)
			}
		}
		ctx := ctxOf(t, time.Minute)
		p.prepare(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2}})
		e := p.learn(ctx)
		if got := e != nil && e.Share() >= usefulShare; got != useful {
			t.Errorf("after %d games what was learnt is of use: %v", games, got)
		}
		if got := p.pupil != nil; got != (e != nil) {
			t.Errorf("after %d games the learner stays: %v", games, got)
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
	rules, l := gamestest.Rules(t, "connectFour-4x4"), learnerOf(t, m, nil, 50)
	known, other := knowledgeOf(t, rules), knowledgeOf(t, gamestest.Rules(t, "ticTacToe"))
	for _, file := range []string{known.file, other.file} {
		if err := l.Save(file, known.rules); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		knowledge knowledge
		known     bool
	}{
		"of the game":     {known, true},
		"none":            {knowledge{}, false},
		"no file":         {knowledgeOf(t, rules), false},
		"of another game": {other, false},
	} {
		p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: c.knowledge})
		got := p.recall(m, evaluate.Config{ConstantSum: true})
		if (got != nil) != c.known || c.known && got.Progress().Games != l.Progress().Games {
			t.Errorf("knowledge %s: learner %v", name, got)
		}
	}
}

// scrambledRules returns a built-in game under other names.
func scrambledRules(t *testing.T, name string) *gdl.Game {
	t.Helper()
	_, src, err := games.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := gdl.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	tree = rewrite.Scramble(tree, rand.New(rand.NewPCG(1, 2)))
	scrambled, _, err := gdl.Load(t.Context(), "scrambled", []byte(gdl.Print(tree)))
	if err != nil {
		t.Fatal(err)
	}
	return scrambled
}

func TestKnowledgeIsFoundUnderOtherNamesAndIsWorthTheSame(t *testing.T) {
	for _, name := range exhaustive.Choose([]string{"connectFour-4x4"}, []string{"connectFour", "breakthrough", "checkers", "gomoku-5x5", "hex-5x5", "reversi"}) {
		rules, scrambled := gamestest.Rules(t, name), scrambledRules(t, name)
		m := gamestest.Machine(t, name)
		other, err := reasoner.New(t.Context(), scrambled, reasoner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		options := Options{Knowledge: t.TempDir()}
		p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
		p.knowledge = (&Player{options: options}).knowledge(rules)
		l := learnerOf(t, m, facts.SignalsOf(t.Context(), m), 200)
		p.keep(l)
		p.knowledge = (&Player{options: options}).knowledge(scrambled)
		got := p.recall(other, evaluate.Config{ConstantSum: true, Signals: facts.SignalsOf(t.Context(), other)})
		if got == nil {
			t.Errorf("%s: the knowledge is not found", name)
			continue
		}
		from, to := canonical.New(rules), canonical.New(scrambled)
		states := toys.Positions(m, 3, 9)
		n := len(states) / len(m.Initial())
		want, values := make([]float64, 2*n), make([]float64, 2*n)
		l.Evaluation().Values(want, states)
		got.Evaluation().Values(values, translated(t, m, other, states, func(text string) string { return to.Own(from.Canonical(text)) }))
		for i := range want {
			if math.Abs(want[i]-values[i]) > 0.5 {
				t.Fatalf("%s: value %d is %v under other names, want %v", name, i, values[i], want[i])
			}
		}
	}
}

// translated returns positions of a machine as positions of a machine with other names.
func translated(t *testing.T, from, to machine.Machine, states []uint64, name func(text string) string) (list []uint64) {
	t.Helper()
	for ; len(states) > 0; states = states[len(from.Initial()):] {
		fluents := from.Names().AppendFluents(nil, states[:len(from.Initial())])
		for i := range fluents {
			fluents[i] = name(fluents[i])
		}
		state, err := to.Names().State(fluents)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, state...)
	}
	return list
}

func TestWhatIsLearntIsKeptUnlessMoreIsKnown(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	little, more := learnerOf(t, m, nil, 20), learnerOf(t, m, nil, 60)
	var log strings.Builder
	p := newThinker(setting{spec: spec{threads: 1}, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
	p.keep(more) // nowhere
	p.knowledge = knowledgeOf(t, gamestest.Rules(t, "connectFour-4x4"))
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
	p.knowledge = knowledge{filepath.Join(t.TempDir(), "nowhere", "file"), knowledgeOf(t, gamestest.Rules(t, "connectFour-4x4")).rules}
	if p.keep(more); !strings.Contains(log.String(), "cannot save the evaluation") {
		t.Errorf("of a folder that is not there is said: %s", log.String())
	}
}

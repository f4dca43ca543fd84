package reasoner_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/trace"
)

var (
	corpusEngine = flag.String("corpus.engine", "auto", "engine that replays the corpus")
	corpusGames  = flag.String("corpus.games", "", "regular expression: replay only these games, all matches of them")
	corpusTable  = flag.Bool("corpus.table", false, "print one line per game")
	corpusBudget = flag.Duration("corpus.budget", 0, "budget of compiling one game; 0 means the default")
)

// TestCorpusReplaysExactly compiles every rulesheet and replays its recorded
// matches: states, legal moves, goals and terminal must agree at every step. The
// symmetries that the machine reports must hold along a match.
func TestCorpusReplaysExactly(t *testing.T) {
	exhaustive.Only(t, "the corpus takes minutes")
	filter := regexp.MustCompile(*corpusGames)
	var mu sync.Mutex
	var total corpusLine
	games := 0
	t.Cleanup(func() {
		fmt.Printf("corpus: %d games, %d steps compared, %.1f s of compiling\n", games, total.steps, total.init.Seconds())
	})
	for _, sheet := range corpus.Rulesheets(t) {
		if !filter.MatchString(sheet.Name) {
			continue
		}
		t.Run(sheet.Name, func(t *testing.T) {
			t.Parallel()
			line := replayGame(t, sheet.Name)
			mu.Lock()
			defer mu.Unlock()
			games++
			total.steps += line.steps
			total.init += line.init
			if *corpusTable {
				fmt.Println(line)
			}
		})
	}
}

// corpusLine is the cost of one game.
type corpusLine struct {
	name  string
	info  machine.Info
	init  time.Duration
	steps int
}

func (l corpusLine) String() string {
	return fmt.Sprintf("%-40s %-10s init %7.3f s  %9d gates or rules  %8.1f MB  %4d steps",
		l.name, l.info.Engine, l.init.Seconds(), l.info.Gates, float64(l.info.Bytes)/1e6, l.steps)
}

// corpusMachine makes the machine that replays.
func corpusMachine(ctx context.Context, game *gdl.Game) (machine.Machine, error) {
	return reasoner.New(ctx, game, reasoner.Options{Engine: *corpusEngine, Budget: *corpusBudget})
}

func replayGame(t *testing.T, name string) corpusLine {
	game := readRules(t, name+".kif", corpus.Source(t, name))
	line := corpusLine{name: name}
	start := time.Now()
	m, err := corpusMachine(t.Context(), game)
	line.init = time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	line.info = m.Info()
	checkSymmetries(t, m, slices.Concat(facts.Symmetries(m), exchangeOf(m)))
	traceFile, ok := corpus.Trace(t, name)
	if !ok {
		t.Logf("no trace of %s; it loads", name)
		return line
	}
	for match, err := range trace.Read(traceFile) {
		if err != nil {
			t.Fatal(err)
		}
		must.OK(t, trace.Replay(m, match))
		line.steps += len(match.Steps)
	}
	return line
}

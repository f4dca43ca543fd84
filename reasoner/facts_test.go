package reasoner_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

var factCorpus = flag.String("facts.corpus", "", "measure which rulesheets of the corpus have a proved sum of goals and a proved length: those whose names match")

// builtIn returns the circuit of a built-in game.
func builtIn(t *testing.T, game string) machine.Machine {
	t.Helper()
	_, src := must.Get2(games.Source(game))(t)
	return machineOf(t, string(src))
}

func TestGoalSumsAndLengthsOfGamesAreProved(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // however slow the machine is
	defer cancel()
	for game, want := range map[string]struct {
		sum    int32
		length int
	}{
		"ticTacToe":        {100, 9},
		"goofspiel-4":      {100, 4},
		"connectFour-4x4":  {100, 16},
		"nim-2.3.4":        {100, 10}, // 9; formulas are tried at growing lengths
		"breakthrough-4x5": {100, 0},  // not asked
	} {
		m := builtIn(t, game)
		if sum, ok := facts.ProvedGoalSum(ctx, m); !ok || sum != want.sum {
			t.Errorf("%s: the sum of goals is %d, proved %v; want %d", game, sum, ok, want.sum)
		}
		if want.length == 0 {
			continue
		}
		if length, ok := facts.ProvedLength(ctx, m); !ok || length != want.length {
			t.Errorf("%s: the length is %d, proved %v; want %d", game, length, ok, want.length)
		}
	}
}

// twentySteps is a game of twenty steps in which x chooses among a and b, and o waits; added rules give the
// goals at the end. The fluent all says that x has chosen a each time.
const twentySteps = `
(role x) (role o)
(init (step 0)) (init all)
(<= (legal x a)) (<= (legal x b)) (legal o noop)
(<= (next all) (true all) (does x a))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 20)))
`

// succession returns the facts (succ 0 1) to (succ n-1 n).
func succession(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "(succ %d %d) ", i, i+1)
	}
	return b.String()
}

// The random games of a sample do not reach the one end whose goals differ.
func TestAGoalSumIsProvedForEveryEndOrNotAtAll(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for name, c := range map[string]struct {
		goals string
		want  bool
	}{
		"constant":              {"(<= (goal x 100) (true all)) (<= (goal o 0) (true all)) (<= (goal x 30) (not (true all))) (<= (goal o 70) (not (true all)))", true},
		"another sum, rarely":   {"(<= (goal x 100) (true all)) (<= (goal o 10) (true all)) (<= (goal x 30) (not (true all))) (<= (goal o 70) (not (true all)))", false},
		"no goal, rarely":       {"(goal x 100) (<= (goal o 0) (not (true all)))", false},
		"two goals, rarely":     {"(goal x 100) (goal o 0) (<= (goal o 50) (true all))", false},
		"no number, rarely":     {"(goal x 100) (<= (goal o 0) (not (true all))) (worth none) (<= (goal o ?v) (worth ?v) (true all))", false},
		"above 100, rarely":     {"(goal x 0) (<= (goal o 100) (not (true all))) (worth 200) (<= (goal o ?v) (worth ?v) (true all))", false},
		"the same goal twice":   {"(goal x 100) (<= (goal o 0) (true all)) (goal o 0)", true},
		"goals of other places": {"(goal x 100) (goal o 0) (<= (goal o 50) (true (step 7)))", true},
	} {
		m := machineOf(t, twentySteps+succession(20)+c.goals)
		if sum, ok := facts.ProvedGoalSum(ctx, m); ok != c.want || ok && sum != 100 {
			t.Errorf("%s: the sum of goals is %d, proved %v; want %v", name, sum, ok, c.want)
		}
		if length, ok := facts.ProvedLength(ctx, m); !ok || length != 20 {
			t.Errorf("%s: the length is %d, proved %v; want 20", name, length, ok)
		}
	}
}

// factTime is the processor time allowed for each fact of a rulesheet.
const factTime = 5 * time.Second

// busy returns a context that ends after factTime on the processor, with a deadline by the clock for a busy machine.
func busy(t *testing.T) (context.Context, context.CancelFunc) {
	within, cancel := withProcessorTime(t.Context(), cputime.Now()+factTime)
	within, end := context.WithTimeout(within, 40*factTime)
	return within, func() { end(); cancel() }
}

func TestFactsOfTheCorpus(t *testing.T) {
	if *factCorpus == "" {
		t.Skip("a measurement: -facts.corpus=.")
	}
	var games, twoPlayers, sums, lengths int
	for _, sheet := range corpus.Rulesheets(t) {
		if wanted, err := regexp.MatchString(*factCorpus, sheet.Name); err != nil || !wanted {
			continue
		}
		rules, _, err := gdl.Load(t.Context(), sheet.Name, corpus.Source(t, sheet.Name))
		if err != nil {
			continue
		}
		m, err := reasoner.New(t.Context(), rules, reasoner.Options{Engine: "circuit", Budget: time.Minute, Memory: 1 << 30})
		if err != nil {
			t.Logf("%-40s no circuit", sheet.Name)
			continue
		}
		games++
		began, took := cputime.Now(), func(began time.Duration) time.Duration { return (cputime.Now() - began).Round(time.Millisecond) }
		if len(m.Names().Players()) == 2 {
			twoPlayers++
			within, cancel := busy(t)
			sum, ok := facts.ProvedGoalSum(within, m)
			cancel()
			t.Logf("%-40s sum    %4d %-5v %8s", sheet.Name, sum, ok, took(began))
			if ok {
				sums++
			}
		}
		began = cputime.Now()
		within, cancel := busy(t)
		length, ok := facts.ProvedLength(within, m)
		cancel()
		t.Logf("%-40s length %4d %-5v %8s", sheet.Name, length, ok, took(began))
		if ok {
			lengths++
		}
	}
	t.Logf("%d circuits: the length of %d is proved; of %d with two players the sum of goals of %d", games, lengths, twoPlayers, sums)
}

package solve_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
	"stackmate/search"
	"stackmate/search/solve"
)

func TestClassesAreToldApart(t *testing.T) {
	players := []string{"left", "right"}
	coordination := toys.Matrix([][]int32{{100, 0}, {0, 100}})
	for i := range coordination.Nodes[1:] {
		goals := coordination.Nodes[i+1].Goals
		goals[1] = goals[0]
	}
	lock := toys.Wide{Roles: []string{"lone"}, Moves: []int{3}, Depth: 5}.Machine()
	for name, c := range map[string]struct {
		machine machine.Machine
		want    string
	}{
		"subtraction":      {toys.Subtraction{Roles: players, Start: 20, Most: 3}.Machine(), "2 players, turns, constant sum"},
		"matching pennies": {toys.Matrix([][]int32{{100, 0}, {0, 100}}).Machine(), "2 players, simultaneous moves, constant sum"},
		"coordination":     {coordination.Machine(), "2 players, simultaneous moves, general sum"},
		"puzzle":           {lock, "single player"},
	} {
		if got := solve.Classify(t.Context(), c.machine, 1).String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if c := solve.Classify(t.Context(), lock, 1); c.Length != 5 || c.Branching != 3 {
		t.Errorf("length %g, branching %g; want 5 and 3", c.Length, c.Branching)
	}
}

// choices are a member of every family of built-in games, its class, and the methods
// for it.
var choices = []struct{ game, class, methods string }{
	{"amazons-4x4", "2 players, turns, constant sum", "bab threats"},
	{"biddingTicTacToe-2", "2 players, simultaneous moves, constant sum", "smab"},
	{"breakthrough-3x5", "2 players, turns, constant sum", "bab threats"},
	{"checkers", "2 players, turns, constant sum", "bab threats"},
	{"chess", "2 players, turns, constant sum", "bab threats"},
	{"connectFour-4x4", "2 players, turns, constant sum", "bab threats"},
	{"copsAndRobber-4x4-2-4", "2 players, turns, constant sum", "bab threats"},
	{"copsAndRobberSlips-3x3-1-2", "2 players, turns, constant sum, chance", "dfs bab"},
	{"example2", "2 players, simultaneous moves, constant sum", "smab"},
	{"gomoku-5x5", "2 players, turns, constant sum", "bab threats"},
	{"goofspiel-5", "2 players, simultaneous moves, constant sum", "smab"},
	{"goofspielPoints-4", "2 players, simultaneous moves, constant sum", "smab"},
	{"hex-4x4", "2 players, turns, constant sum", "bab threats"},
	{"liarsBid", "2 players, simultaneous moves, constant sum", "smab"},
	{"matchingPennies", "2 players, simultaneous moves, constant sum", "smab"},
	{"nim-3.4.5", "2 players, turns, constant sum", "bab threats"},
	{"oshiZumo-12-3", "2 players, simultaneous moves, constant sum", "smab"},
	{"pentago", "2 players, turns, constant sum", "bab threats"},
	{"pig-30", "2 players, turns, constant sum, chance", "dfs bab"},
	{"prisonersDilemma", "2 players, simultaneous moves, general sum", ""},
	{"pursuit-4x4", "2 players, simultaneous moves, constant sum", "smab"},
	{"quarto", "2 players, turns, constant sum", "bab threats"},
	{"reversi-4x4", "2 players, turns, constant sum", "bab threats"},
	{"rockPaperScissors", "2 players, simultaneous moves, constant sum", "smab"},
	{"rockPaperScissorsMatch", "2 players, simultaneous moves, constant sum", "smab"},
	{"slidingPuzzle-3x3", "single player", "bab dfs plan"},
	{"ticTacToe", "2 players, turns, constant sum", "bab threats"},
	{"trio", "3 players, turns, general sum", ""},
	{"tron-5x5", "2 players, simultaneous moves, constant sum", "smab"},
	{"ultimateTicTacToe", "2 players, turns, constant sum", "bab threats"},
}

func TestEveryBuiltInGameGetsTheSearchesOfItsClass(t *testing.T) {
	for _, f := range games.Families() {
		if !slices.ContainsFunc(choices, func(c struct{ game, class, methods string }) bool {
			name, _, _ := strings.Cut(c.game, "-")
			return name == f.Name()
		}) {
			t.Errorf("%s is not in the table", f.Name())
		}
	}
	for _, c := range choices {
		t.Run(c.game, func(t *testing.T) {
			class := solve.Classify(t.Context(), gamestest.Machine(t, c.game), 1)
			methods := strings.Join(solve.Choose(class), " ")
			if class.String() != c.class || methods != c.methods {
				t.Errorf("%s: %q, want %s: %q", class, methods, c.class, c.methods)
			}
		})
	}
}

const (
	// sampled is every how many rulesheets of the corpus one is classified: all take
	// minutes.
	sampled = 17
	// compileTime is more than all but the largest of them take to compile.
	compileTime = 2 * time.Second
)

// Recorded matches show, regardless of playouts, simultaneous choices and the sums of goals.
func TestNoRulesheetGetsASearchThatItsRecordedMatchesRuleOut(t *testing.T) {
	exhaustive.Only(t, "compiling many rulesheets takes seconds")
	for i, sheet := range corpus.Rulesheets(t) {
		file, ok := corpus.Trace(t, sheet.Name)
		if i%sampled != 0 || !ok {
			continue
		}
		t.Run(sheet.Name, func(t *testing.T) {
			want := recordedClass(t, file)
			rules, _ := must.Get2(gdl.Load(t.Context(), sheet.Path, corpus.Source(t, sheet.Name)))(t)
			ctx, cancel := context.WithTimeout(t.Context(), compileTime)
			defer cancel()
			m, err := reasoner.New(ctx, rules, reasoner.Options{})
			if ctx.Err() != nil {
				t.Skipf("no machine in %v", compileTime)
			}
			if err != nil {
				t.Fatal(err)
			}
			class := solve.Classify(t.Context(), m, 1)
			if class.Players != want.Players || want.Simultaneous && !class.Simultaneous || !want.ConstantSum && class.ConstantSum {
				t.Errorf("class %s, recorded matches are of %s", class, want)
			}
			t.Log(class, solve.Choose(class))
		})
	}
}

// recordedClass returns the class of a game as far as recorded matches show it.
func recordedClass(t *testing.T, file string) solve.Class {
	class, sums := solve.Class{ConstantSum: true}, map[int32]bool{}
	for match, err := range trace.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		players := (&machine.Names{Roles: match.Roles}).Players()
		class.Players = len(players)
		for _, step := range match.Steps {
			choosers := 0
			for _, r := range players {
				if len(step.Legal[r]) > 1 {
					choosers++
				}
			}
			class.Simultaneous = class.Simultaneous || choosers > 1
		}
		if match.Final.Terminal {
			sum := int32(0)
			for _, r := range players {
				sum += search.Points(int32(match.Final.Goals[r]))
			}
			sums[sum] = true
		}
	}
	class.ConstantSum = len(sums) < 2
	return class
}

package ground

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/machine"
)

// optional lists the passes that can be left out.
func optional() []string {
	var names []string
	for _, p := range passes {
		if !p.needed {
			names = append(names, p.name)
		}
	}
	return names
}

// groundWithout grounds a game without a pass, and with every other pass applied without thresholds.
func groundWithout(t rapid.TB, g *gdl.Game, name string) *Program {
	t.Helper()
	gr := newGrounder(context.Background(), g, datalog.Limits{Thorough: true}, name)
	gr.unfolding, gr.factoring, gr.asking, gr.lightly = always, always, always, 1
	p, err := gr.ground()
	if err != nil {
		t.Fatalf("without %s: %v", name, err)
	}
	return p
}

// sameWithout compares a game with itself without a pass, for each pass for which leave is true.
func sameWithout(t rapid.TB, g *gdl.Game, oracle machine.Machine, steps int, leave func() bool) {
	t.Helper()
	machines := []machine.Machine{oracle}
	plain := groundBy(t, g, never).Names
	for _, name := range optional() {
		if !leave() {
			continue
		}
		p := groundWithout(t, g, name)
		if name != "constants" && name != "reduce" { // its fluents differ: constant walls
			if diff := cmp.Diff(plain.Fluents, p.Names.Fluents) + cmp.Diff(plain.Moves, p.Names.Moves); diff != "" {
				t.Fatalf("without %s: other fluents or moves:\n%s", name, diff)
			}
		}
		machines = append(machines, newProgramMachine(p))
	}
	gametest.Agree(t, machines, 1, steps)
}

func TestEachPassCanBeLeftOut(t *testing.T) {
	exhaustive.FewerDraws(t)
	draw := map[string]func(*rapid.T) string{"random": gametest.RandomGame, "rewritable": gametest.Rewritable, "handing": gametest.Handing, "composed": gametest.Composed}
	for name, source := range draw {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g, oracle := gametest.DrawGame(t, source)
				// Every third pass, or twelfth: the compilation of the machines takes most of the time.
				sameWithout(t, g, oracle, 8, func() bool { return rapid.IntRange(1, exhaustive.Choose(12, 3)).Draw(t, "left out") == 1 })
			})
		})
	}
}

func TestEachPassCanBeLeftOutOfRulesheets(t *testing.T) {
	for _, name := range []string{"ticTacToe", "connectFour", "blocker", "eightPuzzle", "biddingTicTacToe", "nim1"} {
		t.Run(name, func(t *testing.T) {
			g := gametest.LoadRulesheet(t, name)
			sameWithout(t, g, newProgramMachine(ground(t, g)), 12, func() bool { return true })
		})
	}
}

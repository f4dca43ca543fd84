package ground

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/machine"
)

func TestGroundProgramsOfRandomGamesMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, oracle := gametest.DrawGame(t, gametest.RandomGame)
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(ground(t, g))}, 1, 12)
	})
}

func TestShuffledRulesGiveTheSameGame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"biddingTicTacToe", "connectFour", "blocker", "eightPuzzle", "checkersSmall"} {
		t.Run(name, func(t *testing.T) {
			src := corpus.Source(t, name)
			tree := must.Get(gdl.Parse(name, src))(t)
			g := gametest.Load(t, name, string(src))
			other := gametest.Load(t, name, gdl.Print(rewrite.Bodies(rewrite.Rules(tree, rng), rng)))
			p, q := ground(t, g), ground(t, other)
			if diff := cmp.Diff(p.Names.Fluents, q.Names.Fluents); diff != "" {
				t.Error("fluents:", diff)
			}
			if diff := cmp.Diff(p.Names.Moves, q.Names.Moves); diff != "" {
				t.Error("moves:", diff)
			}
			gametest.Agree(t, []machine.Machine{newProgramMachine(p), newProgramMachine(q)}, 2, 60)
		})
	}
}

func ground(t rapid.TB, g *gdl.Game) *Program {
	t.Helper()
	return must.Get(New(context.Background(), g, datalog.Limits{}))(t)
}

// The moves that the negation of r2 leaves are known, as they are where r2 differs between positions.
func TestNegationsOfRelationsThatBecameStaticAreExact(t *testing.T) {
	g := gametest.Load(t, "fixed", gametest.BecomesStatic)
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newProgramMachine(ground(t, g))}, 1, 12)
}

package sequential

import (
	"context"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// TestRandomGamesOrderTheFirstMoves plays hex, where the middle decides.
func TestRandomGamesOrderTheFirstMoves(t *testing.T) {
	m := gamestest.Machine(t, "hex-4x4")
	v := New(Config{})
	must.OK(t, v.prepare(m, 0))
	scores, _ := v.payoff.prior(t.Context(), m, m.Initial(), 1)
	fluent := func(text string) int {
		f := slices.Index(m.Names().Fluents, text)
		if f < 0 {
			t.Fatalf("no %s among %v", text, m.Names().Fluents)
		}
		return f
	}
	for r, role := range m.Names().Roles {
		middle, corner := fluent("(cell 2 3 "+role+")"), fluent("(cell 1 1 "+role+")")
		if scores[r][middle] <= scores[r][corner] || scores[r][middle] <= 0 || scores[1-r][middle] >= 0 {
			t.Errorf("%s: the middle has %d, the corner %d, the middle for the other %d", role, scores[r][middle], scores[r][corner], scores[1-r][middle])
		}
	}
}

func TestWhatRandomGamesSuggestSavesNodes(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := gamestest.Machine(t, "hex-4x4")
	nodes := func(without bool) int64 {
		v := New(Config{Without: Deepening})
		must.OK(t, v.prepare(m, 0))
		if without {
			v.prior = make([][]int64, v.payoff.roles)
		}
		r, err := v.Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || !r.Solved() {
			t.Fatal(err, r.Values)
		}
		return r.Nodes
	}
	if with, without := nodes(false), nodes(true); 2*with > without {
		t.Errorf("%d nodes, without %d", with, without)
	}
}

func TestAPriorEndsWithItsContextAndOnlyParallelMachinesHaveOne(t *testing.T) {
	m := gamestest.Machine(t, "hex-4x4")
	v := New(Config{})
	must.OK(t, v.prepare(m, 0))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if s := v.payoff.sample(ended, m, m.Initial(), 1); s.games != 0 {
		t.Errorf("%v games after the end", s.games)
	}
	if scores, _ := v.payoff.prior(ended, m, m.Initial(), 1); scores != nil {
		t.Errorf("scores %v of no games", scores)
	}
	toy := newTicTacToe()
	must.OK(t, v.prepare(toy, 0))
	if scores, _ := v.payoff.prior(t.Context(), toy, toy.Initial(), 1); scores != nil {
		t.Errorf("scores %v on a machine that is not parallel", scores)
	}
}

// TestTheLikelierHalfIsAskedForFirst: in random games x wins tic-tac-toe more often than not, and the first player wins hex, but loses reversi.
// Breakthrough is even.
func TestTheLikelierHalfIsAskedForFirst(t *testing.T) {
	for game, want := range map[string]window{"ticTacToe": {50, 100, 0}, "hex-5x5": {50, 100, 0}, "reversi-4x4": {0, 50, 0}, "breakthrough-4x5": {0, 50, 0}} {
		m := gamestest.Machine(t, game)
		v := New(Config{Halves: true})
		r, err := v.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 1})
		if err != nil || r.Solved() {
			t.Fatal(game, err, r.Values)
		}
		if first, half := v.firstQuestion(t, m, m.Initial()); !half || first != want {
			t.Errorf("%s: asked for %v first, expected %v", game, first, want)
		}
	}
}

// firstQuestion returns the first window of a search of position s.
func (v *Solver) firstQuestion(t *testing.T, m machine.Machine, s machine.State) (w window, half bool) {
	begun := v.crew(t.Context(), m, s, search.Limits{}).workers[0]
	begun.root.value = unknown
	return begun.ask()
}

// TestRandomGamesBeginWhereTheSearchDoes: a first move at an edge of tic-tac-toe, answered in the middle, wins less often than not.
func TestRandomGamesBeginWhereTheSearchDoes(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	s, x := slices.Clone(m.Initial()), play.NewExpander(m)
	for role, move := range []string{"(mark 1 2)", "(mark 2 2)"} {
		var e play.Expansion
		must.OK(t, x.Expand(&e, s))
		c := slices.IndexFunc(e.Moves[role], func(n machine.Move) bool { return m.Names().Moves[role][n] == move })
		s = slices.Clone(e.Child(c))
	}
	v := New(Config{Halves: true})
	must.Get(v.Search(t.Context(), m, s, search.Limits{MaxNodes: 1}))(t)
	if first, half := v.firstQuestion(t, m, s); !half || first != (window{0, 50, 0}) {
		t.Errorf("asked for %v first", first)
	}
}

package games_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/reference"
)

// newMachine returns the machine of a game that follows its rules one by one; for a large game, which
// would take minutes that way, the one that players have.
func newMachine(t testing.TB, name string) machine.Machine {
	t.Helper()
	if slices.Contains(large, name) {
		return gamestest.Machine(t, name)
	}
	return must.Get(reference.New(t.Context(), gamestest.Rules(t, name)))(t)
}

var large = []string{"amazons", "checkers", "chess", "gomoku", "pentago", "quarto", "reversi", "ultimateTicTacToe"}

// longest bounds the length of every tested game, in joint moves.
const longest = 1000

// constantSum tells the families whose players' goals add up to 100 at the end.
func constantSum(name string) bool {
	first, _, _ := strings.Cut(name, "-")
	return !slices.Contains([]string{"prisonersDilemma", "slidingPuzzle", "trio"}, first)
}

func TestRandomPlayoutsEndWithOneGoalForEachRole(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, name)
			rng := machine.NewRand(1)
			for range 3 {
				playOut(t, m, rng, constantSum(name))
			}
		})
	}
}

// playOut plays one random game and checks every position on the way.
func playOut(t *testing.T, m machine.Machine, rng *machine.Rand, zeroSum bool) {
	b := m.NewBatch()
	goals := make([]int32, len(m.Names().Roles))
	for range longest {
		b.Evaluate(1)
		b.Goals(goals, 0)
		sum := int32(0)
		for r, g := range goals {
			if g < 0 || g > 100 {
				t.Fatalf("%s has goal %d", m.Names().Roles[r], g)
			}
			sum += g
		}
		if b.Terminal()[0]&1 != 0 {
			if zeroSum && sum != 100 {
				t.Fatalf("the goals %v do not add up to 100", goals)
			}
			return
		}
		if b.Stuck()[0]&1 != 0 {
			s := make(machine.State, len(m.Initial()))
			b.Store(s, 1)
			t.Fatalf("a role has no legal move in %v", m.Names().AppendFluents(nil, s))
		}
		b.ChooseRandom(rng, 1)
		b.Advance(1)
	}
	t.Fatalf("not over after %d moves", longest)
}

func TestPerftCountsAreTheKnownOnes(t *testing.T) {
	for name, want := range map[string][]int64{
		"ticTacToe":         {9, 72, 504, 3024},
		"connectFour":       {7, 49, 343},
		"breakthrough":      {22, 484},
		"goofspiel-3":       {9, 36, 20},
		"nim-1.2":           {3, 5, 3},
		"rockPaperScissors": {9, 0},
	} {
		m := newMachine(t, name)
		t.Run(name, func(t *testing.T) { checkPerft(t, m, m.Initial(), want...) })
	}
}

// The number of positions of goofspiel-7 with transpositions is known: 41 437 if the last round, in which nobody has
// a choice, is not played out, and 5 outcomes.
func TestGoofspielTranspositionsCoincide(t *testing.T) {
	for n, want := range map[int]int{1: 2, 2: 6, 3: 46, 4: 218, 5: 1280, 6: 7300, 7: 41437 + 5} {
		if !exhaustive.On() && n > 5 {
			continue
		}
		if got := positions(gamestest.Machine(t, fmt.Sprintf("goofspiel-%d", n))); got != want {
			t.Errorf("goofspiel-%d: %d distinct positions, want %d", n, got, want)
		}
	}
}

// positions counts the distinct positions that m can reach.
func positions(m machine.Machine) int {
	x := play.NewExpander(m)
	var e play.Expansion
	seen := map[string]bool{fmt.Sprint(m.Initial()): true}
	for open := []machine.State{m.Initial()}; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if terminal, _ := x.Look(s); terminal {
			continue
		}
		x.Expand(&e, s)
		for c := range e.Children {
			key := fmt.Sprint(e.Child(c))
			if !seen[key] {
				seen[key] = true
				open = append(open, slices.Clone(e.Child(c)))
			}
		}
	}
	return len(seen)
}

func TestPerftAgreesWithOtherRulesheetsOfTheSameGame(t *testing.T) {
	for _, c := range []struct {
		ours, theirs string
		depth        int
	}{
		{"biddingTicTacToe-3", "biddingTicTacToe", 5},
		{"biddingTicTacToe-10", "biddingTicTacToe_10coins", 3},
		{"breakthrough-8x8", "breakthrough", 3},
		{"connectFour-8x6", "connectFour", 5},
		{"connectFour-9x6", "connectFour_9x6", 4},
		{"ticTacToe", "ticTacToe", 6},
	} {
		theirs, _ := must.Get2(gdl.Load(t.Context(), c.theirs, corpus.Source(t, c.theirs)))(t)
		got, want := perfts(t, gamestest.Rules(t, c.ours), c.depth), perfts(t, theirs, c.depth)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v sequences of 1, 2, … joint moves, %v by the other rules", c.ours, got, want)
		}
	}
}

// perfts counts the sequences of 1 to depth joint moves.
func perfts(t *testing.T, g *gdl.Game, depth int) (sequences []int64) {
	t.Helper()
	m := must.Get(reasoner.New(t.Context(), g, reasoner.Options{}))(t)
	counts := must.Get(play.Perft(t.Context(), m, m.Initial(), depth))(t)
	for _, c := range counts {
		sequences = append(sequences, c.JointMoves)
	}
	return sequences
}

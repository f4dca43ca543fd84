package sequential

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The numbers of nodes of fixed searches show what values do not: the order of moves and its sources. A change of these
// on purpose changes the numbers.
func TestFixedSearchesTakeTheirNodes(t *testing.T) {
	compiled := func(game string) machine.Machine {
		return must.Get(reasoner.New(t.Context(), gamestest.Rules(t, game), reasoner.Options{Kernel: "portable/64"}))(t)
	}
	four, marks := compiled("connectFour-4x4"), newTicTacToe()
	for _, c := range []struct {
		name    string
		machine machine.Machine
		search  search.Searcher
		nodes   int64
	}{
		{"connect four", four, New(Config{}), 4285},
		{"connect four, to the full depth", four, New(Config{Without: Deepening}), 2053},
		{"tic-tac-toe", marks, New(Config{}), 1215},
		{"tic-tac-toe without ordering", marks, New(Config{Without: Ordering}), 1706},
		{"tic-tac-toe without lookahead", marks, New(Config{Without: Lookahead}), 1620},
	} {
		r, err := c.search.Search(t.Context(), c.machine, c.machine.Initial(), search.Limits{})
		if err != nil || r.Nodes != c.nodes {
			t.Errorf("%s: %d nodes (%v), want %d", c.name, r.Nodes, err, c.nodes)
		}
	}
}

package simultaneous

import (
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
)

// wide is a matrix with more cells than smallMatrix, each a matrix of random goals. One cell in ends is a goal
// instead; 0: none.
func wide(ends int) machine.Machine {
	rng, root := machine.NewRand(1), matrixTree{rows: 9, columns: 9}
	for range root.rows * root.columns {
		if ends > 0 && rng.Intn(ends) == 0 {
			root.kids = append(root.kids, value(int32(rng.Intn(101))))
			continue
		}
		cell := matrixTree{rows: 2, columns: 2}
		for range 4 {
			cell.kids = append(cell.kids, value(int32(rng.Intn(101))))
		}
		root.kids = append(root.kids, cell)
	}
	game := &toys.Tree{Roles: []string{"max", "min"}}
	root.plant(game)
	return game.Machine()
}

// The numbers of fixed searches show what values do not: the order of cells, their windows and the candidates. A change
// of these on purpose changes the numbers.
func TestFixedSearchesTakeTheirNodesAndPrograms(t *testing.T) {
	cards := newGoofspiel(descending(5), false)
	for _, c := range []struct {
		name       string
		machine    machine.Machine
		config     Config
		nodes, lps int64
	}{
		{"best", cards, Config{Order: OrderBest, Table: true}, 298, 1001},
		{"best without table", cards, Config{Order: OrderBest}, 519, 2497},
		{"L", cards, Config{Order: OrderL}, 334, 1197},
		{"lex, legal", cards, Config{Order: OrderLex, Moves: MovesLegal}, 563, 2022},
		{"best, candidates", wide(0), Config{Order: OrderBest}, 68, 268},
		{"best, responses", wide(4), Config{Order: OrderBest}, 43, 177},
	} {
		if r := solve(t, c.config, c.machine); r.Nodes != c.nodes || r.LPCalls != c.lps {
			t.Errorf("%s: %d nodes and %d linear programs, want %d and %d", c.name, r.Nodes, r.LPCalls, c.nodes, c.lps)
		}
	}
}

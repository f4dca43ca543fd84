package solve

import (
	"math/big"

	"stackmate/reasoner/machine"
	"stackmate/search/equilibrium"
)

// ExactSolution is an equilibrium of the initial position in rational numbers, such as "1100/19".
type ExactSolution struct {
	Payoff   map[string]string            `json:"payoff"`   // by role, in goal points
	Strategy map[string]map[string]string `json:"strategy"` // by role: probability of each move in the support
	Matrix   Matrix                       `json:"matrix"`
	// Equilibria is the number of extreme equilibria of a matrix with at most 12 rows and columns together; otherwise
	// 0.
	Equilibria int `json:"equilibria,omitempty"`
	// Pure holds the equilibria in pure strategies, as pairs of moves.
	Pure [][2]string `json:"pure"`
}

// Matrix holds the payoffs of one or two players; rows are moves of the first player, columns moves of the other player.
// A cell has one payoff for each player.
type Matrix struct {
	Rows    []string     `json:"rows"`
	Columns []string     `json:"columns"`
	Payoffs [][][]string `json:"payoffs"`
}

// newExactSolution returns an equilibrium with named moves.
func newExactSolution(names *machine.Names, x equilibrium.Exact) *ExactSolution {
	players := names.Players()
	e := &ExactSolution{Payoff: map[string]string{}, Strategy: map[string]map[string]string{}, Pure: [][2]string{}}
	texts := [2][]string{nil, {""}} // the matrix of a single player has one column
	for i, role := range players {
		e.Payoff[names.Roles[role]] = x.Payoffs[i].RatString()
		texts[i] = nil
		strategy := map[string]string{}
		for k, m := range x.Moves[i] {
			texts[i] = append(texts[i], names.MoveText(role, m))
			if w := [][]*big.Rat{x.X, x.Y}[i][k]; w.Sign() > 0 {
				strategy[texts[i][k]] = w.RatString()
			}
		}
		e.Strategy[names.Roles[role]] = strategy
	}
	e.Matrix = Matrix{Rows: texts[0], Columns: texts[1]}
	for i, row := range x.Matrix.Row {
		var line [][]string
		for j := range row {
			cell := []string{x.Matrix.Row[i][j].RatString(), x.Matrix.Column[i][j].RatString()}
			line = append(line, cell[:len(players)])
		}
		e.Matrix.Payoffs = append(e.Matrix.Payoffs, line)
	}
	for _, cell := range x.Matrix.Pure() {
		e.Pure = append(e.Pure, [2]string{texts[0][cell[0]], texts[1][cell[1]]})
	}
	if all, err := x.Matrix.Extreme(); err == nil {
		e.Equilibria = len(all)
	}
	return e
}

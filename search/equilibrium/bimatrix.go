package equilibrium

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// Bimatrix is a game of one joint move: entry [i][j] of Row and Column is the payoff of the row and of the column player
// for row i and column j. Both are m×n with m, n ≥ 1.
type Bimatrix struct{ Row, Column [][]*big.Rat }

// Profile is a pair of mixed strategies: X[i] is the probability of row i, Y[j] of column j.
type Profile struct{ X, Y []*big.Rat }

// Pure returns all equilibria in pure strategies as pairs of a row and a column, in the order of rows. It takes time in
// proportion to the cells.
func (g Bimatrix) Pure() (cells [][2]int) {
	bestRows := slices.Clone(g.Row[0]) // by column: the largest payoff of the row player
	for _, row := range g.Row {
		for j, v := range row {
			if v.Cmp(bestRows[j]) > 0 {
				bestRows[j] = v
			}
		}
	}
	for i, row := range g.Row {
		bestColumn := slices.MaxFunc(g.Column[i], (*big.Rat).Cmp)
		for j, v := range row {
			if v.Cmp(bestRows[j]) == 0 && g.Column[i][j].Cmp(bestColumn) == 0 {
				cells = append(cells, [2]int{i, j})
			}
		}
	}
	return cells
}

// BestPure returns the first of the pure equilibria with the largest sum of payoffs, and whether there is one.
func (g Bimatrix) BestPure() (p Profile, ok bool) {
	pure := g.Pure()
	if len(pure) == 0 {
		return p, false
	}
	best, most := pure[0], (*big.Rat)(nil)
	for _, c := range pure {
		if sum := new(big.Rat).Add(g.Row[c[0]][c[1]], g.Column[c[0]][c[1]]); most == nil || sum.Cmp(most) > 0 {
			best, most = c, sum
		}
	}
	return Profile{unit(len(g.Row), best[0]), unit(len(g.Row[0]), best[1])}, true
}

// Mixed returns one equilibrium in mixed strategies, verified, or the error of ctx. It runs the algorithm of Lemke and Howson (1964) in
// rationals, which always ends.
func (g Bimatrix) Mixed(ctx context.Context) (Profile, error) {
	p, err := lemkeHowson(ctx, g)
	if err != nil {
		return p, err
	}
	return p, g.Verify(p)
}

// unit returns the distribution over n choices that has all its weight on choice i.
func unit(n, i int) []*big.Rat {
	p := make([]*big.Rat, n)
	for k := range p {
		p[k] = new(big.Rat)
	}
	p[i].SetInt64(1)
	return p
}

// Payoffs returns the expected payoffs of both players.
func (g Bimatrix) Payoffs(p Profile) (row, column *big.Rat) {
	row, column = new(big.Rat), new(big.Rat)
	weight, term := new(big.Rat), new(big.Rat)
	for i, x := range p.X {
		for j, y := range p.Y {
			if x.Sign() != 0 && y.Sign() != 0 {
				weight.Mul(x, y)
				row.Add(row, term.Mul(weight, g.Row[i][j]))
				column.Add(column, term.Mul(weight, g.Column[i][j]))
			}
		}
	}
	return row, column
}

// Verify checks by exact arithmetic that p is an equilibrium: both strategies are distributions, and no pure
// strategy of one player pays more against the strategy of the other. The error names the first fault.
func (g Bimatrix) Verify(p Profile) error {
	if len(p.X) != len(g.Row) || len(p.Y) != len(g.Row[0]) {
		return fmt.Errorf("strategies of %d and %d moves in a matrix of %d×%d", len(p.X), len(p.Y), len(g.Row), len(g.Row[0]))
	}
	for _, s := range [][]*big.Rat{p.X, p.Y} {
		sum := new(big.Rat)
		for i, w := range s {
			if w.Sign() < 0 {
				return fmt.Errorf("move %d has probability %s", i, w.RatString())
			}
			sum.Add(sum, w)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			return fmt.Errorf("the probabilities of a strategy add up to %s", sum.RatString())
		}
	}
	row, column := g.Payoffs(p)
	for i := range p.X {
		if deviation, _ := g.Payoffs(Profile{unit(len(p.X), i), p.Y}); deviation.Cmp(row) > 0 {
			return fmt.Errorf("row %d pays %s, the strategy %s", i, deviation.RatString(), row.RatString())
		}
	}
	for j := range p.Y {
		if _, deviation := g.Payoffs(Profile{p.X, unit(len(p.Y), j)}); deviation.Cmp(column) > 0 {
			return fmt.Errorf("column %d pays %s, the strategy %s", j, deviation.RatString(), column.RatString())
		}
	}
	return nil
}

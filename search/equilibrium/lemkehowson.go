package equilibrium

import (
	"context"
	"math/big"
)

// The algorithm of Lemke and Howson. With payoffs made positive, P = {x ≥ 0, Bᵀx ≤ 1} and Q = {y ≥ 0, Ay ≤ 1} are the best
// response polytopes. A vertex x has the label of each row that it does not play and of each column that is a best response
// to it; y has labels in the same way. A pair of vertices with all labels is an equilibrium, up to scale (von Stengel 2002,
// Section 2). The path begins at the pair of origins, drops one label and pivots in P and Q by turns until this label
// is back. The lexicographic ratio test keeps the path free of cycles in degenerate games.
//
// Labels 0 … m-1 are rows, m … m+n-1 columns, and each tableau has one variable a label: in P, x_i for a row and
// the slack of a column; in Q, the slack of a row and y_j for a column.

// tableau is a system of equations in canonical form. Row r reads: variable basis[r] plus the terms of nonbasic variables is
// the right-hand side, which is the last entry of the row.
type tableau struct {
	rows  [][]*big.Rat
	basis []int // by row
	first int   // the first of the consecutive variables that were basic at first, one a row
}

// newTableau returns the slack form of Mv ≤ 1: variables are labelled from variable on, slacks from slack on.
func newTableau(m [][]*big.Rat, variable, slack, labels int) *tableau {
	t := &tableau{first: slack}
	for r, coefficients := range m {
		row := make([]*big.Rat, labels+1)
		for k := range row {
			row[k] = new(big.Rat)
		}
		for k, c := range coefficients {
			row[variable+k].Set(c)
		}
		row[slack+r].SetInt64(1)
		row[labels].SetInt64(1)
		t.rows, t.basis = append(t.rows, row), append(t.basis, slack+r)
	}
	return t
}

// enter pivots variable k into the basis and returns the variable that leaves it.
func (t *tableau) enter(k int) (left int) {
	pivot := -1
	for r, row := range t.rows {
		if row[k].Sign() > 0 && (pivot < 0 || t.isBefore(r, pivot, k)) {
			pivot = r
		}
	}
	eliminate(t.rows, pivot, k)
	left, t.basis[pivot] = t.basis[pivot], k
	return left
}

// eliminate scales row pivot so that its entry in column k is 1, and clears this column in all other rows.
func eliminate(rows [][]*big.Rat, pivot, k int) {
	line, scale, term := rows[pivot], new(big.Rat).Inv(rows[pivot][k]), new(big.Rat)
	for _, c := range line {
		c.Mul(c, scale)
	}
	for r, row := range rows {
		if r == pivot || row[k].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(row[k])
		for c := range row {
			row[c].Sub(row[c], term.Mul(factor, line[c]))
		}
	}
}

// distribution returns nonnegative numbers, not all 0, scaled so that they add up to 1.
func distribution(numbers []*big.Rat) []*big.Rat {
	sum, p := new(big.Rat), make([]*big.Rat, len(numbers))
	for _, v := range numbers {
		sum.Add(sum, v)
	}
	for i, v := range numbers {
		p[i] = new(big.Rat).Quo(v, sum)
	}
	return p
}

// isBefore reports whether row a wins the lexicographic ratio test of column k against row b.
func (t *tableau) isBefore(a, b, k int) bool {
	ratio := func(row []*big.Rat, c int) *big.Rat { return new(big.Rat).Quo(row[c], row[k]) }
	last := len(t.rows[a]) - 1
	if c := ratio(t.rows[a], last).Cmp(ratio(t.rows[b], last)); c != 0 {
		return c < 0
	}
	for v := range t.rows {
		if c := ratio(t.rows[a], t.first+v).Cmp(ratio(t.rows[b], t.first+v)); c != 0 {
			return c < 0
		}
	}
	return false
}

// strategy returns the n variables from label from on, scaled to a distribution.
func (t *tableau) strategy(from, n int) []*big.Rat {
	values := make([]*big.Rat, n)
	for i := range values {
		values[i] = new(big.Rat)
	}
	for r, v := range t.basis {
		if v >= from && v < from+n {
			values[v-from] = t.rows[r][len(t.rows[r])-1]
		}
	}
	return distribution(values)
}

// lemkeHowson returns the equilibrium at the end of the path that drops the label of row 0, or the error of ctx.
func lemkeHowson(ctx context.Context, g Bimatrix) (Profile, error) {
	m, n := len(g.Row), len(g.Row[0])
	inP := newTableau(positive(transposed(g.Column)), 0, m, m+n)
	inQ := newTableau(positive(g.Row), m, 0, m+n)
	for label, t, other := inP.enter(0), inQ, inP; label != 0; t, other = other, t {
		if err := ctx.Err(); err != nil {
			return Profile{}, err
		}
		label = t.enter(label)
	}
	return Profile{inP.strategy(0, m), inQ.strategy(m, n)}, nil
}

// transposed returns the transposed matrix.
func transposed(a [][]*big.Rat) [][]*big.Rat {
	b := make([][]*big.Rat, len(a[0]))
	for j := range b {
		for i := range a {
			b[j] = append(b[j], a[i][j])
		}
	}
	return b
}

// positive returns a matrix with a constant added so that its least entry is 1: best responses stay the same.
func positive(a [][]*big.Rat) [][]*big.Rat {
	least := a[0][0]
	for _, row := range a {
		for _, v := range row {
			if v.Cmp(least) < 0 {
				least = v
			}
		}
	}
	shift := new(big.Rat).Sub(big.NewRat(1, 1), least)
	b := make([][]*big.Rat, len(a))
	for i, row := range a {
		for _, v := range row {
			b[i] = append(b[i], new(big.Rat).Add(v, shift))
		}
	}
	return b
}

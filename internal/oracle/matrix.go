package oracle

import "math/big"

// MatrixValue returns the value of a matrix game: the most that the player who chooses a row can expect against every
// column, with mixed strategies. Saddle points are found first. Otherwise the simplex method, with Bland's rule, solves
//
//	maximise Σ yⱼ  where  Σⱼ aᵢⱼ yⱼ ≤ 1 for every row i, y ≥ 0,
//
// for the matrix raised so that every element is above 0: its value is 1 / Σ yⱼ.
func MatrixValue(a [][]*big.Rat) *big.Rat {
	low, high := PureValues(a)
	if low.Cmp(high) == 0 {
		return low
	}
	raise := big.NewRat(1, 1)
	for _, row := range a {
		for _, x := range row {
			if d := new(big.Rat).Sub(big.NewRat(1, 1), x); d.Cmp(raise) > 0 {
				raise = d
			}
		}
	}
	// A tableau: a row for each row of the matrix, with slack variables, and the objective as the last one.
	rows, columns := len(a), len(a[0])
	width := columns + rows + 1
	t := make([][]*big.Rat, rows+1)
	basic := make([]int, rows)
	for i := range t {
		t[i] = make([]*big.Rat, width)
		for j := range t[i] {
			t[i][j] = new(big.Rat)
			switch {
			case i == rows && j < columns:
				t[i][j].SetInt64(-1)
			case i < rows && j < columns:
				t[i][j].Add(a[i][j], raise)
			case i < rows && (j == columns+i || j == width-1):
				t[i][j].SetInt64(1)
			}
		}
		if i < rows {
			basic[i] = columns + i
		}
	}
	for {
		enter := 0
		for enter < width-1 && t[rows][enter].Sign() >= 0 {
			enter++
		}
		if enter == width-1 {
			value := new(big.Rat).Inv(t[rows][width-1])
			return value.Sub(value, raise)
		}
		leave, best := -1, new(big.Rat)
		for i := range rows {
			if t[i][enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(t[i][width-1], t[i][enter])
			if c := ratio.Cmp(best); leave < 0 || c < 0 || c == 0 && basic[i] < basic[leave] {
				leave, best = i, ratio
			}
		}
		pivot(t, leave, enter)
		basic[leave] = enter
	}
}

// pivot makes column j of a tableau a unit vector with its 1 in row i.
func pivot(t [][]*big.Rat, i, j int) {
	by := new(big.Rat).Inv(t[i][j])
	for _, x := range t[i] {
		x.Mul(x, by)
	}
	for k := range t {
		if k == i || t[k][j].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(t[k][j])
		for c := range t[k] {
			t[k][c].Sub(t[k][c], new(big.Rat).Mul(factor, t[i][c]))
		}
	}
}

// PureValues returns what the player who chooses a row gets if the column is chosen in the knowledge of the row, and
// if the row is chosen in the knowledge of the column.
func PureValues(a [][]*big.Rat) (maximin, minimax *big.Rat) {
	for i := range a {
		if worst := least(a[i]); maximin == nil || worst.Cmp(maximin) > 0 {
			maximin = worst
		}
	}
	for j := range a[0] {
		best := a[0][j]
		for i := range a {
			if a[i][j].Cmp(best) > 0 {
				best = a[i][j]
			}
		}
		if minimax == nil || best.Cmp(minimax) < 0 {
			minimax = best
		}
	}
	return maximin, minimax
}

func least(list []*big.Rat) *big.Rat {
	low := list[0]
	for _, x := range list {
		if x.Cmp(low) < 0 {
			low = x
		}
	}
	return low
}

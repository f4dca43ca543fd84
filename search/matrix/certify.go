package matrix

import "math"

// guarantees returns the guarantees of two strategies in the m×n game a - origin: the row strategy x (m) gets at least
// lower against every column, the column strategy y (n) pays at most upper against every row. The value lies between
// them. The gap upper - lower is the sum of both players' gains by deviating: the proof of an equilibrium of any
// origin. Strategies must be non-negative and sum to 1; columns is scratch space of n. The rounding error is about
// 1e-16 of the range, plus the smallest number for each row or column.
func guarantees(a []float64, m, n int, x, y, columns []float64, origin float64) (lower, upper float64) {
	columns = columns[:n]
	clear(columns)
	y = y[:n]
	upper = math.Inf(-1)
	for i := range m {
		p, sum := x[i], 0.0
		for j, v := range a[i*n:][:n] {
			v -= origin
			sum += v * y[j]
			columns[j] += v * p
		}
		upper = max(upper, sum)
	}
	lower = math.Inf(1)
	for _, sum := range columns {
		lower = min(lower, sum)
	}
	return lower, upper
}

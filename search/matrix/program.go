package matrix

import (
	"fmt"
	"math"
)

// program is max xᵗe subject to xᵗP ≥ f, x ≥ 0, Σx = 1, the linear program of
// pruning that both engines solve. P is read through strides and a sign, so that
// the transposed and negated program needs no copy.
type program struct {
	p        []float64
	k, n     int
	nextRow  int // distance of p[i][j] and p[i+1][j]
	nextCol  int // distance of p[i][j] and p[i][j+1]
	sign     float64
	e, f     []float64 // e may be nil; both are read with the sign
	base     int       // the eliminated strategy
	low, top float64   // range of P and f
	spread   float64   // range of e
}

// checkProgram checks the sizes of an m×n program with a mixture of k actions
// and as many constraints as said.
func checkProgram(p []float64, m, n, k, constraints int, e, f []float64) error {
	switch {
	case m < 0 || n < 0:
		return fmt.Errorf("linear program: expected a size of at least 0×0, found %d×%d", m, n)
	case len(p) < m*n:
		return fmt.Errorf("linear program: expected %d×%d = %d elements, found %d", m, n, m*n, len(p))
	case e != nil && len(e) < k:
		return fmt.Errorf("linear program: expected an objective of %d elements, found %d", k, len(e))
	case len(f) < constraints:
		return fmt.Errorf("linear program: expected %d bounds, found %d", constraints, len(f))
	}
	return nil
}

// at is the element of P in row i and column j.
func (q *program) at(i, j int) float64 { return q.sign * q.p[i*q.nextRow+j*q.nextCol] }

// measure finds the ranges and the base, and rejects elements that are not
// finite.
func (q *program) measure() error {
	if q.n > 0 {
		q.low, q.top = q.f[0], q.f[0]
		for _, values := range [2][]float64{q.f[:q.n], q.p[:q.k*q.n]} {
			for _, v := range values {
				q.low, q.top = min(q.low, v), max(q.top, v)
			}
		}
	}
	if r := q.top - q.low; r-r != 0 {
		return fmt.Errorf("linear program: expected finite coefficients and bounds, found a range of %v to %v", q.low, q.top)
	}
	if q.e == nil {
		q.base = q.safest()
		return nil
	}
	least := q.e[0]
	greatest := least
	for i, v := range q.e[:q.k] {
		least, greatest = min(least, v), max(greatest, v)
		if q.sign*v > q.sign*q.e[q.base] {
			q.base = i
		}
	}
	q.spread = greatest - least
	if q.spread-q.spread != 0 {
		return fmt.Errorf("linear program: expected a finite objective, found a range of %v to %v", least, greatest)
	}
	return nil
}

// safest is the row whose greatest violation of a column is least.
func (q *program) safest() int {
	row, best := 0, math.Inf(-1)
	for i := range q.k {
		least := math.Inf(1)
		for j := range q.n {
			least = min(least, q.at(i, j)-q.sign*q.f[j])
		}
		if least > best {
			row, best = i, least
		}
	}
	return row
}

// satisfied tells whether x yields f in every column, but for the relaxation and
// rounding.
func (q *program) satisfied(x []float64) bool {
	for j := range q.n {
		if q.violates(x, j) {
			return false
		}
	}
	return true
}

// violates tells whether x misses the bound of column j.
func (q *program) violates(x []float64, j int) bool {
	sum := 0.0
	for i, p := range x {
		if p > 0 {
			sum += p * q.at(i, j)
		}
	}
	return sum < q.sign*q.f[j]-2*relaxation*(q.top-q.low)
}

// objective is xᵗe with the sign of the program, 0 without e.
func (q *program) objective(x []float64) float64 {
	if q.e == nil {
		return 0
	}
	value := 0.0
	for i, p := range x {
		value += p * q.e[i]
	}
	return q.sign * value
}

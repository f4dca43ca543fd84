package matrix

import "fmt"

// program is max xᵗe subject to xᵗP ≥ f, x ≥ 0, Σx = 1: the linear program of pruning that both engines solve.
type program struct {
	p        []float64
	k, n     int
	e, f     []float64
	base     int     // eliminated strategy, of greatest e
	low, top float64 // range of P and f
	spread   float64 // range of e
}

// newProgram returns a program with its ranges and base. It returns an error for wrong sizes and for elements that are
// not finite.
func newProgram(p []float64, k, n int, e, f []float64) (program, error) {
	switch {
	case k < 0 || n < 0:
		return program{}, fmt.Errorf("linear program: expected a size of at least 0×0, found %d×%d", k, n)
	case len(p) < k*n:
		return program{}, fmt.Errorf("linear program: expected %d×%d = %d elements, found %d", k, n, k*n, len(p))
	case len(e) < k:
		return program{}, fmt.Errorf("linear program: expected an objective of %d elements, found %d", k, len(e))
	case len(f) < n:
		return program{}, fmt.Errorf("linear program: expected %d bounds, found %d", n, len(f))
	}
	q := program{p: p[:k*n], k: k, n: n, e: e[:k], f: f[:n]}
	if n > 0 {
		q.low, q.top = f[0], f[0]
		for _, values := range [2][]float64{q.f, q.p} {
			for _, v := range values {
				q.low, q.top = min(q.low, v), max(q.top, v)
			}
		}
	}
	if r := q.top - q.low; r-r != 0 {
		return program{}, fmt.Errorf("linear program: expected finite coefficients and bounds, found a range of %v to %v", q.low, q.top)
	}
	if k == 0 {
		return q, nil
	}
	least := e[0]
	for i, v := range q.e {
		least = min(least, v)
		if v > e[q.base] {
			q.base = i
		}
	}
	q.spread = e[q.base] - least
	if q.spread-q.spread != 0 {
		return program{}, fmt.Errorf("linear program: expected a finite objective, found a range of %v to %v", least, e[q.base])
	}
	return q, nil
}

// satisfied reports whether x yields f in every column, up to the relaxation and rounding.
func (q *program) satisfied(x []float64) bool {
	for j := range q.n {
		if q.violates(x, j) {
			return false
		}
	}
	return true
}

// violates reports whether x misses the bound of column j.
func (q *program) violates(x []float64, j int) bool {
	sum := 0.0
	for i, p := range x {
		if p > 0 {
			sum += p * q.p[i*q.n+j]
		}
	}
	return sum < q.f[j]-2*relaxation*(q.top-q.low)
}

// objective returns xᵗe.
func (q *program) objective(x []float64) float64 {
	value := 0.0
	for i, p := range x {
		value += p * q.e[i]
	}
	return value
}

package matrix

import (
	"math"
	"math/rand/v2"
)

// certify returns the guarantees of two strategies in the game a, see guarantees.
func certify(a []float64, m, n int, x, y []float64) (lower, upper float64) {
	lower, upper = guarantees(a, m, n, x, y, make([]float64, n), a[0])
	return a[0] + lower, a[0] + upper
}

// A family draws matrices of one kind: matrices of simultaneous games, and matrices that are hard for a simplex method.
type family struct {
	name string
	fill func(r *rand.Rand, a []float64, m, n int)
}

func families() []family {
	each := func(draw func(r *rand.Rand) float64) func(*rand.Rand, []float64, int, int) {
		return func(r *rand.Rand, a []float64, _, _ int) {
			for k := range a {
				a[k] = draw(r)
			}
		}
	}
	integers := each(func(r *rand.Rand) float64 { return float64(r.IntN(7) - 3) })
	return []family{
		{"uniform", each((*rand.Rand).Float64)},
		{"normal", each((*rand.Rand).NormFloat64)},
		{"integers", integers},
		{"zero-one", each(func(r *rand.Rand) float64 { return float64(r.IntN(2)) })},
		{"win-tie-loss", each(func(r *rand.Rand) float64 { return 50 * float64(r.IntN(3)) })},
		{"billions", each(func(r *rand.Rand) float64 { return 2e9*r.Float64() - 1e9 })},
		{"magnitudes", each(func(r *rand.Rand) float64 { return r.NormFloat64() * math.Pow(10, float64(r.IntN(19)-9)) })},
		{"near-constant", each(func(r *rand.Rand) float64 { return 50 + 1e-9*r.Float64() })},
		{"constant", func(r *rand.Rand, a []float64, _, _ int) {
			v := r.NormFloat64()
			for k := range a {
				a[k] = v
			}
		}},
		{"duplicates", func(r *rand.Rand, a []float64, m, n int) {
			integers(r, a, m, n)
			duplicate(r, a, m, n)
		}},
		{"almost-duplicates", func(r *rand.Rand, a []float64, m, n int) {
			integers(r, a, m, n)
			duplicate(r, a, m, n)
			for k := range a {
				a[k] += 1e-11 * r.NormFloat64()
			}
		}},
		{"skew", func(r *rand.Rand, a []float64, m, n int) {
			for i := range m {
				for j := range n {
					v := float64(r.IntN(5) - 2)
					a[i*n+j] = v
					if j < m && i < n {
						a[j*n+i] = -v
					}
					if i == j {
						a[i*n+j] = 0
					}
				}
			}
		}},
		{"diagonal", func(r *rand.Rand, a []float64, _, n int) {
			for k := range a {
				a[k] = 0
				if k%(n+1) == 0 {
					a[k] = math.Pow(10, float64(r.IntN(6)))
				}
			}
		}},
	}
}

// duplicate overwrites about half of the rows and columns with copies of others.
func duplicate(r *rand.Rand, a []float64, m, n int) {
	for i := range m {
		if k := r.IntN(2 * m); k < m {
			copy(a[i*n:][:n], a[k*n:][:n])
		}
	}
	for j := range n {
		if k := r.IntN(2 * n); k < n {
			for i := range m {
				a[i*n+j] = a[i*n+k]
			}
		}
	}
}

// spread returns the range of the elements.
func spread(a []float64) float64 {
	low, high := a[0], a[0]
	for _, v := range a {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

package matrix

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stackmate/internal/must"
)

// uniform returns count m×n matrices with independent elements from [0, 1).
func uniform(count, m, n int) [][]float64 {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	games := make([][]float64, count)
	for k := range games {
		games[k] = make([]float64, m*n)
		for i := range games[k] {
			games[k][i] = r.Float64()
		}
	}
	return games
}

// benchmarkEngines runs a benchmark on every engine that is part of the program.
func benchmarkEngines(b *testing.B, run func(b *testing.B, g Engine)) {
	for _, name := range []string{"native", "glpk"} {
		if g, err := NewEngine(name); err == nil {
			b.Run(name, func(b *testing.B) { run(b, g) })
		}
	}
}

// BenchmarkNash solves random games fully: value and both strategies.
func BenchmarkNash(b *testing.B) {
	for _, n := range []int{2, 3, 5, 10, 15, 30} {
		b.Run(fmt.Sprintf("%dx%d", n, n), func(b *testing.B) {
			benchmarkEngines(b, func(b *testing.B, g Engine) {
				games := uniform(1024, n, n)
				x, y := make([]float64, n), make([]float64, n)
				b.ReportAllocs()
				k := 0
				for b.Loop() {
					must.Get(g.Nash(games[k&1023], n, n, x, y))(b)
					k++
				}
			})
		})
	}
}

// BenchmarkMaximize solves the program of Fig. 4 for a random cell of a random
// game whose cells are known with probability one half.
func BenchmarkMaximize(b *testing.B) {
	for _, n := range []int{3, 5, 10} {
		b.Run(fmt.Sprintf("%dx%d", n, n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, uint64(n)))
			games, bounds := uniform(1024, n, n), uniform(1024, n, 1)
			for k := range games {
				for i := range games[k] {
					if r.IntN(2) == 0 {
						games[k][i] = 0
					}
				}
				for j := range bounds[k] {
					bounds[k][j] *= 0.5
				}
			}
			e := uniform(1, 1, n)[0]
			benchmarkEngines(b, func(b *testing.B, g Engine) {
				b.ReportAllocs()
				feasible, k := 0, 0
				for b.Loop() {
					_, ok := must.Get2(g.Maximize(games[k&1023], n, n, e, bounds[k&1023]))(b)
					if ok {
						feasible++
					}
					k++
				}
				b.ReportMetric(float64(feasible)/float64(k), "feasible")
			})
		})
	}
}

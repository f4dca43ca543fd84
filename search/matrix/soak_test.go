package matrix

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// soakGames returns how many games TestSoak solves; STACKMATE_SOAK=10000000 is the
// long run.
func soakGames(t *testing.T) int {
	s := os.Getenv("STACKMATE_SOAK")
	if s == "" {
		return 50_000
	}
	count, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("STACKMATE_SOAK: expected a number of games, found %q", s)
	}
	return count
}

// TestSoak solves many games of all families and sizes up to 15×15 and demands
// of each a certificate: no failure, no gap beyond 1e-9 of the range.
func TestSoak(t *testing.T) {
	const size = 15
	g := NewNative()
	r := rand.New(rand.NewPCG(7, 11))
	all := families()
	a, x, y, gains := make([]float64, size*size), make([]float64, size), make([]float64, size), make([]float64, size)
	widest := 0.0
	for k := range soakGames(t) {
		f := all[k%len(all)]
		m, n := 1+r.IntN(size), 1+r.IntN(size)
		a := a[:m*n]
		f.fill(r, a, m, n)
		value, err := g.Nash(a, m, n, x[:m], y[:n])
		if err != nil {
			t.Fatalf("game %d, %s %d×%d: %v", k, f.name, m, n, err)
		}
		lower, upper := guarantees(a, m, n, x[:m], y[:n], gains, a[0])
		span := spread(a)
		if span == 0 {
			continue
		}
		widest = max(widest, (upper-lower)/span)
		// The value is rounded to the precision of the elements.
		slack := 1e-9*span + 1e-15*math.Abs(a[0])
		if value -= a[0]; !(upper-lower <= 1e-9*span) || value < lower-slack || value > upper+slack {
			t.Fatalf("game %d, %s %d×%d %v: value %v, guarantees %v and %v from %v", k, f.name, m, n, a, value, lower, upper, a[0])
		}
	}
	t.Logf("widest gap: %.2g of the range", widest)
}

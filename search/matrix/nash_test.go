package matrix

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"stackmate/internal/must"

	"pgregory.net/rapid"
)

// maximalGap returns the precision required of an engine: the gap between the guarantees of the two
// strategies as a part of the range.
func maximalGap(g Engine) float64 {
	if g.Name() == "glpk" {
		return 1e-6
	}
	return 1e-9
}

// checkEquilibrium fails unless x and y are strategies whose guarantees meet at
// the value.
func checkEquilibrium(t rapid.TB, gap float64, a []float64, m, n int, value float64, x, y []float64) {
	t.Helper()
	for _, p := range [][]float64{x, y} {
		sum := 0.0
		for _, v := range p {
			if v < 0 {
				t.Fatalf("negative probability in %v", p)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities %v add up to %v", p, sum)
		}
	}
	lower, upper := certify(a, m, n, x, y)
	// The guarantees are rounded to the precision of the elements, and each product
	// in them to a multiple of the smallest number.
	slack := gap*spread(a) + 1e-15*(math.Abs(lower)+math.Abs(upper)) + float64(m+n)*math.SmallestNonzeroFloat64
	if upper-lower > slack {
		t.Fatalf("%d×%d %v: guarantees %v and %v, gap %g", m, n, a, lower, upper, upper-lower)
	}
	if value < lower-slack || value > upper+slack {
		t.Fatalf("%d×%d %v: value %v outside of the guarantees [%v, %v]", m, n, a, value, lower, upper)
	}
}

func TestKnownGames(t *testing.T) {
	for _, c := range []struct {
		name  string
		m, n  int
		a     []float64
		value float64
		x, y  []float64 // nil where not unique
	}{
		{"one cell", 1, 1, []float64{-7}, -7, []float64{1}, []float64{1}},
		{"one row", 1, 3, []float64{4, 2, 3}, 2, []float64{1}, []float64{0, 1, 0}},
		{"one column", 3, 1, []float64{4, 2, 5}, 5, []float64{0, 0, 1}, []float64{1}},
		{"matching pennies", 2, 2, []float64{100, 0, 0, 100}, 50, []float64{.5, .5}, []float64{.5, .5}},
		{"unequal pennies", 2, 2, []float64{3, -1, -2, 1}, 1. / 7, []float64{3. / 7, 4. / 7}, []float64{2. / 7, 5. / 7}},
		{
			"rock paper scissors", 3, 3,
			[]float64{50, 0, 100, 100, 50, 0, 0, 100, 50},
			50,
			[]float64{1. / 3, 1. / 3, 1. / 3},
			[]float64{1. / 3, 1. / 3, 1. / 3},
		},
		{"Example 2 of Saffidine, Finnsson and Buro", 3, 3, []float64{6, 1, 0, 3, 3, 3, 0, 1, 6}, 3, nil, nil},
		{
			"dominated row and column", 3, 3,
			[]float64{3, -1, 4, -2, 1, 2, -3, -1, 0},
			1. / 7,
			[]float64{3. / 7, 4. / 7, 0},
			[]float64{2. / 7, 5. / 7, 0},
		},
		{"constant", 2, 3, []float64{50, 50, 50, 50, 50, 50}, 50, nil, nil},
	} {
		withEngines(t, func(t *testing.T, g Engine) {
			x, y := make([]float64, c.m), make([]float64, c.n)
			value := must.Get(g.Nash(c.a, c.m, c.n, x, y))(t)
			checkEquilibrium(t, maximalGap(g), c.a, c.m, c.n, value, x, y)
			if math.Abs(value-c.value) > 1e-12 {
				t.Errorf("%s: value %v, expected %v", c.name, value, c.value)
			}
			if c.x != nil && (distance(x, c.x) > 1e-12 || distance(y, c.y) > 1e-12) {
				t.Errorf("%s: strategies %v and %v, expected %v and %v", c.name, x, y, c.x, c.y)
			}
		})
	}
}

func distance(p, q []float64) float64 {
	d := 0.0
	for i := range p {
		d = max(d, math.Abs(p[i]-q[i]))
	}
	return d
}

func TestSaddlePointHasTheValueOfAnElement(t *testing.T) {
	value, err := NewNative().Nash([]float64{6, 1, 0, 3, 3, 3, 0, 1, 6}, 3, 3, nil, nil)
	if err != nil || value != 3 {
		t.Errorf("value %v, error %v, expected exactly 3", value, err)
	}
}

func TestNashHoldsAtTheEndsOfTheFloatingPointRange(t *testing.T) {
	pennies := []float64{1, 0, 0, 1}
	scissors := []float64{0, -1, 1, 1, 0, -1, -1, 1, 0}
	for _, unit := range []float64{8e307, 1e300, 1e-300, 2e-308, 5e-323} {
		for n, game := range map[int][]float64{2: pennies, 3: scissors} {
			a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
			for k, v := range game {
				a[k] = v * unit
			}
			if _, err := NewNative().Nash(a, n, n, x, y); err != nil {
				t.Errorf("%v: %v", a, err)
			}
			for i := range n {
				if math.Abs(x[i]*float64(n)-1) > 1e-12 || math.Abs(y[i]*float64(n)-1) > 1e-12 {
					t.Errorf("%v: strategies %v and %v, expected uniform ones", a, x, y)
				}
			}
		}
	}
}

func TestNashIsCertifiedOnEveryFamily(t *testing.T) {
	for _, f := range families() {
		withEngines(t, func(t *testing.T, g Engine) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				m, n := 1+r.IntN(8), 1+r.IntN(8)
				a, x, y := make([]float64, m*n), make([]float64, m), make([]float64, n)
				f.fill(r, a, m, n)
				value, err := g.Nash(a, m, n, x, y)
				if err != nil {
					t.Fatalf("%s %d×%d %v: %v", f.name, m, n, a, err)
				}
				checkEquilibrium(t, maximalGap(g), a, m, n, value, x, y)
			}
		})
	}
}

func TestNashAgreesWithRationals(t *testing.T) {
	withEngines(t, func(t *testing.T, g Engine) {
		rapid.Check(t, func(t *rapid.T) {
			m, n := rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 6).Draw(t, "n")
			element := rapid.OneOf(
				rapid.Float64Range(-1e9, 1e9),
				rapid.Map(rapid.IntRange(-3, 3), func(k int) float64 { return float64(k) }),
			)
			a := rapid.SliceOfN(element, m*n, m*n).Draw(t, "a")
			x, y := make([]float64, m), make([]float64, n)
			value := must.Get(g.Nash(a, m, n, x, y))(t)
			checkEquilibrium(t, maximalGap(g), a, m, n, value, x, y)
			exact, p, q := NashExact(t.Context(), rationals(a), m, n)
			want, _ := exact.Float64()
			if math.Abs(value-want) > maximalGap(g)*spread(a) {
				t.Fatalf("%d×%d %v: value %v, exactly %v", m, n, a, value, want)
			}
			for i := range x {
				x[i], _ = p[i].Float64()
			}
			for j := range y {
				y[j], _ = q[j].Float64()
			}
			checkEquilibrium(t, 1e-15, a, m, n, want, x, y)
		})
	})
}

func TestNashDoesNotNeedTheStrategies(t *testing.T) {
	a := []float64{50, 0, 100, 100, 50, 0, 0, 100, 50}
	withEngines(t, func(t *testing.T, g Engine) {
		for _, buffers := range [][2][]float64{{nil, nil}, {make([]float64, 3), nil}, {nil, make([]float64, 3)}} {
			value, err := g.Nash(a, 3, 3, buffers[0], buffers[1])
			if err != nil || math.Abs(value-50) > 1e-12 {
				t.Errorf("value %v, error %v, expected 50", value, err)
			}
		}
	})
}

func TestNashNamesBadInput(t *testing.T) {
	for _, c := range []struct {
		name string
		m, n int
		a    []float64
		x    []float64
		want string
	}{
		{"empty", 0, 2, nil, nil, "found 0×2"},
		{"short", 2, 2, []float64{1, 2, 3}, nil, "2×2 = 4 elements, found 3"},
		{"no room", 2, 1, []float64{1, 2}, make([]float64, 1), "2 row probabilities, found 1"},
		{"not a number", 2, 2, []float64{1, 2, 3, math.NaN()}, nil, "found NaN in row 1, column 1"},
		{"infinite", 1, 2, []float64{math.Inf(-1), 2}, nil, "found -Inf in row 0, column 0"},
		{"range", 1, 2, []float64{-1.7e308, 1.7e308}, nil, "difference is finite"},
	} {
		withEngines(t, func(t *testing.T, g Engine) {
			_, err := g.Nash(c.a, c.m, c.n, c.x, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, expected one with %q", c.name, err, c.want)
			}
		})
	}
}

func TestNashDoesNotAllocateAfterWarmUp(t *testing.T) {
	g := NewNative()
	games := uniform(64, 9, 7)
	x, y := make([]float64, 9), make([]float64, 7)
	k := 0
	if n := testing.AllocsPerRun(200, func() {
		if _, err := g.Nash(games[k%64], 9, 7, x, y); err != nil {
			t.Fatal(err)
		}
		k++
	}); n != 0 {
		t.Errorf("%v allocations per call", n)
	}
}

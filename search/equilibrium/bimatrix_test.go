package equilibrium

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
)

// random returns a matrix of small payoffs: many are equal, so that degenerate games are frequent.
func random(rng *machine.Rand, m, n, values int) Bimatrix {
	g := Bimatrix{zeros(m, n), zeros(m, n)}
	for i := range m {
		for j := range n {
			g.Row[i][j].SetInt64(int64(rng.Intn(values)))
			g.Column[i][j].SetInt64(int64(rng.Intn(values)))
		}
	}
	return g
}

func TestLemkeHowsonFindsAnEquilibriumOfEveryMatrix(t *testing.T) {
	rng := machine.NewRand(1)
	for n := range 400 {
		g := random(rng, 1+rng.Intn(8), 1+rng.Intn(8), []int{2, 3, 10, 1000}[n%4])
		if err := g.Verify(must.Get(lemkeHowson(t.Context(), g))(t)); err != nil {
			t.Fatalf("matrix %d, %v: %v", n, g, err)
		}
	}
}

func TestPureEquilibriaAgreeWithTheirDefinition(t *testing.T) {
	rng := machine.NewRand(3)
	for n := range 400 {
		g := random(rng, 1+rng.Intn(6), 1+rng.Intn(6), 2+n%4)
		var want [][2]int
		for i, row := range g.Row {
			for j := range row {
				if ok, _ := isEquilibrium(g, Profile{unit(len(g.Row), i), unit(len(row), j)}); ok {
					want = append(want, [2]int{i, j})
				}
			}
		}
		if got := g.Pure(); !slices.Equal(got, want) {
			t.Fatalf("%v: found %v, want %v", g, got, want)
		}
	}
}

func TestPureEquilibriaOfALongColumnAreFound(t *testing.T) {
	const rows = 100_000 // comparisons of all pairs of rows would take hours
	g := Bimatrix{zeros(rows, 1), zeros(rows, 1)}
	g.Row[rows-1][0].SetInt64(1)
	if got := g.Pure(); len(got) != 1 || got[0] != [2]int{rows - 1, 0} {
		t.Errorf("found %v", got)
	}
}

func TestAMixedEquilibriumEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := random(machine.NewRand(4), 50, 50, 1000).Mixed(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, %v", p, err)
	}
}

func TestExtremeEquilibriaAreEquilibriaAndOddInNumberWhereNothingIsDegenerate(t *testing.T) {
	rng := machine.NewRand(2)
	for range 30 {
		g := random(rng, 1+rng.Intn(3), 1+rng.Intn(3), 100_000)
		all, err := g.Extreme()
		if err != nil || len(all)%2 != 1 {
			t.Fatalf("%d equilibria of %v: %v", len(all), g, err)
		}
		for _, p := range all {
			must.OK(t, g.Verify(p))
		}
	}
	if _, err := random(rng, 7, 6, 9).Extreme(); err == nil {
		t.Error("a matrix of 13 rows and columns has its equilibria listed")
	}
}

func TestVerifyNamesTheFault(t *testing.T) {
	g := parseMatrix("1,-1 -1,1; -1,1 1,-1")
	half := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}
	for name, p := range map[string]Profile{
		"a row that gains":    {unit(2, 0), unit(2, 1)},
		"a column that gains": {unit(2, 0), unit(2, 0)},
		"too much":            {[]*big.Rat{big.NewRat(1, 2), big.NewRat(3, 4)}, half},
		"negative":            {[]*big.Rat{big.NewRat(-1, 2), big.NewRat(3, 2)}, half},
		"too short":           {half[:1], half},
	} {
		if g.Verify(p) == nil {
			t.Errorf("%s: no fault", name)
		}
	}
	if err := g.Verify(Profile{half, half}); err != nil {
		t.Error(err)
	}
}

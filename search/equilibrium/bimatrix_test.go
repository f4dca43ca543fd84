package equilibrium

import (
	"math/big"
	"testing"

	"stackmate/reasoner/machine"
)

// matrixOf returns the game whose cells are pairs of payoffs, a row a line.
func matrixOf(cells ...[][2]int64) Bimatrix {
	g := Bimatrix{}
	for _, row := range cells {
		var a, b []*big.Rat
		for _, c := range row {
			a, b = append(a, big.NewRat(c[0], 1)), append(b, big.NewRat(c[1], 1))
		}
		g.Row, g.Column = append(g.Row, a), append(g.Column, b)
	}
	return g
}

// literature holds games of textbooks with the numbers of their pure and extreme equilibria.
var literature = map[string]struct {
	game          Bimatrix
	pure, extreme int
	row, column   string // payoffs of the equilibrium that Solve returns
}{
	"prisoners' dilemma":  {matrixOf([][2]int64{{3, 3}, {0, 5}}, [][2]int64{{5, 0}, {1, 1}}), 1, 1, "1", "1"},
	"battle of the sexes": {matrixOf([][2]int64{{2, 1}, {0, 0}}, [][2]int64{{0, 0}, {1, 2}}), 2, 3, "2", "1"},
	"chicken":             {matrixOf([][2]int64{{6, 6}, {2, 7}}, [][2]int64{{7, 2}, {0, 0}}), 2, 3, "2", "7"},
	"stag hunt":           {matrixOf([][2]int64{{4, 4}, {0, 3}}, [][2]int64{{3, 0}, {3, 3}}), 2, 3, "4", "4"},
	"matching pennies":    {matrixOf([][2]int64{{1, -1}, {-1, 1}}, [][2]int64{{-1, 1}, {1, -1}}), 0, 1, "0", "0"},
	"asymmetric pennies":  {matrixOf([][2]int64{{9, -1}, {-1, 1}}, [][2]int64{{-1, 1}, {1, -1}}), 0, 1, "2/3", "0"},
	"rock, paper, scissors": {matrixOf(
		[][2]int64{{0, 0}, {-1, 1}, {1, -1}}, [][2]int64{{1, -1}, {0, 0}, {-1, 1}}, [][2]int64{{-1, 1}, {1, -1}, {0, 0}}), 0, 1, "0", "0"},
	"Shapley's game": {matrixOf(
		[][2]int64{{0, 0}, {1, 0}, {0, 1}}, [][2]int64{{0, 1}, {0, 0}, {1, 0}}, [][2]int64{{1, 0}, {0, 1}, {0, 0}}), 0, 1, "1/3", "1/3"},
	"inspection": {matrixOf([][2]int64{{0, 0}, {-10, 10}}, [][2]int64{{-1, 0}, {-6, -90}}), 0, 1, "-2", "0"},
	"coordination of three": {matrixOf(
		[][2]int64{{1, 1}, {0, 0}, {0, 0}}, [][2]int64{{0, 0}, {1, 1}, {0, 0}}, [][2]int64{{0, 0}, {0, 0}, {1, 1}}), 3, 7, "1", "1"},
	"von Stengel's 3×2": {matrixOf([][2]int64{{3, 3}, {3, 2}}, [][2]int64{{2, 2}, {5, 6}}, [][2]int64{{0, 3}, {6, 1}}), 1, 3, "3", "3"},
	"one row":           {matrixOf([][2]int64{{4, 1}, {9, 3}, {2, 3}}), 2, 2, "9", "3"},
	"all alike":         {matrixOf([][2]int64{{1, 1}, {1, 1}}, [][2]int64{{1, 1}, {1, 1}}), 4, 4, "1", "1"},
}

func TestGamesOfTheLiteratureHaveTheirEquilibria(t *testing.T) {
	for name, c := range literature {
		t.Run(name, func(t *testing.T) {
			if got := len(c.game.Pure()); got != c.pure {
				t.Errorf("%d pure equilibria, want %d", got, c.pure)
			}
			all, err := c.game.Extreme()
			if err != nil || len(all) != c.extreme {
				t.Errorf("%d extreme equilibria, want %d; %v", len(all), c.extreme, err)
			}
			p, err := c.game.Solve()
			if err != nil {
				t.Fatal(err)
			}
			row, column := c.game.Payoffs(p)
			if c.row != "" && (row.RatString() != c.row || column.RatString() != c.column) {
				t.Errorf("payoffs %s and %s, want %s and %s", row.RatString(), column.RatString(), c.row, c.column)
			}
		})
	}
}

// random returns a matrix of small payoffs: many are equal, so that degenerate games are frequent.
func random(rng *machine.Rand, m, n, values int) Bimatrix {
	cells := make([][][2]int64, m)
	for i := range cells {
		for range n {
			cells[i] = append(cells[i], [2]int64{int64(rng.Intn(values)), int64(rng.Intn(values))})
		}
	}
	return matrixOf(cells...)
}

func TestLemkeHowsonFindsAnEquilibriumOfEveryMatrix(t *testing.T) {
	rng := machine.NewRand(1)
	for n := range 400 {
		g := random(rng, 1+rng.Intn(8), 1+rng.Intn(8), []int{2, 3, 10, 1000}[n%4])
		if err := g.Verify(lemkeHowson(g)); err != nil {
			t.Fatalf("matrix %d, %v: %v", n, g, err)
		}
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
			if err := g.Verify(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := random(rng, 7, 6, 9).Extreme(); err == nil {
		t.Error("a matrix of 13 rows and columns has its equilibria listed")
	}
}

func TestVerifyNamesTheFault(t *testing.T) {
	g := literature["matching pennies"].game
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

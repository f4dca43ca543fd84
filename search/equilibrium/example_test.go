package equilibrium_test

import (
	"fmt"
	"log"
	"math/big"

	"stackmate/search/equilibrium"
)

// The battle of the sexes has two equilibria in pure strategies, and a third one in mixed strategies.
func Example() {
	payoffs := func(rows ...[]int64) (m [][]*big.Rat) {
		for _, row := range rows {
			var numbers []*big.Rat
			for _, n := range row {
				numbers = append(numbers, big.NewRat(n, 1))
			}
			m = append(m, numbers)
		}
		return m
	}
	game := equilibrium.Bimatrix{
		Row:    payoffs([]int64{2, 0}, []int64{0, 1}),
		Column: payoffs([]int64{1, 0}, []int64{0, 2}),
	}
	all, err := game.Extreme()
	if err != nil {
		log.Fatal(err)
	}
	for _, profile := range all {
		if err := game.Verify(profile); err != nil {
			log.Fatal(err)
		}
		row, column := game.Payoffs(profile)
		fmt.Println("payoffs", row.RatString(), column.RatString())
	}
	// Unordered output:
	// payoffs 2 1
	// payoffs 1 2
	// payoffs 2/3 2/3
}

package simultaneous

import (
	"fmt"
	"math"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
)

// prizeOrders returns random orders of n prizes, the same in every run.
func prizeOrders(n, count int) [][]int {
	rng := machine.NewRand(2016)
	orders := make([][]int, count)
	for k := range orders {
		prizes := descending(n)
		for i := n - 1; i > 0; i-- {
			j := rng.Intn(i + 1)
			prizes[i], prizes[j] = prizes[j], prizes[i]
		}
		orders[k] = prizes
	}
	return orders
}

func TestEveryMethodAgreesWithInductionOnGoofspiel(t *testing.T) {
	t.Parallel()
	for n := 3; n <= 6; n++ {
		t.Run(fmt.Sprintf("N=%d", n), func(t *testing.T) {
			if !exhaustive.On() && n > 5 {
				t.Skip("takes seconds")
			}
			orders := 3
			if n > exhaustive.Choose(4, 5) {
				orders = 1 // of some seconds each
			}
			for _, prizes := range prizeOrders(n, orders) {
				checkAgainstInduction(t, newGoofspiel(prizes, false), n, fmt.Sprint(prizes))
				checkAgainstInduction(t, newGoofspiel(prizes, true), n, fmt.Sprint(prizes, " by points"))
			}
		})
	}
}

// checkAgainstInduction solves goofspiel of n cards by every method that is fast
// enough for it. A card more means thirty to fifty times as many positions in the
// tree, and seven times as many in a table.
func checkAgainstInduction(t *testing.T, m machine.Machine, n int, name string) {
	want := solve(t, Config{Method: BackwardInduction, Table: true}, m).Values[0]
	for _, config := range configurations() {
		if n > 5 && !config.Table && config.Method == SMAB && config.Order != "" { // eight configurations
			continue
		}
		got := solve(t, config, m).Values[0]
		if math.Abs(got.Lower-want.Lower) > tolerance || !got.Solved() {
			t.Errorf("%v, prizes %s: %v, want %v", config, name, got, want)
		}
	}
}

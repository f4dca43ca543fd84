package simultaneous

import (
	"math"
	"testing"

	"stackmate/reasoner/machine"
)

// prizeOrders are random orders of n prizes, the same in every run.
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
	for n := 3; n <= 5; n++ {
		for _, points := range []bool{false, true} {
			for _, prizes := range prizeOrders(n, 3) {
				m := newGoofspiel(prizes, points)
				want := solve(t, Config{Method: BackwardInduction, Table: true}, m).Values[0]
				for _, config := range configurations() {
					got := solve(t, config, m).Values[0]
					if math.Abs(got.Lower-want.Lower) > tolerance || !got.Solved() {
						t.Errorf("%v, prizes %v, points %t: %v, want %v", config, prizes, points, got, want)
					}
				}
			}
		}
	}
}

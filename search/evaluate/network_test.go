package evaluate

import (
	"math"
	"slices"
	"testing"

	"stackmate/reasoner/machine"
)

func TestTheLogisticFunctionIsThatOfTheExponential(t *testing.T) {
	for x := -40.0; x <= 40; x += 1. / 512 {
		if got, want := float64(logistic(float32(x))), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-6 {
			t.Fatalf("of %v: %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1e3, 1e30, math.Inf(1)} {
		if below, above := logistic(float32(-x)), logistic(float32(x)); below < 0 || below > 1e-30 || above != 1 {
			t.Errorf("of ±%v: %v and %v", x, below, above)
		}
	}
}

func TestReachIsLittleMoreThanTheLargestUnit(t *testing.T) {
	rng := machine.NewRand(4)
	for _, words := range []int{1, 2, 7} {
		n := newNetwork(words, 64*words, 2, rng)
		for i := range n.in {
			for u := range n.in[i] {
				n.in[i][u] = float32(math.Log(rng.Float64()+1e-9) * math.Copysign(1, rng.Float64()-0.5))
			}
		}
		for _, active := range []int{1, 10, 50, 64 * words, 1000} {
			largest := float32(0)
			for u := range width {
				var weights []float32
				for i := range n.in {
					weights = append(weights, -max(n.in[i][u], -n.in[i][u]))
				}
				slices.Sort(weights)
				sum := float32(0)
				for _, w := range weights[:min(active+1, len(weights))] {
					sum -= w
				}
				largest = max(largest, sum)
			}
			if got := n.reach(active); got < largest || got > 1.1*largest+1 && active > 1 {
				t.Errorf("%d words, %d inputs: reach %v, the largest unit is %v", words, active, got, largest)
			}
		}
	}
}

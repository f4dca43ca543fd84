package matrix

import "testing"

func TestPointsPickMovesByTheirProbabilities(t *testing.T) {
	for _, c := range []struct {
		strategy []float64
		point    float64
		want     int
	}{
		{[]float64{0.25, 0.75}, 0, 0},
		{[]float64{0.25, 0.75}, 0.24, 0},
		{[]float64{0.25, 0.75}, 0.25, 1},
		{[]float64{0, 0.5, 0, 0.5, 0}, 0, 1},
		{[]float64{0, 0.5, 0, 0.5, 0}, 0.5, 3},
		{[]float64{0, 0.5, 0, 0.5, 0}, 0.99, 3},
		{[]float64{0.3, 0.3, 0.3, 0}, 0.95, 2}, // probabilities that rounding makes too small
		{[]float64{1}, 0.5, 0},
	} {
		if got := Pick(c.strategy, c.point); got != c.want {
			t.Errorf("point %v of %v picks move %d, want %d", c.point, c.strategy, got, c.want)
		}
	}
}

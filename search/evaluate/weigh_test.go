package evaluate

import (
	"math"
	"testing"

	"stackmate/reasoner/machine"
)

func TestTheWeightIsThatOfTheMeanThatComesClosest(t *testing.T) {
	for _, c := range []struct{ share, want float64 }{{0, leastWeight}, {0.5, 8}, {0.75, 24}, {1, mostWeight}} {
		w, rng := &weigher{}, machine.NewRand(1)
		if got := w.weight(); got != weighedPlayouts {
			t.Errorf("nothing compared: %g, want %d", got, weighedPlayouts)
		}
		for range 20_000 {
			e, p, noise := 100*rng.Float64(), 100*rng.Float64(), 20*(rng.Float64()-0.5)
			w.outcomes = []float64{c.share*e + (1-c.share)*p + noise, 0}
			w.compare([]float64{e, e}, []float64{p, math.NaN()})
		}
		if got := w.weight(); got < 0.9*c.want || got > 1.1*c.want {
			t.Errorf("outcomes are %g estimate: %g, want %g", c.share, got, c.want)
		}
	}
}

func TestEstimatesThatHaveLearntMoreWeighMore(t *testing.T) {
	for _, game := range []string{"ticTacToe", "breakthrough-4x4"} {
		var weights [2]float64
		for i, games := range []int64{1, 20_000} {
			l := trained(t, game, 1, games)
			l.Weigh(t.Context())
			weights[i] = l.Evaluation().Weight()
			before := l.Progress().Games
			if l.Learn(t.Context(), 10); l.Progress().Games < before+10 {
				t.Errorf("%s: after weighing nothing is learnt", game)
			}
		}
		if weights[0] > weighedPlayouts/2 || weights[1] < 2*weighedPlayouts {
			t.Errorf("%s: weights %g after a game, %g after many", game, weights[0], weights[1])
		}
	}
}

package evaluate

import (
	"math"
	"testing"

	"stackmate/reasoner/machine"
)

func TestTheShareIsThePrecisionOfTheEvaluationBesidePlayouts(t *testing.T) {
	rng := machine.NewRand(1)
	uniform := func(width float64) float64 { return width * (2*rng.Float64() - 1) }
	many := math.Inf(1)
	for _, c := range []struct{ error, bias, scale, playouts, want float64 }{ // of the evaluation; random play has an error of 10
		{10, 0, 1, many, 0.5},
		{10, 20, 0.5, many, 0.5}, // a linear function of an evaluation is worth the same
		{20, 0, 1, many, 0.2},
		{5, 0, 1, many, 0.8},
		{0, 0, 1, many, 1},
		{10, 100, -1, many, 0},
		{10, 0, 1, 4, 0.95}, // noise of 4 playouts: 550 beside an error of 33
	} {
		w := &weigher{surplus: 1 - 4/c.playouts}
		if got := w.share(); got != 0 {
			t.Errorf("nothing compared: %g, want 0", got)
		}
		for range 100_000 {
			value := 50 + uniform(30)
			p := value + uniform(10) // percent of random games won
			var sample tally
			for range 4 {
				won := 0.
				if 100*rng.Float64() < p {
					won = 100
				}
				sample = tally{sample.count + 1, sample.goals + won, sample.squares + won*won}
			}
			w.compare(value+uniform(20), c.bias+c.scale*(value+uniform(c.error)), sample)
		}
		w.compare(0, 100, tally{})
		if got := w.share(); math.Abs(got-c.want) > 0.04 {
			t.Errorf("%+v: share %g", c, got)
		}
	}
}

func TestEvaluationsThatHaveLearntMoreHaveALargerShare(t *testing.T) {
	for _, game := range []string{"ticTacToe", "breakthrough-4x4"} {
		var shares [2]float64
		for i, games := range []int64{1, 20_000} {
			l := trained(t, game, 1, games)
			l.Weigh(t.Context(), math.Inf(1))
			shares[i] = l.Evaluation().Share()
			before := l.Progress().Games
			if l.Learn(t.Context(), 10); l.Progress().Games < before+10 {
				t.Errorf("%s: after weighing nothing is learnt", game)
			}
		}
		if shares[0] > 0.2 || shares[1] < 0.5 {
			t.Errorf("%s: shares %g after a game, %g after many", game, shares[0], shares[1])
		}
	}
}

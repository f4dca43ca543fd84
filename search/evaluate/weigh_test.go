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

// TestFewComparisonsDecideRarelyAgainstTheTruth compares an evaluation that is as good as random play, and one that is
// useless, at the positions of 60 games, with an outcome for each game.
func TestFewComparisonsDecideRarelyAgainstTheTruth(t *testing.T) {
	const trials, games = 200, 60
	for _, c := range []struct {
		error       float64 // of the evaluation; random play has an error of 20
		least, most int     // trials with a share above 0
	}{{20, 140, trials}, {200, 0, 10}} {
		rng, used := machine.NewRand(3), 0
		normal := func(sd float64) float64 {
			return sd * math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
		}
		for range trials {
			w := &weigher{surplus: 1}
			for range games {
				value, won := 20+60*rng.Float64(), 0.
				if 100*rng.Float64() < value {
					won = 100
				}
				for range weighedPerGame {
					p := value + normal(20)
					w.compare(won, value+normal(c.error), tally{2, 2 * p, 2 * p * p})
				}
			}
			if w.share() > 0 {
				used++
			}
		}
		if used < c.least || used > c.most {
			t.Errorf("an evaluation with an error of %g is used in %d of %d trials, want %d to %d", c.error, used, trials, c.least, c.most)
		}
	}
}

// TestEvaluationsThatHaveLearntMoreHaveALargerShare takes means over seeds: after 20 000 games of tic-tac-toe the shares of
// ten seeds are from 0.27 to 0.69.
func TestEvaluationsThatHaveLearntMoreHaveALargerShare(t *testing.T) {
	const seeds = 3
	for _, game := range []string{"ticTacToe", "breakthrough-4x4"} {
		var shares [2]float64
		for i, games := range []int64{1, 20_000} {
			for seed := range uint64(seeds) {
				l := trained(t, game, seed, games)
				l.Weigh(t.Context(), math.Inf(1))
				shares[i] += l.Evaluation().Share() / seeds
				before := l.Progress().Games
				if l.Learn(t.Context(), 10); l.Progress().Games < before+10 {
					t.Errorf("%s: after weighing nothing is learnt", game)
				}
			}
		}
		if shares[0] > 0.2 || shares[1] < 0.4 {
			t.Errorf("%s: shares %g after a game, %g after many", game, shares[0], shares[1])
		}
	}
}

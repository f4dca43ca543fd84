package arena

import (
	"fmt"
	"math"
	"testing"

	"stackmate/reasoner/machine"
)

func TestUnrelatedPlayersLeaveARatingDifference(t *testing.T) {
	difference := func(pairs int) float64 {
		names := []string{"a", "b"}
		var results []Result
		for k := range 20 {
			results = append(results, duel("a", "b", 100*min(1, k%4)))
		}
		for i := range pairs {
			c, d := fmt.Sprint("c", i), fmt.Sprint("d", i)
			names = append(names, c, d)
			results = append(results, duel(c, d, 100), duel(d, c, 100))
		}
		r := newCrosstable(names, results).ratings()
		return r[0].Elo - r[1].Elo
	}
	alone := difference(0)
	for _, pairs := range []int{1, 50} {
		if d := difference(pairs); math.Abs(d-alone) > 10 {
			t.Errorf("with %d unrelated pairs a is %.0f points better than b, without %.0f", pairs, d, alone)
		}
	}
}

func TestTrueRatingsOfManyPlayersLieWithinTheErrors(t *testing.T) {
	const players, encounters, tournaments = 32, 10, 20
	rng := machine.NewRand(1)
	truth := make(map[string]float64)
	var names []string
	for i := range players {
		names = append(names, fmt.Sprint("p", i))
		truth[names[i]] = 350 * (2*float64(i)/(players-1) - 1)
	}
	outside := 0
	for range tournaments {
		var results []Result
		for range encounters {
			seated := append([]string{}, names...)
			for i := range seated {
				j := i + rng.Intn(len(seated)-i)
				seated[i], seated[j] = seated[j], seated[i]
			}
			for i := 0; i < players; i += 2 {
				a, b := seated[i], seated[i+1]
				for range 2 {
					goal := 0
					if rng.Float64() < expectedScore(truth[a]-truth[b]) {
						goal = 100
					}
					results = append(results, duel(a, b, goal))
				}
			}
		}
		for _, r := range newCrosstable(names, results).ratings() {
			if math.Abs(r.Elo-truth[r.Player]) > r.Error {
				outside++
			}
		}
	}
	// 5 % are expected. Few matches each make the intervals a little too narrow.
	if share := float64(outside) / (players * tournaments); share > 0.1 {
		t.Errorf("%.1f %% of the true ratings are outside of the 95 %% intervals", 100*share)
	}
}

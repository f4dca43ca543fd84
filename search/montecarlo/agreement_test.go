package montecarlo

import (
	"context"
	"math"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
)

func TestMovesAreWorthTheSameLaterWhereTheirOrderDoesNotMatter(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays thousands of games on one goroutine")
	for game, c := range map[string]struct {
		low, high float64 // which games are played depends on the lanes
	}{"hex-5x5": {0.78, 0.95}, "hex-6x6": {0.76, 0.95}, "connectFour-5x4": {0.3, 0.6}, "reversi-4x4": {-1.2, -0.5}} {
		if got := Agreement(t.Context(), gamestest.Machine(t, game), 1); got < c.low || got > c.high {
			t.Errorf("%s: all moves agree with first ones by %v, want %v to %v", game, got, c.low, c.high)
		}
	}
	if got := Agreement(t.Context(), newSubtraction([]string{"left", "right"}, 9), 1); got != 0 {
		t.Errorf("a machine that does not tell its moves: %v", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := Agreement(ended, gamestest.Machine(t, "hex-5x5"), 1); got != 0 {
		t.Errorf("without time: %v", got)
	}
}

// TestNoiseCountsForNothing compares moves that are worth the same first and later, half as much, and something else, told by few games.
func TestNoiseCountsForNothing(t *testing.T) {
	const positions, moves, spread = 400, 16, 6.
	rng := machine.NewRand(1)
	normal := func() float64 { // Box and Muller
		return math.Sqrt(-2*math.Log(1-rng.Float64())) * math.Cos(2*math.Pi*rng.Float64())
	}
	for want, later := range map[float64]func(q float64) float64{
		1:    func(q float64) float64 { return q },
		0.75: func(q float64) float64 { return q / 2 },
		-1:   func(float64) float64 { return spread * normal() },
	} {
		var g agreement
		for range positions {
			var first, after []tally
			for range moves {
				q := spread * normal()
				told := func(worth, games float64) tally {
					return tally{games * (50 + worth + 50/math.Sqrt(games)*normal()), games}
				}
				first, after = append(first, told(q, agreementGames)), append(after, told(later(q), 2*agreementGames))
			}
			g.compare(first, after, 50*50)
		}
		if got := 1 - g.apart/g.spread; math.Abs(got-want) > 0.1 {
			t.Errorf("%v, want %v", got, want)
		}
		if got := g.spread / positions; math.Abs(got-spread*spread*(moves-1)/moves) > 1 {
			t.Errorf("the values of moves have a variance of %v", got)
		}
	}
}

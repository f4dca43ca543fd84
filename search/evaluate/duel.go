package evaluate

import (
	"context"
	"math"

	"stackmate/reasoner/machine"
)

// Score is the result of a duel of one evaluation against another.
type Score struct {
	Games int `json:"games"`
	// Points is the mean of its goals minus the goals of the opponent, from -100 to 100. Error
	// is about half the width of the 95 % confidence interval around Centre.
	Points float64 `json:"points"`
	Error  float64 `json:"error"`
}

// Centre returns the mean of the points with one win and one loss added as a prior. Its distance from 0, compared with
// Error, is the certainty of the result: a mean of few games is no evidence.
func (s Score) Centre() float64 {
	n := float64(s.Games)
	return s.Points * n / (n + 2)
}

// Elo returns the difference in strength by which Points are expected (Elo, "The Rating of Chessplayers", 1978). A draw
// is added as a prior.
func (s Score) Elo() float64 {
	n := float64(s.Games)
	won := (n*(1+s.Points/machine.MaxGoal)/2 + 0.5) / (n + 1)
	return 400 * math.Log10(won/(1-won))
}

// duelOpening is the maximum number of random joint moves at the beginning of a game.
const duelOpening = 6

// Duel plays a against b on m with the move draws of self-play. Odd games swap the sides of the
// game before. It ends after count games, or when ctx is done. With more than two players, a
// and b alternate by role.
func Duel(ctx context.Context, m machine.Machine, a, b *Evaluation, count int, seed uint64) Score {
	p := newGames(m, 2, machine.NewRand(seed), defaultBytes)
	var n, sum, squares float64
	started := 0
	p.start = func(g *game) {
		g.side = make([]int, p.roles)
		for i, r := range p.players {
			g.side[r] = (i + started) & 1
		}
		started++
		g.opening = p.rng.Intn(duelOpening + 1)
	}
	p.made = func(*game, int) {}
	p.ended = func(g *game, lane int) {
		var points, counts [2]float64
		for _, r := range p.players {
			points[g.side[r]] += p.values[0][lane*p.roles+int(r)]
			counts[g.side[r]]++
		}
		d := points[0]/max(1, counts[0]) - points[1]/max(1, counts[1])
		n, sum, squares = n+1, sum+d, squares+d*d
	}
	for int(n) < count && ctx.Err() == nil {
		p.step(a, b)
	}
	return ScoreOf(int(n), sum, squares)
}

// ScoreOf returns the score of games, given the sum of their points and the sum of the squares of their points.
func ScoreOf(games int, sum, squares float64) Score {
	if games == 0 {
		return Score{}
	}
	const all = machine.MaxGoal
	n := float64(games)
	variance := (squares+2*all*all)/(n+2) - (sum/(n+2))*(sum/(n+2))
	return Score{Games: games, Points: sum / n, Error: 1.96 * math.Sqrt(variance/(n+2))}
}

package arena

import (
	"math"
	"slices"
)

// Rating is the strength of a player on the Elo scale: a difference of 400
// means an expected score of 10/11. Ratings of one tournament have mean 0.
type Rating struct {
	Player string  `json:"player"`
	Elo    float64 `json:"elo"`
	// Error is half the width of the 95 % confidence interval.
	Error float64 `json:"error"`
}

// eloUnit is the difference in Elo of players whose odds are e : 1.
const eloUnit = 400 / math.Ln10

// expectedScore is the mean score, from 0 to 1, of a player who is elo stronger.
func expectedScore(elo float64) float64 { return 1 / (1 + math.Exp(-elo/eloUnit)) }

// crosstable holds what players scored against each other: won[i][j] is the sum
// of i's scores against j, played[i][j] the number of encounters.
type crosstable struct {
	players     []string
	won, played [][]float64
}

// newCrosstable counts the completed matches. Every two players of a match meet
// in it; the score of one is ½ plus half the difference of the goals, where 100
// goal points count 1.
func newCrosstable(players []string, results []Result) *crosstable {
	c := &crosstable{players: players, won: square(len(players)), played: square(len(players))}
	for _, r := range results {
		for a, goal := range r.Goals {
			for b, other := range r.Goals {
				i, j := slices.Index(players, r.Players[a]), slices.Index(players, r.Players[b])
				if a != b && i >= 0 && j >= 0 {
					c.won[i][j] += score(goal, other)
					c.played[i][j]++
				}
			}
		}
	}
	return c
}

// score is that of a player whose goal is goal, against one with the other goal.
func score(goal, other int) float64 { return 0.5 + float64(goal-other)/200 }

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// ratings fits the Bradley–Terry model by maximum likelihood with the
// minorisation–maximisation iteration of Hunter (MM Algorithms for Generalized
// Bradley–Terry Models, Annals of Statistics 32, 2004). One drawn encounter is
// added for every two players, which keeps clean scores finite and connects
// players who never met. The errors come from the Fisher information; draws make
// them a little too large.
func (c *crosstable) ratings() []Rating {
	n := len(c.players)
	won, played := square(n), square(n)
	for i := range n {
		for j := range n {
			if i != j {
				won[i][j], played[i][j] = c.won[i][j]+0.5, c.played[i][j]+1
			}
		}
	}
	strength := fitStrengths(won, played)
	mean := 0.0
	for _, s := range strength {
		mean += math.Log(s) / float64(n)
	}
	errors := standardErrors(strength, played)
	out := make([]Rating, n)
	for i, name := range c.players {
		out[i] = Rating{name, (math.Log(strength[i]) - mean) * eloUnit, 1.96 * errors[i] * eloUnit}
	}
	return out
}

// fitStrengths maximises the likelihood of scores: i beats j with probability
// strength[i]/(strength[i]+strength[j]).
func fitStrengths(won, played [][]float64) []float64 {
	const (
		rounds    = 10000
		precision = 1e-10 // relative change at which the iteration ends
	)
	strength := slices.Repeat([]float64{1}, len(won))
	for range rounds {
		change := 0.0
		for i := range strength {
			wins, weight := 0.0, 0.0
			for j, games := range played[i] {
				wins += won[i][j]
				weight += games / (strength[i] + strength[j])
			}
			if weight == 0 {
				continue // the only player
			}
			s := wins / weight
			change = max(change, math.Abs(s-strength[i])/s)
			strength[i] = s
		}
		if change < precision {
			break
		}
	}
	return strength
}

// standardErrors are those of the logarithms of the strengths, their mean being
// fixed: the roots of the diagonal of the pseudo-inverse of the information
// matrix, a Laplacian. It is inverted after adding 1/n everywhere, which makes
// it positive definite, since encounters connect all players.
func standardErrors(strength []float64, played [][]float64) []float64 {
	n := len(strength)
	info := square(n)
	for i := range n {
		for j := range n {
			p := strength[i] / (strength[i] + strength[j])
			weight := played[i][j] * p * (1 - p)
			info[i][i] += weight
			info[i][j] += 1/float64(n) - weight
		}
	}
	out := make([]float64, n)
	inverse := invert(info)
	for i := range out {
		out[i] = math.Sqrt(max(0, inverse[i][i]-1/float64(n)))
	}
	return out
}

// invert is Gauss–Jordan elimination; a positive definite matrix needs no
// pivoting. It destroys a.
func invert(a [][]float64) (inverse [][]float64) {
	n := len(a)
	b := square(n)
	for i := range n {
		b[i][i] = 1
	}
	for k := range n {
		scale := 1 / a[k][k]
		for j := range n {
			a[k][j] *= scale
			b[k][j] *= scale
		}
		for i := range n {
			if factor := a[i][k]; i != k && factor != 0 {
				for j := range n {
					a[i][j] -= factor * a[k][j]
					b[i][j] -= factor * b[k][j]
				}
			}
		}
	}
	return b
}

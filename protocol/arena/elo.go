package arena

import "math"

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

// crosstable counts the encounters of players: met[i][j], for i < j, is what player i has
// achieved against player j, its Score being the sum of the scores.
type crosstable struct {
	players []string
	met     [][]Pair
}

// newCrosstable counts the completed matches. Every two players of a match meet
// in it; the score of one is ½ plus half the difference of the goals, where 100
// goal points count 1.
func newCrosstable(players []string, results []Result) *crosstable {
	c := &crosstable{players: players}
	index := make(map[string]int, len(players))
	for i, name := range players {
		index[name] = i
		c.met = append(c.met, make([]Pair, len(players)))
	}
	for _, r := range results {
		for a, goal := range r.Goals {
			for b, other := range r.Goals {
				i, known := index[r.Players[a]]
				j, both := index[r.Players[b]]
				if known && both && i < j {
					c.met[i][j].add(goal, other)
				}
			}
		}
	}
	return c
}

// matchScore is that of a player whose goal is goal, against one with the other goal.
func matchScore(goal, other int) float64 { return 0.5 + float64(goal-other)/200 }

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// ratings fits the Bradley–Terry model by maximum likelihood, with Newton's method (Hunter, "MM
// algorithms for generalized Bradley–Terry models", Annals of Statistics 32, 2004, section 3).
// One drawn encounter is added for every two players, which keeps clean scores finite and
// connects players who never met. The errors come from the Fisher information, a Laplacian with
// 1/n added everywhere, which keeps the mean and makes it positive definite; draws make them a
// little too large.
func (c *crosstable) ratings() []Rating {
	const (
		rounds    = 100
		precision = 1e-10 // change of a logarithm of strength at which the iteration ends
		longest   = 1.    // change in one round
	)
	n := len(c.players)
	strength := make([]float64, n) // as logarithms, with mean 0
	var inverse [][]float64
	for change, round := math.Inf(1), 0; change > precision && round < rounds; round++ {
		gradient, info := make([]float64, n), square(n)
		for i := range n {
			info[i][i] += 1 / float64(n)
			for j := range i {
				played := float64(c.met[j][i].Matches) + 1
				p := 1 / (1 + math.Exp(strength[i]-strength[j])) // that j wins
				surplus, weight := c.met[j][i].Score+0.5-played*p, played*p*(1-p)
				gradient[j], gradient[i] = gradient[j]+surplus, gradient[i]-surplus
				info[i][i], info[j][j] = info[i][i]+weight, info[j][j]+weight
				info[i][j], info[j][i] = 1/float64(n)-weight, 1/float64(n)-weight
			}
		}
		inverse, change = invert(info), 0
		steps := make([]float64, n)
		for i := range n {
			for j := range n {
				steps[i] += inverse[i][j] * gradient[j]
			}
			change = max(change, math.Abs(steps[i]))
		}
		for i := range n {
			strength[i] += steps[i] / max(1, change/longest)
		}
	}
	out := make([]Rating, n)
	for i, name := range c.players {
		out[i] = Rating{name, strength[i] * eloUnit, 1.96 * math.Sqrt(max(0, inverse[i][i]-1/float64(n))) * eloUnit}
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

package arena

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Rating is the strength of a player on the Elo scale: a difference of 400 means an expected score of 10/11. The
// ratings of a tournament have mean 0.
type Rating struct {
	Player string  `json:"player"`
	Elo    float64 `json:"elo"`
	// Error is half the width of the 95 % confidence interval.
	Error float64 `json:"error"`
}

// eloUnit is the Elo difference for odds of e : 1.
const eloUnit = 400 / math.Ln10

// expectedScore returns the mean score, from 0 to 1, of a player elo points stronger than its opponent.
func expectedScore(elo float64) float64 { return 1 / (1 + math.Exp(-elo/eloUnit)) }

// crosstable counts the encounters of players: met[i][j], for i < j, is the record of player i against player j; its
// Score is the sum of the scores.
type crosstable struct {
	players []string
	met     [][]Pair
	units   [][]encounter // of the completed matches, grouped by seatings
}

// encounter is the score, from 0 to 1, of player i against player j in one match, i < j.
type encounter struct {
	i, j  int
	score float64
}

// newCrosstable counts the completed matches. A match is an encounter of every two of its players; the score is ½
// plus half the difference of the goals, where 100 goal points count 1.
func newCrosstable(players []string, results []Result) *crosstable {
	c := &crosstable{players: players}
	index := make(map[string]int, len(players))
	for i, name := range players {
		index[name] = i
		c.met = append(c.met, make([]Pair, len(players)))
	}
	for _, unit := range seatings(results) {
		var met []encounter
		for _, r := range unit {
			for a, goal := range r.Goals {
				for b, other := range r.Goals {
					i, known := index[r.Players[a]]
					j, both := index[r.Players[b]]
					if known && both && i < j {
						c.met[i][j].add(goal, other)
						met = append(met, encounter{i, j, matchScore(goal, other)})
					}
				}
			}
		}
		c.units = append(c.units, met)
	}
	return c
}

// seatings groups consecutive matches of the same players in the same game with exchanged seats; series and
// tournaments number them so, at the end of their ids. Their scores are not independent, as the game or its opening
// may favour a seat. Each other match is its own group.
func seatings(results []Result) [][]Result {
	type numbered struct {
		Result
		series string // "" if the match has no number
		number int
	}
	list := make([]numbered, len(results))
	for k, r := range results {
		list[k].Result = r
		if i := strings.LastIndexByte(r.Match, '.'); i > 0 {
			if n, err := strconv.Atoi(r.Match[i+1:]); err == nil {
				list[k].series, list[k].number = r.Match[:i], n
			}
		}
	}
	slices.SortStableFunc(list, func(a, b numbered) int {
		return cmp.Or(strings.Compare(a.series, b.series), a.number-b.number)
	})
	var groups [][]Result
	for k, r := range list {
		if k > 0 && r.series != "" && r.series == list[k-1].series && r.number == list[k-1].number+1 {
			if last := &groups[len(groups)-1]; isReseated(*last, r.Result) {
				*last = append(*last, r.Result)
				continue
			}
		}
		groups = append(groups, []Result{r.Result})
	}
	return groups
}

// isReseated reports whether a match has the game and the players of a group, in other seats.
func isReseated(group []Result, r Result) bool {
	return !slices.ContainsFunc(group, func(g Result) bool {
		return g.Game != r.Game || slices.Equal(g.Players, r.Players) ||
			!slices.Equal(slices.Sorted(slices.Values(g.Players)), slices.Sorted(slices.Values(r.Players)))
	})
}

// matchScore returns the score of a player whose goal is goal against a player with the other goal.
func matchScore(goal, other int) float64 { return 0.5 + float64(goal-other)/200 }

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// ratings fits the Bradley–Terry model by maximum likelihood, with Newton's method (Hunter, "MM algorithms for
// generalized Bradley–Terry models", Annals of Statistics 32, 2004, section 3). It adds one drawn encounter for each
// player, in equal shares against all other players: scores of 0 and 1 stay finite, and all players are connected.
//
// The errors are estimated from the scores, so that draws reduce them. They use the sandwich estimator over groups of
// matches (White, "Maximum likelihood estimation of misspecified models", Econometrica 50, 1982; see seatings). For
// two players the error is the standard error of the mean score of a pair of matches with seats swapped, divided by
// the slope of the logistic curve. This is the pentanomial error of fastchess and fishtest and, for single matches,
// the trinomial error of cutechess. The added encounter counts as half a win and half a loss: without draws the
// errors equal those of the Fisher information.
//
// The information is a Laplacian with 1/n added to each entry, which keeps the mean and makes it positive definite.
func (c *crosstable) ratings() []Rating {
	const (
		rounds    = 100
		precision = 1e-10 // change of a log strength at which the iteration ends
		longest   = 1.    // limit of the change in one iteration
	)
	n, share := len(c.players), c.share()
	strength := make([]float64, n) // logarithms, with mean 0
	var factor [][]float64
	for change, round := math.Inf(1), 0; change > precision && round < rounds; round++ {
		steps, info := make([]float64, n), square(n) // steps is the gradient until it is solved
		for i := range n {
			info[i][i] += 1 / float64(n)
			for j := range i {
				played := float64(c.met[j][i].Matches) + share
				p := 1 / (1 + math.Exp(strength[i]-strength[j])) // probability that j wins
				surplus, weight := c.met[j][i].Score+share/2-played*p, played*p*(1-p)
				steps[j], steps[i] = steps[j]+surplus, steps[i]-surplus
				info[i][i], info[j][j] = info[i][i]+weight, info[j][j]+weight
				info[i][j] = 1/float64(n) - weight
			}
		}
		factor, change = info, 0
		factorize(factor)
		solve(factor, steps)
		for _, step := range steps {
			change = max(change, math.Abs(step))
		}
		for i := range n {
			strength[i] += steps[i] / max(1, change/longest)
		}
	}
	inverse := square(n)
	for i := range n {
		inverse[i][i] = 1
		solve(factor, inverse[i])
	}
	variance := c.variances(strength, inverse)
	out := make([]Rating, n)
	for i, name := range c.players {
		out[i] = Rating{name, strength[i] * eloUnit, confidence * math.Sqrt(variance[i]) * eloUnit}
	}
	return out
}

// share returns the weight of the added encounter of two players, which makes one encounter for each player.
func (c *crosstable) share() float64 { return 1 / float64(max(1, len(c.players)-1)) }

// variances returns the variance of each player's strength for the inverse information, as described at ratings.
func (c *crosstable) variances(strength []float64, inverse [][]float64) []float64 {
	n := len(strength)
	expected := func(i, j int) float64 { return 1 / (1 + math.Exp(strength[j]-strength[i])) }
	variance := make([]float64, n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			p := expected(i, j) - 0.5
			weight := c.share() * (0.25 + p*p)
			for k := range variance {
				d := inverse[i][k] - inverse[j][k]
				variance[k] += d * d * weight
			}
		}
	}
	surplus := make([]float64, n)
	for _, unit := range c.units {
		clear(surplus)
		for _, e := range unit {
			above := e.score - expected(e.i, e.j)
			for k := range surplus {
				surplus[k] += (inverse[e.i][k] - inverse[e.j][k]) * above
			}
		}
		for k, s := range surplus {
			variance[k] += s * s
		}
	}
	return variance
}

// confidence is the number of standard errors in half a 95 % confidence interval.
const confidence = 1.96

// factorize replaces the lower triangle of a positive definite matrix by its Cholesky factor.
func factorize(a [][]float64) {
	for i, row := range a {
		for j := range i + 1 {
			sum := row[j]
			for k := range j {
				sum -= row[k] * a[j][k]
			}
			if i == j {
				row[j] = math.Sqrt(sum)
			} else {
				row[j] = sum / a[j][j]
			}
		}
	}
}

// solve replaces b by the solution of the linear system whose matrix has the Cholesky factor.
func solve(factor [][]float64, b []float64) {
	for i, row := range factor {
		for k := range i {
			b[i] -= row[k] * b[k]
		}
		b[i] /= row[i]
	}
	for i, row := range slices.Backward(factor) {
		b[i] /= row[i]
		for k := range i {
			b[k] -= row[k] * b[i]
		}
	}
}

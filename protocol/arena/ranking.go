package arena

import (
	"math"
	"slices"
)

// Ranking is the outcome of matches. Standings and ratings are in the order of the players.
type Ranking struct {
	Results   []Result   `json:"results"`
	Standings []Standing `json:"standings"`
	Ratings   []Rating   `json:"ratings"`
	// Pairs lists the encounters of every two players who have met.
	Pairs []Pair `json:"pairs,omitempty"`
	// Games holds the ratings in each game, if there are several.
	Games []GameRatings `json:"games,omitempty"`
	// LLR and Verdict are the state of a tournament's test, if it has one. Outcomes are the counted pairs of matches,
	// LLRs the likelihood ratios after each pair, Bounds the ratios that decide.
	LLR      *float64  `json:"llr,omitempty"`
	LLRs     []float64 `json:"llrs,omitempty"`
	Bounds   []float64 `json:"bounds,omitempty"`
	Verdict  Verdict   `json:"verdict,omitempty"`
	Outcomes Sample    `json:"outcomes,omitempty"`
	// Winner is the winner of a completed knockout.
	Winner string `json:"winner,omitempty"`
	// Tuning is the course of a tuning, which has no ranking.
	Tuning *Course `json:"tuning,omitempty"`
}

// GameRatings are the ratings in one game, of its players.
type GameRatings struct {
	Game    string   `json:"game"`
	Matches int      `json:"matches"`
	Ratings []Rating `json:"ratings"`
}

// Pair is the record of a player against another.
type Pair struct {
	Player   string `json:"player"`
	Opponent string `json:"opponent"`
	Matches  int    `json:"matches"`
	Wins     int    `json:"wins"` // a higher goal than the opponent's
	Draws    int    `json:"draws"`
	Losses   int    `json:"losses"`
	// Score is the mean of the scores, from 0 to 1: ½ plus half the difference of the goals, where 100 goal points
	// count 1.
	Score float64 `json:"score"`
	// Elo is the difference in strength estimated from these encounters alone, Error half the width of its 95 %
	// confidence interval. LOS, the likelihood of superiority, is the probability from 0 to 1 that the player is
	// stronger, under a uniform prior.
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
	LOS   float64 `json:"los"`
}

// DrawShare returns the share of drawn encounters, from 0 to 1.
func (p Pair) DrawShare() float64 { return float64(p.Draws) / float64(max(1, p.Matches)) }

// Rank computes the ranking from the results of matches, for instance of a tournament's records. Players are in order
// of appearance.
func Rank(results []Result) *Ranking {
	var players []string
	for _, r := range results {
		for _, name := range r.Players {
			if name != Chance && !slices.Contains(players, name) {
				players = append(players, name)
			}
		}
	}
	return rank(players, results)
}

// rank computes the ranking of players.
func rank(players []string, results []Result) *Ranking {
	out := &Ranking{Results: []Result{}}
	for _, name := range players {
		out.Standings = append(out.Standings, Standing{Player: name})
	}
	games := make(map[string][]Result)
	var names []string
	for _, r := range results {
		out.add(r)
		if games[r.Game] == nil {
			names = append(names, r.Game)
		}
		games[r.Game] = append(games[r.Game], r)
	}
	table := newCrosstable(players, results)
	out.Ratings, out.Pairs = table.ratings(), table.pairs()
	if len(names) < 2 {
		return out
	}
	slices.Sort(names)
	for _, name := range names {
		of := games[name]
		met := slices.DeleteFunc(slices.Clone(players), func(p string) bool {
			return !slices.ContainsFunc(of, func(r Result) bool { return slices.Contains(r.Players, p) })
		})
		out.Games = append(out.Games, GameRatings{name, len(of), newCrosstable(met, of).ratings()})
	}
	return out
}

// pairs lists the encounters of every two players who have met.
func (c *crosstable) pairs() []Pair {
	units := make(map[[2]int][][]encounter)
	for _, unit := range c.units {
		of := make(map[[2]int][]encounter)
		for _, e := range unit {
			of[[2]int{e.i, e.j}] = append(of[[2]int{e.i, e.j}], encounter{0, 1, e.score})
		}
		for two, met := range of {
			units[two] = append(units[two], met)
		}
	}
	var out []Pair
	for i, row := range c.met {
		for j, p := range row {
			if p.Matches == 0 {
				continue
			}
			p.Player, p.Opponent = c.players[i], c.players[j]
			two := crosstable{[]string{p.Player, p.Opponent}, [][]Pair{{{}, p}, {{}, {}}}, units[[2]int{i, j}]}
			r := two.ratings()
			p.Score /= float64(p.Matches)
			// Each rating is half the difference from their mean, and so is its error.
			p.Elo, p.Error = r[0].Elo-r[1].Elo, 2*r[0].Error
			p.LOS = math.Erfc(-p.Elo/(p.Error/confidence)/math.Sqrt2) / 2
			out = append(out, p)
		}
	}
	return out
}

// add counts an encounter; Score is the sum of the scores.
func (p *Pair) add(goal, other int) {
	p.Matches++
	p.Score += matchScore(goal, other)
	switch {
	case goal > other:
		p.Wins++
	case goal < other:
		p.Losses++
	default:
		p.Draws++
	}
}

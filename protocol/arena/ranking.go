package arena

import "slices"

// Ranking is the outcome of a tournament.
type Ranking struct {
	Series
	Ratings []Rating `json:"ratings"` // in the order of the players
	// Pairs are the encounters of every two players who have met.
	Pairs []Pair `json:"pairs,omitempty"`
	// Games are the ratings in each game, if there are several.
	Games []GameRatings `json:"games,omitempty"`
	// LLR and Verdict are those of the test of a tournament, if it has one, and LLRs its
	// likelihood ratios after each group of matches.
	LLR     *float64  `json:"llr,omitempty"`
	LLRs    []float64 `json:"llrs,omitempty"`
	Verdict Verdict   `json:"verdict,omitempty"`
}

// GameRatings are the ratings in one game, of those who played it.
type GameRatings struct {
	Game    string   `json:"game"`
	Matches int      `json:"matches"`
	Ratings []Rating `json:"ratings"`
}

// Pair is what a player has achieved against another.
type Pair struct {
	Player   string `json:"player"`
	Opponent string `json:"opponent"`
	Matches  int    `json:"matches"`
	Wins     int    `json:"wins"` // a higher goal than the opponent's
	Draws    int    `json:"draws"`
	Losses   int    `json:"losses"`
	// Score is the mean of the scores, from 0 to 1: ½ plus half the difference of the
	// goals, where 100 goal points count 1.
	Score float64 `json:"score"`
	// Elo is the difference in strength that these encounters alone tell, and Error half
	// the width of its 95 % confidence interval.
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
}

// Rank computes the ranking from the results of matches, for instance those of the
// records that a tournament has left. Players are in the order in which they
// appear.
func Rank(results []Result) *Ranking {
	var players []string
	for _, r := range results {
		for _, name := range r.Players {
			if name != chance && !slices.Contains(players, name) {
				players = append(players, name)
			}
		}
	}
	return rank(players, results)
}

// rank computes the ranking of players.
func rank(players []string, results []Result) *Ranking {
	out := &Ranking{Series: *newSeries(players)}
	games := make(map[string][]Result)
	var names []string
	for _, r := range results {
		out.add(r)
		if games[r.Game] == nil {
			names = append(names, r.Game)
		}
		games[r.Game] = append(games[r.Game], r)
	}
	out.Ratings = newCrosstable(players, results).ratings()
	out.Pairs = pairs(players, results)
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

// pairs counts the encounters of every two players, the one named first in the list
// being Player.
func pairs(players []string, results []Result) []Pair {
	index := make(map[string]int, len(players))
	for i, name := range players {
		index[name] = i
	}
	met := make(map[[2]int]*Pair)
	for _, r := range results {
		for a, goal := range r.Goals {
			for b, other := range r.Goals {
				i, known := index[r.Players[a]]
				j, both := index[r.Players[b]]
				if !known || !both || i >= j {
					continue
				}
				p := met[[2]int{i, j}]
				if p == nil {
					p = &Pair{Player: players[i], Opponent: players[j]}
					met[[2]int{i, j}] = p
				}
				p.add(goal, other)
			}
		}
	}
	var out []Pair
	for i := range players {
		for j := range players {
			if p := met[[2]int{i, j}]; p != nil {
				p.rate()
				out = append(out, *p)
			}
		}
	}
	return out
}

// add counts an encounter; Score is the sum of the scores until rate is called.
func (p *Pair) add(goal, other int) {
	p.Matches++
	p.Score += score(goal, other)
	switch {
	case goal > other:
		p.Wins++
	case goal < other:
		p.Losses++
	default:
		p.Draws++
	}
}

// rate computes mean and rating.
func (p *Pair) rate() {
	n := float64(p.Matches)
	c := crosstable{
		players: []string{p.Player, p.Opponent},
		won:     [][]float64{{0, p.Score}, {n - p.Score, 0}}, played: [][]float64{{0, n}, {n, 0}},
	}
	r := c.ratings()
	p.Score /= n
	// Each rating is half the difference from their mean, and so is its error.
	p.Elo, p.Error = r[0].Elo-r[1].Elo, 2*r[0].Error
}

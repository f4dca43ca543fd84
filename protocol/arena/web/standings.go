package web

import (
	"slices"

	"stackmate/protocol/arena"
)

// standings is what a folder of records shows of the players.
type standings struct {
	Standings []arena.Standing `json:"standings"`
	Ratings   []arena.Rating   `json:"ratings"`
	// Cross has, for each two players in the order of the standings, what the first has
	// scored against the second.
	Cross [][]encounters `json:"cross"`
	Games []string       `json:"games"`
}

// encounters are the matches of two players from the side of one of them.
type encounters struct {
	Score   float64 `json:"score"` // 1 for each match won by all points, ½ for a draw
	Matches int     `json:"matches"`
}

func newStandings(results []arena.Result) standings {
	ranking := arena.Rank(results)
	s := standings{Standings: ranking.Standings, Ratings: ranking.Ratings, Games: []string{}}
	index := make(map[string]int)
	for i, p := range ranking.Standings {
		index[p.Player] = i
		s.Cross = append(s.Cross, make([]encounters, len(ranking.Standings)))
	}
	for _, r := range results {
		if !slices.Contains(s.Games, r.Game) {
			s.Games = append(s.Games, r.Game)
		}
		for a, goal := range r.Goals {
			for b, other := range r.Goals {
				i, known := index[r.Players[a]]
				j, known2 := index[r.Players[b]]
				if a != b && known && known2 {
					s.Cross[i][j].Score += 0.5 + float64(goal-other)/200
					s.Cross[i][j].Matches++
				}
			}
		}
	}
	slices.Sort(s.Games)
	return s
}

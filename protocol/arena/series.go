package arena

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Standing is the record of a player over several matches.
type Standing struct {
	Player  string `json:"player"`
	Matches int    `json:"matches"` // completed matches
	Points  int    `json:"points"`  // goal points
	Wins    int    `json:"wins"`    // sole highest goal of several players
	Draws   int    `json:"draws"`   // shared highest goal
	Losses  int    `json:"losses"`
	// Errors counts turns without a legal move in time, and failed starts: late replies, illegal moves, and failures
	// of connection or player.
	Errors  int `json:"errors"`
	Late    int `json:"late"`
	Illegal int `json:"illegal"`
	Failed  int `json:"failed"`
}

// Share returns the mean goal of the player, from 0 to 1.
func (s Standing) Share() float64 {
	if s.Matches == 0 {
		return 0
	}
	return float64(s.Points) / float64(100*s.Matches)
}

// Series plays count matches and iterates over the results of Match, until ctx ends or Match returns an error. The
// players rotate through the roles: each takes every role equally often if count is a multiple of their number. Match
// k (from 0) has the id prefix.k and its own seed. Players with equal names are numbered.
func (g *Manager) Series(ctx context.Context, prefix string, players []Player, count int, s Setting) iter.Seq2[*Record, error] {
	var names []string
	for _, p := range players {
		names = append(names, p.Name)
	}
	players = slices.Clone(players)
	for i, name := range DistinctNames(names) {
		players[i].Name = name
	}
	return func(yield func(*Record, error) bool) {
		for k := 0; k < count && ctx.Err() == nil; k++ {
			setting := s
			setting.Seed += uint64(k)
			record, err := g.Match(ctx, fmt.Sprintf("%s.%d", prefix, k), Rotated(players, k), setting)
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Rotated returns a list with each player moved k positions back.
func Rotated[T any](players []T, k int) []T {
	n := len(players)
	if n == 0 {
		return nil
	}
	k %= n
	return slices.Concat(players[n-k:], players[:n-k])
}

// DistinctNames appends numbers to repeated names.
func DistinctNames(names []string) []string {
	out := slices.Clone(names)
	taken := make(map[string]bool)
	for i, name := range out {
		for n := 2; taken[out[i]]; n++ {
			out[i] = fmt.Sprintf("%s-%d", name, n)
		}
		taken[out[i]] = true
	}
	return out
}

// add counts a match.
func (s *Ranking) add(r Result) {
	s.Results = append(s.Results, r)
	for role, name := range r.Players {
		i := slices.IndexFunc(s.Standings, func(t Standing) bool { return t.Player == name })
		if i < 0 {
			continue // the role random
		}
		t := &s.Standings[i]
		t.Errors += r.Errors[role]
		t.Late += r.Late[role]
		t.Illegal += r.Illegal[role]
		t.Failed += r.Failed[role]
		if r.Aborted {
			continue
		}
		t.Matches++
		t.Points += r.Goals[role]
		switch r.Outcome(role) {
		case Won:
			t.Wins++
		case Drawn:
			t.Draws++
		case Lost:
			t.Losses++
		}
	}
}

// Outcome is the result of a match for a player.
type Outcome string

// The outcomes of a match with several players. A shared highest goal is a draw.
const (
	Won   Outcome = "won"
	Drawn Outcome = "drawn"
	Lost  Outcome = "lost"
)

// Outcome returns the outcome of a role, or "" if the match was aborted or had one player.
func (r Result) Outcome(role int) Outcome {
	outcome := Outcome("")
	for other, goal := range r.Goals {
		switch {
		case other == role || r.Players[other] == Chance || r.Aborted:
		case goal > r.Goals[role] || outcome == Lost:
			outcome = Lost
		case goal == r.Goals[role] || outcome == Drawn:
			outcome = Drawn
		default:
			outcome = Won
		}
	}
	return outcome
}

package arena

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Tournament lets players meet each other in one game or several: in every round
// and every game, every group of as many players as the game needs plays one
// match for each rotation of the roles.
type Tournament struct {
	Games   []*Manager
	Players []Player // players of one name are told apart by numbers
	Rounds  int
	Setting Setting // each match has a seed of its own
	// Test, for two players, ends the tournament as soon as it decides whether
	// the first is stronger than the second.
	Test *SPRT
}

// Ranking is the outcome of a tournament.
type Ranking struct {
	Series
	Ratings []Rating `json:"ratings"` // in the order of the players
	// LLR and Verdict are those of the Test, if there is one.
	LLR     *float64 `json:"llr,omitempty"`
	Verdict Verdict  `json:"verdict,omitempty"`
}

// Run holds the tournament. If each is not nil, it is given every record before
// the next match begins; its error ends the tournament. The ranking is of the
// matches so far if that or ctx ends it, and nil if the tournament cannot be held.
func (t *Tournament) Run(ctx context.Context, prefix string, each func(*Record) error) (*Ranking, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	players := distinctNames(t.Players)
	out := &Ranking{Series: *newSeries(names(players))}
	err := t.play(ctx, prefix, players, out, each)
	out.rate()
	return out, err
}

// play holds the matches until the test is decided, if there is one.
func (t *Tournament) play(ctx context.Context, prefix string, players []Player, out *Ranking, each func(*Record) error) error {
	setting := t.Setting
	var sample Sample
	group := 0 // results before the group under way
	for f := range t.fixtures(players) {
		if ctx.Err() != nil {
			break
		}
		r, err := f.game.Match(ctx, fmt.Sprintf("%s.%d", prefix, len(out.Results)), f.players, setting)
		if err := out.count(r, err, each); err != nil {
			return err
		}
		setting.Seed++
		if !f.last || ctx.Err() != nil {
			continue
		}
		if t.Test != nil && out.decide(t.Test, &sample, out.Results[group:]) {
			break
		}
		group = len(out.Results)
	}
	return nil
}

// decide adds the results of one group to the sample of the test and tells whether
// it has a verdict.
func (r *Ranking) decide(test *SPRT, sample *Sample, group []Result) bool {
	if c := newCrosstable(r.names(), group); c.played[0][1] > 0 {
		sample.Add(c.won[0][1] / c.played[0][1])
	}
	llr := test.LLR(*sample)
	r.LLR, r.Verdict = &llr, test.Verdict(*sample)
	return r.Verdict != Undecided
}

// rate computes the ratings from the results.
func (r *Ranking) rate() { r.Ratings = newCrosstable(r.names(), r.Results).ratings() }

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
	out := &Ranking{Series: *newSeries(players)}
	for _, r := range results {
		out.add(r)
	}
	out.rate()
	return out
}

// check tells whether the tournament can be held.
func (t *Tournament) check() error {
	if len(t.Games) == 0 || t.Rounds < 1 {
		return errors.New("a tournament needs a game and a round at least")
	}
	for _, g := range t.Games {
		roles := len(g.PlayerRoles())
		if roles > len(t.Players) {
			return fmt.Errorf("%s needs %d players, found %d", g.name, roles, len(t.Players))
		}
		if err := g.check(t.Players[:roles]); err != nil {
			return err
		}
		if t.Test != nil && roles != 2 {
			return fmt.Errorf("a test needs games for two, but %s has %d roles for players", g.name, roles)
		}
	}
	for _, p := range t.Players {
		if p.New == nil {
			if err := CheckURL(p.URL); err != nil {
				return err
			}
		}
	}
	if t.Test == nil {
		return nil
	}
	if len(t.Players) != 2 {
		return fmt.Errorf("a test needs two players, found %d", len(t.Players))
	}
	return t.Test.Check()
}

// fixture is a match that is to be held.
type fixture struct {
	game    *Manager
	players []Player
	last    bool // of the rotations of its group
}

// fixtures lists all matches in order.
func (t *Tournament) fixtures(players []Player) iter.Seq[fixture] {
	return func(yield func(fixture) bool) {
		for range t.Rounds {
			for _, g := range t.Games {
				for _, group := range groups(players, len(g.PlayerRoles())) {
					for k := range group {
						if !yield(fixture{g, rotated(group, k), k == len(group)-1}) {
							return
						}
					}
				}
			}
		}
	}
}

// groups lists the subsets of n players, everyone in the order of the list.
func groups(players []Player, n int) [][]Player {
	if n == 0 {
		return [][]Player{nil}
	}
	var all [][]Player
	for i := range len(players) - n + 1 {
		for _, rest := range groups(players[i+1:], n-1) {
			all = append(all, append([]Player{players[i]}, rest...))
		}
	}
	return all
}

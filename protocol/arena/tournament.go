package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
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

// Run holds the tournament. If each is not nil, it is given every record; its
// error ends the tournament. When ctx ends it, the ranking is of the matches so
// far.
func (t *Tournament) Run(ctx context.Context, prefix string, each func(*Record) error) (*Ranking, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	players := distinctNames(t.Players)
	out := &Ranking{Series: *newSeries(players)}
	var names []string
	for _, p := range players {
		names = append(names, p.Name)
	}
	var sample Sample
	err := t.play(ctx, prefix, players, func(records []*Record) error {
		before := len(out.Results)
		for _, r := range records {
			if each != nil {
				if err := each(r); err != nil {
					return err
				}
			}
			out.add(r.Result())
		}
		if t.Test == nil {
			return nil
		}
		if c := newCrosstable(names, out.Results[before:]); c.played[0][1] > 0 {
			sample.Add(c.won[0][1] / c.played[0][1])
		}
		llr := t.Test.LLR(sample)
		out.LLR, out.Verdict = &llr, t.Test.Verdict(sample)
		if out.Verdict != Undecided {
			return errDecided
		}
		return nil
	})
	if errors.Is(err, errDecided) {
		err = nil
	}
	out.Ratings = newCrosstable(names, out.Results).ratings()
	return out, err
}

// errDecided ends a tournament whose test has a verdict.
var errDecided = errors.New("the test is decided")

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

// play holds all matches and hands over the records of one group's rotations
// together.
func (t *Tournament) play(ctx context.Context, prefix string, players []Player, done func([]*Record) error) error {
	setting := t.Setting
	match := 0
	for range t.Rounds {
		for _, g := range t.Games {
			for _, group := range groups(players, len(g.PlayerRoles())) {
				var records []*Record
				for k := range group {
					r, err := g.Match(ctx, fmt.Sprintf("%s.%d", prefix, match), rotated(group, k), setting)
					if err != nil {
						return err
					}
					records = append(records, r)
					match++
					setting.Seed++
				}
				if err := done(records); err != nil {
					return err
				}
				if ctx.Err() != nil {
					return nil
				}
			}
		}
	}
	return nil
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

// WriteTable writes the standings and the ratings for people.
func (r *Ranking) WriteTable(w io.Writer) error {
	if err := r.Series.WriteTable(w); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nplayer\telo\t95 %\t")
	for _, p := range r.Ratings {
		fmt.Fprintf(t, "%s\t%+.0f\t±%.0f\t\n", p.Player, p.Elo, p.Error)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.LLR != nil {
		_, err := fmt.Fprintf(w, "\nlog-likelihood ratio %.2f: %s\n", *r.LLR, r.Verdict.explain())
		return err
	}
	return nil
}

func (v Verdict) explain() string {
	switch v {
	case AcceptH0:
		return "the first player is no stronger than elo0"
	case AcceptH1:
		return "the first player is stronger, as elo1 says"
	}
	return "undecided"
}

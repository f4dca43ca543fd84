package arena

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Tournament is the plan of a tournament in one or more games. In every round and game, every group of as many
// players as the game needs plays one match for each rotation of the roles. The plan alone determines the matches,
// their order and their seeds; Ledger counts them.
type Tournament struct {
	Games   []Game
	Players []string // different names
	// Rounds may be 0 for a test, which then ends with its decision or after maxMatches.
	Rounds int
	// Gauntlet leaves out groups without the first player.
	Gauntlet bool
	// Format is Swiss or Knockout; otherwise all groups meet, within Gauntlet.
	Format string `json:",omitempty"`
	Seed   uint64 // each match has its own seed, derived from it
	// Test, for two players, ends the tournament once it decides whether the first is stronger than the second.
	Test *SPRT
	// Tuning, for two players of the same description, varies the parameters of both.
	Tuning *Tuning `json:",omitempty"`
}

// Game is a game of a tournament.
type Game struct {
	Name  string
	Roles int // number of roles for players
}

// Fixture is a planned match.
type Fixture struct {
	Number  int   // from 0, in the order of the plan
	Group   int   // number of the group of matches with the same players, game and round, from 0
	Game    int   // an index into Games
	Players []int // indices into Players, in the order of the roles; see Ledger.Seat
	Seed    uint64
	// OpeningSeed is equal for all matches of a group: each seating begins in the same position.
	OpeningSeed uint64
}

// maxMatches limits a tournament, whose ledger is kept in memory.
const maxMatches = 1_000_000

// Check returns an error if the tournament is invalid.
func (t *Tournament) Check() error {
	if len(t.Games) == 0 || t.Rounds < 1 && !(t.Rounds == 0 && t.Test != nil) {
		return errors.New("a tournament needs a game and a round at least")
	}
	if t.Format != "" && !t.staged() || t.staged() && (t.Gauntlet || t.inPairs()) {
		return fmt.Errorf("expected the format %s or %s without a gauntlet, a test or a tuning, found %q", Swiss, Knockout, t.Format)
	}
	if n := t.matches(); n > maxMatches {
		return fmt.Errorf("a tournament has at most %d matches, found %.0f", maxMatches, n)
	}
	for _, g := range t.Games {
		if g.Roles < 1 {
			return fmt.Errorf("%s has no role for players", g.Name)
		}
		if g.Roles > len(t.Players) {
			return fmt.Errorf("%s needs %d players, found %d", g.Name, g.Roles, len(t.Players))
		}
		if (t.inPairs() || t.staged()) && g.Roles != 2 {
			return fmt.Errorf("a test, a tuning, or a format with stages needs games for two, but %s has %d roles for players", g.Name, g.Roles)
		}
	}
	switch {
	case t.inPairs() && len(t.Players) != 2:
		return fmt.Errorf("a test or a tuning needs two players, found %d", len(t.Players))
	case t.Tuning != nil && t.Test != nil:
		return errors.New("a tournament is a test or a tuning, not both")
	case t.Tuning != nil:
		return t.Tuning.check(t.Rounds)
	case t.Test != nil:
		return t.Test.Check()
	}
	return nil
}

// inPairs reports whether pairs of matches with seats swapped are counted: the matches 2g and 2g+1 are group g.
func (t *Tournament) inPairs() bool { return t.Test != nil || t.Tuning != nil }

// Fixtures lists all matches in order.
func (t *Tournament) Fixtures() iter.Seq[Fixture] {
	if t.staged() {
		return t.stagedFixtures
	}
	return func(yield func(Fixture) bool) {
		number, group := 0, 0
		for range t.rounds() {
			for game, g := range t.Games {
				for _, players := range t.groups(g.Roles) {
					for k := range players {
						f := Fixture{
							Number: number, Group: group, Game: game, Players: Rotated(players, k),
							Seed: t.Seed + uint64(number), OpeningSeed: t.Seed + uint64(group),
						}
						if !yield(f) {
							return
						}
						number++
					}
					group++
				}
			}
		}
	}
}

// rounds returns the number of rounds, up to maxMatches for a test.
func (t *Tournament) rounds() int {
	if t.Rounds == 0 && t.Test != nil {
		return maxMatches / max(1, int(t.perRound()))
	}
	return t.Rounds
}

// Matches returns the number of fixtures of a valid tournament.
func (t *Tournament) Matches() int { return int(t.matches()) }

// matches counts fixtures without listing them; the number may exceed an int.
func (t *Tournament) matches() float64 {
	if t.staged() {
		encounters := 0
		for _, n := range t.stages() {
			encounters += n
		}
		return float64(encounters) * float64(t.perEncounter())
	}
	return t.perRound() * float64(t.rounds())
}

// perRound returns the number of fixtures of a round.
func (t *Tournament) perRound() float64 {
	n := 0.0
	for _, g := range t.Games {
		groups := 1.0 // the binomial coefficient, without the first player in a gauntlet
		first := 0
		if t.Gauntlet {
			first = 1
		}
		for i := first; i < g.Roles; i++ {
			groups = groups * float64(len(t.Players)-i) / float64(i+1-first)
		}
		n += math.Round(groups) * float64(g.Roles)
	}
	return n
}

// groups lists the sets of n players that meet, each in the order of the list.
func (t *Tournament) groups(n int) [][]int {
	all := subsets(0, len(t.Players), n)
	if t.Gauntlet {
		all = slices.DeleteFunc(all, func(group []int) bool { return len(group) > 0 && group[0] != 0 })
	}
	return all
}

// subsets lists the sets of n numbers from first to last-1, ascending.
func subsets(first, last, n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i := first; i <= last-n; i++ {
		for _, rest := range subsets(i+1, last, n-1) {
			all = append(all, append([]int{i}, rest...))
		}
	}
	return all
}

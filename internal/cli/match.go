package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackmate/protocol/arena"
)

// matchCommand holds matches.
type matchCommand struct {
	Game  string `arg:"" help:"Game to play."`
	Count int    `default:"1" help:"Number of matches; the players change roles after each match."`
	matchFlags
}

// Run implements the command.
func (c *matchCommand) Run(s *console) error {
	setting, err := c.setting(s)
	if err != nil {
		return err
	}
	manager, _, err := s.manager(c.Game)
	if err != nil {
		return err
	}
	roles := manager.PlayerRoles()
	if len(c.Players) == 0 {
		c.Players = slices.Repeat([]string{"stackmate"}, len(roles))
	}
	if c.Count < 1 {
		return usageError{fmt.Errorf("--count: expected 1 or more, found %d", c.Count)}
	}
	players, err := s.players(c.Players, c.Knowledge, c.PlayClock != nil)
	if err != nil {
		return err
	}
	if len(players) != len(roles) {
		return usageError{fmt.Errorf("--players: expected %d, one for each of %s, found %d", len(roles), strings.Join(roles, ", "), len(players))}
	}
	for i, name := range s.named(c.Players) {
		players[i].Name = name
	}
	results, err := c.hold(s, manager, players, setting)
	switch {
	case !c.JSON:
		err = errors.Join(err, writeStandings(s.out, arena.Rank(results)))
	case s.ctx.Err() != nil: // sum up the matches so far after Ctrl-C
		err = errors.Join(err, writeStandings(s.err, arena.Rank(results)))
	}
	if err := errors.Join(err, s.endError()); err != nil {
		return err
	}
	return verdict(results)
}

// progress returns the line of progress, which is empty while a person at this terminal types moves.
func (c *matchCommand) progress(s *console) *progress {
	if slices.Contains(c.Players, humanPlayer) {
		return &progress{end: func() {}}
	}
	return s.progress("playing %s", c.Game)
}

// hold plays the matches; as JSON, each result is printed when its match has ended.
func (c *matchCommand) hold(s *console, manager *arena.Manager, players []arena.Player, setting arena.Setting) (results []arena.Result, err error) {
	line := c.progress(s)
	defer line.end()
	for record, err := range manager.Series(s.ctx, matchID(c.Game), players, c.Count, setting) {
		if record != nil && record.Ended() {
			results = append(results, record.Result())
			line.score(func() *arena.Ranking { return arena.Rank(results) }, c.Count)
		}
		if err == nil && c.JSON {
			err = json.NewEncoder(s.out).Encode(record.Result())
		}
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

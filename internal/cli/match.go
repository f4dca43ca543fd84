package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"stackmate/protocol/arena"
)

// matchCommand holds matches.
type matchCommand struct {
	Game  string `arg:"" help:"Game to play."`
	Count int    `default:"1" help:"Number of matches; the players change roles from one to the next."`
	matchFlags
}

// Run implements the command.
func (c *matchCommand) Run(s *console) error {
	setting, err := c.setting(s)
	if err != nil {
		return err
	}
	manager, err := s.manager(c.Game)
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
	players, err := s.players(c.Players, c.Knowledge)
	if err != nil {
		return err
	}
	if len(players) != len(roles) {
		return usageError{fmt.Errorf("--players: expected %d, one for each of %s, found %d", len(roles), strings.Join(roles, ", "), len(players))}
	}
	series, err := c.hold(s, manager, players, setting)
	switch {
	case !c.JSON:
		err = errors.Join(err, writeSeries(s.out, series))
	case s.ctx.Err() != nil: // the lines printed so far are summed up for whoever pressed Ctrl-C
		err = errors.Join(err, writeSeries(s.err, series))
	}
	if err := errors.Join(err, s.ctx.Err()); err != nil {
		return err
	}
	return verdict(series.Results)
}

// hold plays the matches; as JSON, each result is printed when its match has ended.
func (c *matchCommand) hold(s *console, manager *arena.Manager, players []arena.Player, setting arena.Setting) (*arena.Series, error) {
	var mu sync.Mutex
	score := scoreLine{count: c.Count}
	defer s.progress(func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("playing %s, %s", c.Game, score.text())
	})()
	return manager.Series(s.ctx, matchID(c.Game), players, c.Count, setting, func(r *arena.Record) error {
		mu.Lock()
		score.add(r.Result())
		mu.Unlock()
		if c.JSON {
			return json.NewEncoder(s.out).Encode(r.Result())
		}
		return nil
	})
}

// scoreLine is the score so far, for a line of progress.
type scoreLine struct {
	count   int // of all matches
	ended   int
	players []string // in the order in which they appear
	points  map[string]int
}

// add counts a match.
func (l *scoreLine) add(r arena.Result) {
	if l.points == nil {
		l.points = make(map[string]int)
	}
	l.ended++
	for i, goal := range r.Goals {
		name := r.Players[i]
		if _, known := l.points[name]; !known {
			l.players = append(l.players, name)
		}
		l.points[name] += goal
	}
}

func (l *scoreLine) text() string {
	text := fmt.Sprintf("match %d of %d", min(l.ended+1, l.count), l.count)
	for _, name := range l.players {
		text += fmt.Sprintf("  %s %d", name, l.points[name])
	}
	return text
}

package cli

import (
	"errors"
	"time"

	"stackmate/games"
	"stackmate/protocol"
	"stackmate/protocol/conformance"
)

// checkPlayerCommand checks a player against the rules of the protocol.
type checkPlayerCommand struct {
	URL        string `arg:"" name:"url" help:"The player: http://host:port."`
	StartClock int    `default:"5" help:"Seconds to prepare for each of the kit's matches."`
	PlayClock  int    `default:"3" help:"Seconds for each move."`
	checkLevel
}

// hardGame is one over whose first move players think for long.
const hardGame = "breakthrough-6x6"

// Run implements the command.
func (c *checkPlayerCommand) Run(s *console) error {
	if c.StartClock < 1 || c.PlayClock < 1 {
		return usageError{errors.New("expected clocks of 1 second or more")}
	}
	if err := protocol.CheckURL(c.URL); err != nil {
		return usageError{err}
	}
	_, hard, err := games.Source(hardGame)
	if err != nil {
		return err
	}
	line := s.progress("checking %s", c.URL)
	report, err := conformance.Player{
		URL:        c.URL,
		StartClock: time.Duration(c.StartClock) * time.Second,
		PlayClock:  time.Duration(c.PlayClock) * time.Second,
		Hard:       string(hard),
		Level:      c.last(s),
	}.Check(s.ctx)
	line.end()
	if report == nil {
		return err
	}
	return errors.Join(s.reported(c.JSON, report), err)
}

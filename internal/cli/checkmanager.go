package cli

import (
	"errors"
	"fmt"
	"time"

	"stackmate/protocol/conformance"
)

// checkManagerCommand checks a game manager against the rules of the protocol.
type checkManagerCommand struct {
	Listen string        `default:"127.0.0.1:9149" help:"Address to listen on, as a player."`
	Wait   time.Duration `default:"10m" help:"Time to wait for matches."`
	checkLevel
}

// Run implements the command.
func (c *checkManagerCommand) Run(s *console) error {
	if c.Wait <= 0 {
		return usageError{errors.New("expected a time to wait")}
	}
	l, err := listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "waiting for matches: let the manager play against http://%s\n", l.Addr())
	line := s.progress("waiting for matches")
	report, err := conformance.Manager{Listener: l, Wait: c.Wait, Level: c.last(s)}.Check(s.ctx)
	line.end()
	if report == nil {
		return err
	}
	return errors.Join(s.reported(c.JSON, report), err)
}

package cli

import (
	"errors"
	"fmt"

	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// perftCommand counts joint moves.
type perftCommand struct {
	oneGame
	Depth int `arg:"" help:"Number of joint moves."`
}

// Run implements the command.
func (c *perftCommand) Run(s *console) error {
	if c.Depth < 1 || c.Depth > machine.MaxSteps {
		return usageError{fmt.Errorf("expected a depth of 1 to %d, found %d", machine.MaxSteps, c.Depth)}
	}
	m, _, err := s.compile(c.Game, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	stop := s.progress(doing("counting %s", c.Game))
	r, err := reasoner.Perft(s.ctx, c.Game, m, c.Depth)
	stop()
	return errors.Join(s.show(c.JSON, r), err)
}

package cli

import (
	"errors"
	"fmt"

	"stackmate/reasoner"
)

// validateCommand checks rulesheets.
type validateCommand struct {
	Files    []string `arg:"" name:"file" help:"Rulesheets to check."`
	Strict   bool     `help:"Count warnings as errors."`
	Simulate int      `placeholder:"N" help:"Play N random matches of each valid game, too, and report the faults that they meet."`
	JSON     bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *validateCommand) Run(s *console) error {
	if c.Simulate < 0 {
		return usageError{fmt.Errorf("expected a number of matches above 0 to --simulate, found %d", c.Simulate)}
	}
	var faulty error
	for _, file := range c.Files {
		src, err := s.readRules(file)
		if err != nil {
			return err
		}
		stop := s.progress(doing("validating %s", file))
		v, err := reasoner.Validate(s.ctx, file, src, reasoner.ValidateOptions{Strict: c.Strict, Simulate: c.Simulate, Memory: s.memory.share(1)})
		stop()
		if err != nil && s.ctx.Err() != nil && v.Matches == 0 {
			return err // there is no verdict yet
		}
		if err := errors.Join(s.show(c.JSON, v), err); err != nil {
			return err
		}
		if !v.Valid {
			faulty = errTold
		}
	}
	return faulty
}

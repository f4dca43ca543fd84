package cli

import (
	"fmt"

	"stackmate/protocol/conformance"
)

// checkLevel says how far a check of a player or a manager goes.
type checkLevel struct {
	Level   string `enum:"required,expected" default:"expected" help:"Rules to check: ${enum}. A match needs all required rules."`
	Hostile bool   `help:"At the end, also send hostile and broken messages. They may crash the other program."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// last returns the highest level to check.
func (c *checkLevel) last(s *console) conformance.Level {
	if !c.Hostile {
		return conformance.Level(c.Level)
	}
	fmt.Fprintln(s.err, "hostile and broken messages come last: they may crash the other program")
	return conformance.Robust
}

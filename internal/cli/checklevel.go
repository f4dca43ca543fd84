package cli

import (
	"fmt"

	"stackmate/protocol/conformance"
)

// checkLevel says how far a check of a player or a manager goes.
type checkLevel struct {
	Level   string `enum:"required,expected" default:"expected" help:"What is checked: ${enum}. A match needs what is required."`
	Hostile bool   `help:"Go on with hostile and broken messages, at the end. They may end what is checked."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// last returns the highest level to check.
func (c *checkLevel) last(s *console) conformance.Level {
	if !c.Hostile {
		return conformance.Level(c.Level)
	}
	fmt.Fprintln(s.err, "hostile and broken messages come last: they may end what is checked")
	return conformance.Robust
}

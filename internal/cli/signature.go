package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/signature"
)

// signatureCommand prints the counters of the searches on a fixed set of games.
type signatureCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *signatureCommand) Run(s *console) error {
	defer s.progress("searching").end()
	compile := func(_ context.Context, game string) (machine.Machine, error) {
		_, m, err := s.compile(game, gdl.Load, reasoner.Options{Kernel: signature.Kernel})
		return m, err
	}
	var entries []signature.Entry
	err := signature.Run(s.ctx, compile, func(e signature.Entry) error {
		entries = append(entries, e)
		if c.JSON {
			return json.NewEncoder(s.out).Encode(e)
		}
		return nil
	})
	if c.JSON {
		return err
	}
	fmt.Fprint(s.out, signature.Format(entries))
	return err
}

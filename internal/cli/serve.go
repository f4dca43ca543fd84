package cli

import (
	"time"

	"stackmate/player"
	"stackmate/protocol"
)

// serveCommand is the player on the network.
type serveCommand struct {
	Listen string `default:":9147" help:"Address to listen on."`
	Name   string `default:"Stackmate" help:"Name that game servers are told."`
}

// Run implements the command.
func (c *serveCommand) Run(s *console) error {
	s.seed.Store(uint64(time.Now().UnixNano()))
	newAgent, err := s.agents("stackmate", player.Options{Ponder: true})
	if err != nil {
		return err
	}
	l, err := protocol.Listen(c.Listen)
	if err != nil {
		return err
	}
	return protocol.Serve(s.ctx, l, protocol.NewEndpoint(c.Name, newAgent, s.log))
}

package cli

// exportCommand prints the rulesheet of a built-in game.
type exportCommand struct {
	Game string `arg:"" help:"Game: a name or a rulesheet."`
}

// Run implements the command.
func (c *exportCommand) Run(s *console) error {
	_, src, err := s.rulesheet(c.Game)
	if err == nil {
		_, err = s.out.exactly().Write(src)
	}
	return err
}

package cli

import (
	"fmt"

	"stackmate/reasoner"
	"stackmate/reasoner/trace"
)

// replayCommand compares an engine with recorded matches.
type replayCommand struct {
	Rulesheet string `arg:"" help:"Game that was recorded."`
	Trace     string `arg:"" help:"File of recorded matches (.jsonl or .jsonl.gz)."`
	Engine    string `enum:"${engines}" default:"circuit" help:"State machine: ${enum}."`
}

// Run implements the command.
func (c *replayCommand) Run(s *console) error {
	m, _, err := s.compile(c.Rulesheet, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	defer s.progress(doing("replaying %s", c.Trace))()
	matches, steps := 0, 0
	for match, err := range trace.Read(c.Trace) {
		if err == nil {
			err = s.ctx.Err()
		}
		if err == nil {
			err = trace.Replay(m, match)
		}
		if err != nil {
			return err
		}
		matches++
		steps += len(match.Steps)
	}
	_, err = fmt.Fprintf(s.out, "%s: %d matches, %d steps: no difference (%s)\n", c.Trace, matches, steps, m.Info().Engine)
	return err
}

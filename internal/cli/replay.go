package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
)

// replayCommand compares an engine with recorded matches.
type replayCommand struct {
	Rulesheet string `arg:"" help:"Game that was recorded."`
	Trace     string `arg:"" help:"Match record, or file of recorded matches (.jsonl or .jsonl.gz)."`
	Engine    string `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
}

// Run implements the command.
func (c *replayCommand) Run(s *console) error {
	_, m, err := s.compile(c.Rulesheet, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	line := s.progress("replaying %s", c.Trace)
	r, err := await(s.ctx, func() (replayed, error) { return replay(s.ctx, m, c.Trace) })
	line.end()
	var unread *fs.PathError
	switch {
	case errors.As(err, &unread):
		return usageError{fmt.Errorf("cannot read the recorded matches: %w", unread)}
	case err != nil:
		return err
	}
	if r.matches == 0 {
		return fmt.Errorf("%s: expected recorded matches, found none", c.Trace)
	}
	_, err = fmt.Fprintf(s.out, "%s: %d matches, %d steps: no difference (%s)\n", c.Trace, r.matches, r.steps, m.Info().Engine)
	return err
}

// replayed says how much has been compared.
type replayed struct{ matches, steps int }

// replay compares a machine with all matches of a file, or with the one of a record.
func replay(ctx context.Context, m machine.Machine, file string) (replayed, error) {
	if record, err := arena.ReadRecord(file); err == nil {
		if err := trace.Replay(m, record.Trace()); err != nil {
			return replayed{}, fmt.Errorf("%s: match %s: %w", file, record.Match, err)
		}
		return replayed{1, len(record.Moves)}, nil
	}
	var r replayed
	for match, err := range trace.Read(file) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = trace.Replay(m, match)
		}
		if err != nil {
			return r, err
		}
		r.matches++
		r.steps += len(match.Steps)
	}
	return r, nil
}

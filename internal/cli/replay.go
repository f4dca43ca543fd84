package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"stackmate/gdl"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
)

// replayCommand compares an engine with recorded matches.
type replayCommand struct {
	Rulesheet string `arg:"" help:"Recorded game."`
	Trace     string `arg:"" help:"Match records, or file of recorded matches (.jsonl or .jsonl.gz)."`
	Engine    string `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
}

// Run implements the command.
func (c *replayCommand) Run(s *console) error {
	file, text, err := s.rulesheet(c.Rulesheet)
	if err != nil {
		return err
	}
	rules, err := s.check(file, text, gdl.LoadToPlay)
	if err != nil {
		return err
	}
	rules = s.firstGoals(rules)
	m, _, err := s.machine(c.Rulesheet, rules, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	line := s.progress("replaying %s", c.Trace)
	r, err := await(s.ctx, func() (replayed, error) { return replay(s.ctx, m, c.Trace, hashes(rules, text)) })
	line.end()
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
		return usageError{fmt.Errorf("cannot read the recorded matches: %w", unread)}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d matches, %d steps: no difference (%s)\n", c.Trace, r.matches, r.steps, m.Info().Engine)
	return err
}

// replayed counts compared matches and their steps.
type replayed struct{ matches, steps int }

// replay compares a machine, whose rules have the hashes, with all matches of a file: records of a game manager,
// or traces. The error names the first difference; it is a usageError if the file has neither.
func replay(ctx context.Context, m machine.Machine, file string, hashes []string) (r replayed, err error) {
	records, none := arena.ReadRecords(file)
	for _, record := range records {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err := record.Replay(m, hashes...); err != nil {
			return r, contradiction(file, record, err)
		}
		r.matches++
		r.steps += len(record.Moves)
	}
	if none == nil {
		return r, nil
	}
	for match, err := range trace.Read(file) {
		switch {
		case ctx.Err() != nil:
			return r, ctx.Err()
		case errors.Is(err, trace.ErrNotTrace):
			return r, usageError{none}
		case err != nil:
			return r, usageError{err}
		}
		if err := trace.Replay(m, match); err != nil {
			return r, err
		}
		r.matches++
		r.steps += len(match.Steps)
	}
	return r, nil
}

package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"stackmate/protocol/arena"
)

// rateCommand rates recorded matches of any game manager.
type rateCommand struct {
	Records []string `arg:"" type:"path" help:"Match records, or folders of them."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *rateCommand) Run(s *console) error {
	if err := checkReadable(c.Records...); err != nil {
		return err
	}
	line := s.progress("reading records")
	results, err := await(s.ctx, func() ([]arena.Result, error) { return c.read(s) })
	line.end()
	if err != nil && !errors.Is(err, errTold) {
		return usageError{err}
	}
	if len(results) == 0 && err == nil {
		return usageError{fmt.Errorf("expected records of matches that have ended, found none in %v", c.Records)}
	}
	if len(results) == 0 {
		return err
	}
	return errors.Join(err, show(s, c.JSON, arena.Rank(results), writeRanking))
}

// read returns the results of the matches that have ended, in the order of their start, each match once. Files
// of a folder that are no records are named and left out, as are records that contradict themselves or their
// rules: then the error is errTold.
func (c *rateCommand) read(s *console) ([]arena.Result, error) {
	type ended struct {
		arena.Result
		begun time.Time
	}
	var all []ended
	var told error
	seen := make(map[string]arena.Result)
	reader := s.newRecordReader()
	for _, path := range c.Records {
		folder, inFolder := path, true
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			folder, inFolder = filepath.Dir(path), false
		}
		count, fault := 0, error(nil)
		for r, err := range arena.Records(path) {
			if s.ctx.Err() != nil {
				return nil, s.ctx.Err()
			}
			if err != nil {
				if fault = err; inFolder {
					defer fmt.Fprintf(s.err, "stackmate: left out: %v\n", err)
				}
				continue
			}
			count++
			if !r.Ended() {
				continue
			}
			if err := reader.compare(reader.name(folder, r), r); err != nil {
				fmt.Fprintf(s.err, "stackmate: not counted: %v\n", contradiction(path, r, err))
				told = errTold
				continue
			}
			result := r.Counted()
			if first, twice := seen[r.Match]; twice {
				if !slices.Equal(first.Goals, result.Goals) || !slices.Equal(first.Players, result.Players) {
					fmt.Fprintf(s.err, "stackmate: match %s is on record twice, with different results: the first one counts\n", r.Match)
					told = errTold
				}
				continue
			}
			seen[r.Match] = result
			all = append(all, ended{result, r.StartTime})
		}
		if count == 0 && fault != nil {
			return nil, fault
		}
	}
	slices.SortStableFunc(all, func(a, b ended) int { return a.begun.Compare(b.begun) })
	var results []arena.Result
	for _, r := range all {
		results = append(results, r.Result)
	}
	return results, told
}

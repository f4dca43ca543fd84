package cli

import (
	"fmt"
	"os"
	"slices"

	"stackmate/protocol/arena"
)

// rateCommand counts matches that have been recorded, whoever held them.
type rateCommand struct {
	Records []string `arg:"" type:"path" help:"Match records, or folders of them."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *rateCommand) Run(s *console) error {
	records, err := await(s.ctx, func() ([]*arena.Record, error) { return c.read(s) })
	if err != nil {
		return usageError{err}
	}
	if len(records) == 0 {
		return usageError{fmt.Errorf("expected records of matches that have ended, found none in %v", c.Records)}
	}
	var results []arena.Result
	for _, r := range records {
		results = append(results, r.Counted())
	}
	return show(s, c.JSON, arena.Rank(results), writeRanking)
}

// read finds the matches that have ended with goals, in the order of their start. Files of a folder
// that are no records are named, and left out.
func (c *rateCommand) read(s *console) ([]*arena.Record, error) {
	var records []*arena.Record
	for _, path := range c.Records {
		var list []*arena.Record
		var err error
		if info, missing := os.Stat(path); missing == nil && info.IsDir() {
			if list, err = arena.ReadArchive(path).List(); err != nil && len(list) > 0 {
				fmt.Fprintf(s.err, "stackmate: left out: %v\n", err)
				err = nil
			}
		} else {
			list = []*arena.Record{nil}
			list[0], err = arena.ReadOutline(path)
		}
		if err != nil {
			return nil, err
		}
		records = append(records, list...)
	}
	records = slices.DeleteFunc(records, func(r *arena.Record) bool { return r.Summary == nil })
	slices.SortStableFunc(records, func(a, b *arena.Record) int { return a.StartTime.Compare(b.StartTime) })
	return records, nil
}

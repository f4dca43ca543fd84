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
	records, err := await(s.ctx, c.read)
	if err != nil {
		return usageError{err}
	}
	if len(records) == 0 {
		return usageError{fmt.Errorf("expected records of matches that have ended, found none in %v", c.Records)}
	}
	var results []arena.Result
	for _, r := range records {
		results = append(results, *r.Summary)
	}
	return show(s, c.JSON, arena.Rank(results), writeRanking)
}

// read finds the matches that have ended with goals, in the order of their start.
func (c *rateCommand) read() ([]*arena.Record, error) {
	var records []*arena.Record
	for _, path := range c.Records {
		var list []*arena.Record
		var err error
		if info, missing := os.Stat(path); missing == nil && info.IsDir() {
			list, err = arena.ReadArchive(path).List()
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

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stackmate/protocol/arena"
)

// standingsCommand counts matches that have been recorded, for instance those of a
// tournament that was killed.
type standingsCommand struct {
	Records []string `arg:"" type:"path" help:"Match records, or folders of them."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *standingsCommand) Run(s *console) error {
	var records []*arena.Record
	for _, path := range c.Records {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if files, err = recordsIn(path); err != nil {
				return usageError{err}
			}
		}
		for _, file := range files {
			r, err := await(s.ctx, func() (*arena.Record, error) { return arena.ReadRecord(file) })
			if err != nil {
				return usageError{err}
			}
			records = append(records, r)
		}
	}
	if len(records) == 0 {
		return usageError{fmt.Errorf("expected match records, found none in %v", c.Records)}
	}
	slices.SortStableFunc(records, func(a, b *arena.Record) int { return a.StartTime.Compare(b.StartTime) })
	var results []arena.Result
	for _, r := range records {
		results = append(results, r.Result())
	}
	return show(s, c.JSON, arena.Rank(results), writeRanking)
}

// recordsIn lists the records of a folder.
func recordsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, err
}

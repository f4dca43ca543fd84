package endurance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/must"
)

// record is the part of a match record that the tests read.
type record struct {
	Match       string
	Completed   bool
	Aborted     bool
	Reason      string
	Moves       [][]string // by turn, then role
	States      [][]string
	StartErrors []string `json:"start_errors"`
	Errors      [][]string
	ReplyTimes  [][]float64 `json:"reply_times"` // seconds
}

// records reads all records of a folder, whose parts must be whole, except the last part of an unfinished match. It counts
// hidden files, which interrupted writers leave.
func records(t *testing.T, dir string) (all map[string]record, left int) {
	t.Helper()
	all = make(map[string]record)
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			left++
			continue
		}
		if e.IsDir() { // of rulesheets
			continue
		}
		text := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		var r record
		for line := range strings.Lines(string(text)) {
			var part record
			if err := json.Unmarshal([]byte(line), &part); err != nil && (r.Match == "" || strings.HasSuffix(line, "\n")) {
				t.Errorf("%s is no record: %v: %.100q", e.Name(), err, line)
				break
			}
			r.append(part)
		}
		if _, twice := all[r.Match]; twice && r.Match != "" {
			t.Errorf("match %s has two records", r.Match)
		}
		all[r.Match] = r
	}
	return all, left
}

// append continues the record with its next part.
func (r *record) append(part record) {
	if part.Match != "" {
		r.Match = part.Match
	}
	if part.StartErrors != nil {
		r.StartErrors = part.StartErrors
	}
	r.Completed, r.Aborted, r.Reason = part.Completed, part.Aborted, part.Reason
	r.Moves = append(r.Moves, part.Moves...)
	r.States = append(r.States, part.States...)
	r.Errors = append(r.Errors, part.Errors...)
	r.ReplyTimes = append(r.ReplyTimes, part.ReplyTimes...)
}

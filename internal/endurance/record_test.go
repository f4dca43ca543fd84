package endurance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// record is what the tests read of a match record.
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

// records reads all records of a folder, each of which must be whole. Hidden files,
// what an interrupted writer leaves behind, are counted.
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
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var r record
		if err := json.Unmarshal(text, &r); err != nil || r.Match == "" {
			t.Errorf("%s is no whole record: %v: %.100q", e.Name(), err, text)
			continue
		}
		all[r.Match] = r
	}
	return all, left
}

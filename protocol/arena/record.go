package arena

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What can go wrong with a player's turn, as match records write it.
const (
	timedOut   = "TO"  // no reply in time
	illegal    = "IL " // followed by the move that is not legal
	unreadable = "CE"  // no connection, or no reply that says anything
)

// Record is the story of one match. Lists by role are in the order of the role
// declarations; Moves, States, StateTimes and Errors are by turn first. There
// is one more state than moves.
type Record struct {
	Match      string      `json:"match"`
	Game       string      `json:"game"`
	StartTime  time.Time   `json:"start_time"`
	StartClock float64     `json:"start_clock"` // seconds
	PlayClock  float64     `json:"play_clock"`  // seconds
	Roles      []string    `json:"roles"`
	Players    []string    `json:"players"`
	Moves      [][]string  `json:"moves"`
	States     [][]string  `json:"states"` // the fluents that are true
	StateTimes []time.Time `json:"state_times"`
	// StartErrors and Errors hold "" where nothing went wrong, else TO, CE, or
	// IL with the move.
	StartErrors []string   `json:"start_errors"`
	Errors      [][]string `json:"errors"`
	Goals       []int      `json:"goals"` // goal points; empty if aborted
	Turns       int        `json:"turns"`
	Completed   bool       `json:"completed"`
	Aborted     bool       `json:"aborted"`
	// Reason says why the match was aborted, or which fault of the rules it met.
	Reason string `json:"reason,omitempty"`
}

// Save writes the record to <match>.json in a directory, which is made if need
// be. The file appears whole or not at all. It returns the file's path.
func (r *Record) Save(dir string) (string, error) {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the folder for match records: %w", err)
	}
	path := filepath.Join(dir, safeID(r.Match)+".json")
	if err := writeWhole(path, append(text, '\n')); err != nil {
		return "", fmt.Errorf("the record of match %s: %w", r.Match, err)
	}
	return path, nil
}

// writeWhole writes a file beside path and then moves it there.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".record-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// safeID makes a match id a symbol on the wire and a name in a folder.
func safeID(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("._-", c):
			return c
		}
		return '_'
	}, id)
}

// Result is the summary of a match, by role.
type Result struct {
	Match   string   `json:"match"`
	Game    string   `json:"game"`
	Players []string `json:"players"`
	Goals   []int    `json:"goals"`
	Turns   int      `json:"turns"`
	Errors  []int    `json:"errors"` // how many, the start included
	Aborted bool     `json:"aborted,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// Result sums the record up.
func (r *Record) Result() Result {
	s := Result{
		Match: r.Match, Game: r.Game, Players: r.Players, Goals: r.Goals, Turns: r.Turns,
		Errors: make([]int, len(r.Roles)), Aborted: r.Aborted, Reason: r.Reason,
	}
	for _, turn := range append([][]string{r.StartErrors}, r.Errors...) {
		for role, e := range turn {
			if e != "" {
				s.Errors[role]++
			}
		}
	}
	return s
}

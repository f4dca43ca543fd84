package arena

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stackmate/internal/atomicfile"
)

// What can go wrong with a player's turn, as match records write it.
const (
	timedOut   = "TO"  // no reply in time
	illegal    = "IL " // followed by the move that is not legal
	unreadable = "CE"  // no connection, or no reply that says anything
)

// Record is the story of one match. Lists by role are in the order of the role
// declarations; Moves, States, StateTimes, Errors and ReplyTimes are by turn first. There
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
	// ReplyTimes are the seconds that each player took for each move, as seen from
	// here; 0 for chance.
	ReplyTimes [][]float64 `json:"reply_times"`
	Goals      []int       `json:"goals"` // goal points; empty if aborted
	Turns      int         `json:"turns"`
	Completed  bool        `json:"completed"`
	Aborted    bool        `json:"aborted"`
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
	path := filepath.Join(dir, safeID(r.Match)+".json")
	if err = os.MkdirAll(dir, 0o755); err == nil {
		err = atomicfile.Write(path, append(text, '\n'))
	}
	if err != nil {
		return "", fmt.Errorf("the record of match %s cannot be saved: %w", r.Match, err)
	}
	return path, nil
}

// maxRecord bounds a record that is read, in bytes: ten thousand turns of a
// thousand fluents.
const maxRecord = 512 << 20

// ReadRecord reads the record of a match that has ended.
func ReadRecord(path string) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &Record{}
	if err := json.NewDecoder(io.LimitReader(f, maxRecord)).Decode(r); err != nil {
		return nil, fmt.Errorf("%s: expected a match record: %w", path, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s: expected a match record, found %w", path, err)
	}
	return r, nil
}

// check says what makes the record one that no match has left, if anything does.
func (r *Record) check() error {
	n := len(r.Roles)
	if r.Match == "" || n == 0 || r.Completed == r.Aborted {
		return errors.New("none of a match that has ended")
	}
	of := func(name string, found int) error {
		if found == n {
			return nil
		}
		return fmt.Errorf("%d %s of %d roles", found, name, n)
	}
	err := errors.Join(of("players", len(r.Players)), of("start_errors", len(r.StartErrors)))
	if r.Completed {
		err = errors.Join(err, of("goals", len(r.Goals)))
	}
	for _, turn := range r.Errors {
		err = errors.Join(err, of("errors", len(turn)))
	}
	for _, turn := range r.ReplyTimes {
		err = errors.Join(err, of("reply_times", len(turn)))
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

// Result is the summary of a match. Lists are by role.
type Result struct {
	Match   string   `json:"match"`
	Game    string   `json:"game"`
	Players []string `json:"players"`
	Goals   []int    `json:"goals"`
	Turns   int      `json:"turns"`
	// Errors counts what went wrong, the start included: replies that came too
	// late, illegal moves, and failures of connection or player.
	Errors  []int `json:"errors"`
	Late    []int `json:"late"`
	Illegal []int `json:"illegal"`
	Failed  []int `json:"failed"`
	// Slowest is the longest time that a player has taken for a move, in seconds.
	Slowest []float64 `json:"slowest"`
	Aborted bool      `json:"aborted,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// Result sums the record up.
func (r *Record) Result() Result {
	n := len(r.Roles)
	s := Result{
		Match: r.Match, Game: r.Game, Players: r.Players, Goals: r.Goals, Turns: r.Turns,
		Errors: make([]int, n), Late: make([]int, n), Illegal: make([]int, n), Failed: make([]int, n),
		Slowest: make([]float64, n), Aborted: r.Aborted, Reason: r.Reason,
	}
	for _, turn := range append([][]string{r.StartErrors}, r.Errors...) {
		for role, e := range turn {
			switch {
			case e == "":
				continue
			case e == timedOut:
				s.Late[role]++
			case e == unreadable:
				s.Failed[role]++
			default:
				s.Illegal[role]++
			}
			s.Errors[role]++
		}
	}
	for _, turn := range r.ReplyTimes {
		for role, seconds := range turn {
			s.Slowest[role] = max(s.Slowest[role], seconds)
		}
	}
	return s
}

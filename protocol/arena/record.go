package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stackmate/internal/jsonfault"
	"stackmate/protocol"
)

// What can go wrong with a player's turn, as match records write it.
const (
	TimedOut   = "TO"  // no reply in time
	Illegal    = "IL " // followed by the move that is not legal
	Unreadable = "CE"  // no connection, or no reply that says anything
)

// Record is the story of one match, in the fields that game managers write and some of
// ours. Lists by role are in the order of the role declarations; Moves, States,
// StateTimes, Errors, ReplyTimes and Explanations are by turn first. There is one more
// state than moves.
//
// A record is told in parts, which are Records too: the first says who plays what, the
// second has the first position, every other the joint move of a turn with the position
// that it leads to, and the last how the match ended. Append puts them together. A file
// holds them one after the other, each as a line of JSON, so a record in one piece is
// also a file.
type Record struct {
	Match string `json:"match,omitempty"`
	Game  string `json:"game,omitempty"`
	// Rules is the SHA-256 of the rulesheet in hexadecimal digits: Archive.Rulesheet
	// finds its text by it. Where the match does not begin with the initial position of
	// the rules, Opening lists the joint moves that lead to States[0].
	Rules       string      `json:"rules,omitempty"`
	Opening     [][]string  `json:"opening,omitempty"`
	StartTime   time.Time   `json:"start_time,omitzero"`
	StartClock  float64     `json:"start_clock,omitempty"` // seconds, 0 without limit
	PlayClock   float64     `json:"play_clock,omitempty"`  // seconds, 0 without limit
	Roles       []string    `json:"roles,omitempty"`
	Players     []string    `json:"players,omitempty"`
	Moves       [][]string  `json:"moves,omitempty"`
	States      [][]string  `json:"states,omitempty"` // the fluents that are true
	StateTimes  []time.Time `json:"state_times,omitempty"`
	StartErrors []string    `json:"start_errors,omitempty"`
	// StartErrors and Errors hold "" where nothing went wrong, else TO, CE, or
	// IL with the move.
	Errors [][]string `json:"errors,omitempty"`
	// ReplyTimes are the seconds, to the millisecond, that each player took for each
	// move, as seen from here; 0 for chance.
	ReplyTimes [][]float64 `json:"reply_times,omitempty"`
	// Explanations are what players in this program said of their moves: null for others,
	// and for a turn in which nobody said anything.
	Explanations [][]*protocol.Explanation `json:"explanations,omitempty"`
	Goals        []int                     `json:"goals,omitempty"` // goal points; empty if aborted
	Turns        int                       `json:"turns,omitempty"`
	Completed    bool                      `json:"completed,omitempty"`
	Aborted      bool                      `json:"aborted,omitempty"`
	// Forfeit says that the goals are not those of the rules: players could not begin, or gave up.
	Forfeit bool `json:"forfeit,omitempty"`
	// Reason says why the match was aborted or given up, or which fault of the rules it met.
	Reason string `json:"reason,omitempty"`
	// Summary sums the whole record up, in its last part: whoever lists records need
	// not read the turns.
	Summary *Result `json:"result,omitempty"`

	// Unnamed marks records whose manager writes no roles, only their number: Name names them.
	Unnamed bool `json:"-"`
	// Rulesheet is the text of the rules, which the first part that Setting.Tell is
	// given has beside it. It is no part of a file of records.
	Rulesheet string `json:"-"`
	// Written is when the file was written last, in records that Archive.List tells of.
	Written time.Time `json:"-"`
}

// Append continues the record with its next part.
func (r *Record) Append(part *Record) {
	if part.Match != "" {
		r.Match, r.Game, r.Rules, r.Opening = part.Match, part.Game, part.Rules, part.Opening
		r.StartTime, r.StartClock, r.PlayClock = part.StartTime, part.StartClock, part.PlayClock
		r.Roles, r.Players, r.Rulesheet, r.Unnamed = part.Roles, part.Players, part.Rulesheet, part.Unnamed
	}
	if part.StartErrors != nil {
		r.StartErrors = part.StartErrors
	}
	r.Moves = append(r.Moves, part.Moves...)
	r.States = append(r.States, part.States...)
	r.StateTimes = append(r.StateTimes, part.StateTimes...)
	r.Errors = append(r.Errors, part.Errors...)
	r.ReplyTimes = append(r.ReplyTimes, part.ReplyTimes...)
	r.Explanations = append(r.Explanations, part.Explanations...)
	r.Turns = max(part.Turns, len(r.Moves))
	if part.Ended() {
		r.Goals, r.Completed, r.Aborted, r.Forfeit = part.Goals, part.Completed, part.Aborted, part.Forfeit
		r.Reason, r.Summary = part.Reason, part.Summary
	}
}

// cutTurns leaves out what has happened between the beginning and the end.
func (r *Record) cutTurns() {
	r.StartErrors, r.Moves, r.States, r.StateTimes = nil, nil, nil, nil
	r.Errors, r.ReplyTimes, r.Explanations = nil, nil, nil
}

// Ended tells whether the match is over. A record without an end is of a match under
// way, or of one whose manager was killed.
func (r *Record) Ended() bool { return r.Completed || r.Aborted }

// Until a manager is taken for dead its record may rest for patience beyond its clocks, or for
// longestPause where it has none.
const (
	patience     = time.Minute
	longestPause = 24 * time.Hour
)

// IsUnderWay tells whether the match of a record that Archive.List tells of goes on at a
// time, as far as its clocks let one know.
func (r *Record) IsUnderWay(now time.Time) bool {
	pause := patience.Seconds() + max(r.StartClock, r.PlayClock)
	if r.StartClock == 0 || r.PlayClock == 0 {
		pause = longestPause.Seconds()
	}
	return !r.Ended() && now.Sub(r.Written).Seconds() < pause
}

// maxRecord bounds a file of records that is read, in bytes: ten thousand turns of a
// thousand fluents.
const maxRecord = 512 << 20

// ReadRecord reads a file with the record of one match, as ReadRecords does.
func ReadRecord(path string) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeRecord(f, path)
}

// ReadRecords reads the records of all matches of a file, as far as they have been written. An
// incomplete last part, of a manager that was killed or is writing just now, is left out.
func ReadRecords(path string) ([]*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeRecords(f, path)
}

// Records iterates over the matches of a file, or of all files of a folder, in the order of the names. A file
// that has no records, or a damaged one, gives an error that names it; the other files of its folder follow.
func Records(path string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			entries, err := os.ReadDir(path)
			if err != nil {
				yield(nil, err)
				return
			}
			files = nil
			for _, e := range entries {
				if isRecord(e.Name()) {
					files = append(files, filepath.Join(path, e.Name()))
				}
			}
		}
		for _, file := range files {
			records, err := ReadRecords(file)
			if errors.Is(err, errUnbegun) && file != path {
				continue
			}
			if err != nil && !yield(nil, err) {
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// isRecord reports whether a file of a folder of records has the name of one.
func isRecord(name string) bool {
	ext := filepath.Ext(name)
	return !strings.HasPrefix(name, ".") && (ext == suffix || ext == ".json")
}

// errUnbegun is the error of a record whose first part is incomplete: its manager is writing it
// just now, was killed then, or had a full disk.
var errUnbegun = errors.New("found its beginning at most")

// nextPart reads a part of a record, which is a line, or a match of an archive in one piece.
func nextPart(in *json.Decoder) (*Record, error) {
	var text json.RawMessage
	if err := in.Decode(&text); err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte(`"matchId"`)) {
		return readGGP(text)
	}
	part := &Record{}
	return part, json.Unmarshal(text, part)
}

// DecodeRecord reads a record as ReadRecord does; path is for messages about it.
func DecodeRecord(f io.Reader, path string) (*Record, error) {
	records, err := decodeRecords(f, path)
	if err != nil {
		return nil, err
	}
	if len(records) > 1 {
		return nil, fmt.Errorf("%s: expected the record of one match, found %d; stackmate show, rate and replay read such files", path, len(records))
	}
	return records[0], nil
}

// decodeRecords reads records as ReadRecords does; path is for messages about them.
func decodeRecords(f io.Reader, path string) ([]*Record, error) {
	var records []*Record
	var r *Record
	limited := &io.LimitedReader{R: f, N: maxRecord + 1}
	in := json.NewDecoder(limited)
	part, err := nextPart(in)
	number := 1
	for ; err == nil; number++ {
		if r == nil || part.Match != "" {
			r = &Record{}
			records = append(records, r)
		}
		r.Append(part)
		part, err = nextPart(in)
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("%s: expected match records of at most %d MiB, found more: split the file", path, maxRecord>>20)
	}
	if r == nil && filepath.Ext(path) == suffix && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil, fmt.Errorf("%s: expected a match record, %w", path, errUnbegun)
	}
	if unreadable := (*fs.PathError)(nil); errors.As(err, &unreadable) {
		return nil, err
	}
	if !errors.Is(err, io.EOF) && !(errors.Is(err, io.ErrUnexpectedEOF) && r != nil && r.Match != "") {
		return nil, fmt.Errorf("%s:%d: expected a match record, JSON as --record keeps it: %w", path, number, jsonfault.Explain(err))
	}
	if r == nil {
		r = &Record{} // which is none
		records = append(records, r)
	}
	for _, r := range records {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s: expected a match record, found %w", path, err)
		}
	}
	return records, nil
}

// check returns an error that names the lists of the record that do not fit the number of its roles.
func (r *Record) check() error {
	n := len(r.Roles)
	if r.Match == "" || n == 0 && !r.Unnamed || r.Completed && r.Aborted {
		return errors.New("none of a match, as --record keeps it")
	}
	of := func(name string, found int) error {
		if found == n {
			return nil
		}
		return fmt.Errorf("%d %s of %d roles", found, name, n)
	}
	err := of("players", len(r.Players))
	if r.StartErrors != nil {
		err = errors.Join(err, of("start_errors", len(r.StartErrors)))
	}
	if r.Completed && !(r.Unnamed && len(r.Goals) == 0) {
		err = errors.Join(err, of("goals", len(r.Goals)))
	}
	for _, turn := range r.Moves {
		err = errors.Join(err, of("moves", len(turn)))
	}
	for _, turn := range r.Errors {
		err = errors.Join(err, of("errors", len(turn)))
	}
	for _, turn := range r.ReplyTimes {
		err = errors.Join(err, of("reply_times", len(turn)))
	}
	for _, turn := range r.Explanations {
		if turn != nil {
			err = errors.Join(err, of("explanations", len(turn)))
		}
	}
	if s := r.Summary; s != nil {
		for name, found := range map[string]int{
			"players": len(s.Players), "errors": len(s.Errors), "late": len(s.Late), "illegal": len(s.Illegal),
			"failed": len(s.Failed), "slowest": len(s.Slowest), "goals": len(s.Goals),
		} {
			if name == "goals" && s.Aborted && found == 0 {
				continue
			}
			err = errors.Join(err, of(name+" in the summary", found))
		}
	}
	return err
}

// CheckOf returns an error unless the record is of a match with these rules (their hash) between
// these players, in the order of their roles, and does not contradict itself.
func (r *Record) CheckOf(match, rules string, players []string) error {
	seated := slices.DeleteFunc(slices.Clone(r.Players), func(p string) bool { return p == Chance })
	if r.Match != match || r.Rules != rules || !slices.Equal(seated, players) {
		return fmt.Errorf("expected the record of %s between %q, found that of %s between %q, or other rules", match, players, r.Match, seated)
	}
	if err := r.check(); err != nil {
		return err
	}
	return r.Consistent()
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
		Match: r.Match, Game: r.Game, Players: r.Players, Goals: append([]int{}, r.Goals...), Turns: r.Turns,
		Errors: make([]int, n), Late: make([]int, n), Illegal: make([]int, n), Failed: make([]int, n),
		Slowest: make([]float64, n), Aborted: r.Aborted, Reason: r.Reason,
	}
	for _, turn := range append([][]string{r.StartErrors}, r.Errors...) {
		for role, e := range turn {
			switch {
			case e == "":
				continue
			case e == TimedOut:
				s.Late[role]++
			case e == Unreadable:
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

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

// Faults of a player's turn in match records.
const (
	TimedOut   = "TO"  // no reply in time
	Illegal    = "IL " // followed by the illegal move
	Unreadable = "CE"  // no connection, or an unreadable reply
)

// Record is the record of a match, in the JSON fields of game managers with some additions. Lists by role are in the
// order of the role declarations. Moves, States, StateTimes, Errors, ReplyTimes and Explanations are by turn first.
// There is one more state than moves.
//
// A record consists of parts, which are Records too. The first part has the game and the players, the second the
// first position. Each further part has the joint move of a turn and the next position, the last part the ending.
// Append joins them. A file holds one part per line of JSON, so a record in one piece is also a file.
type Record struct {
	Match string `json:"match,omitempty"`
	Game  string `json:"game,omitempty"`
	// Rules is the SHA-256 of the rulesheet in hexadecimal digits: Archive.Rulesheet returns its text. If the match
	// begins after an opening, Opening lists the joint moves that lead to States[0].
	Rules       string      `json:"rules,omitempty"`
	Opening     [][]string  `json:"opening,omitempty"`
	StartTime   time.Time   `json:"start_time,omitzero"`
	StartClock  float64     `json:"start_clock,omitempty"` // seconds, 0 without limit
	PlayClock   float64     `json:"play_clock,omitempty"`  // seconds, 0 without limit
	Roles       []string    `json:"roles,omitempty"`
	Players     []string    `json:"players,omitempty"`
	Moves       [][]string  `json:"moves,omitempty"`
	States      [][]string  `json:"states,omitempty"` // the true fluents
	StateTimes  []time.Time `json:"state_times,omitempty"`
	StartErrors []string    `json:"start_errors,omitempty"`
	// StartErrors and Errors hold "" without a fault, else TO, CE, or IL with the move.
	Errors [][]string `json:"errors,omitempty"`
	// ReplyTimes are the times of each player's moves in seconds, to the millisecond, measured by the manager; 0 for
	// chance.
	ReplyTimes [][]float64 `json:"reply_times,omitempty"`
	// Explanations are the players' explanations of their moves: null for players without, and for turns without any.
	Explanations [][]*protocol.Explanation `json:"explanations,omitempty"`
	Goals        []int                     `json:"goals,omitempty"` // goal points; empty if aborted
	Turns        int                       `json:"turns,omitempty"`
	Completed    bool                      `json:"completed,omitempty"`
	Aborted      bool                      `json:"aborted,omitempty"`
	// Forfeit: players could not begin, or resigned; the goals are not computed from the rules.
	Forfeit bool `json:"forfeit,omitempty"`
	// Reason is the reason for an abort or forfeit, or an error of the rules.
	Reason string `json:"reason,omitempty"`
	// Summary is the result of the whole record, in its last part, so that lists of records need not read the turns.
	Summary *Result `json:"result,omitempty"`

	// Unnamed marks records with numbers instead of roles: Name replaces them.
	Unnamed bool `json:"-"`
	// Rulesheet is the text of the rules in the first part passed to Setting.Tell. Files of records omit it.
	Rulesheet string `json:"-"`
	// Written is the time of the last write to the file, in records from Archive.List.
	Written time.Time `json:"-"`
	// Recording marks running matches that this process records, in records from Archive.List. Their players may think
	// longer than the clocks say, since people at tables have none.
	Recording bool `json:"-"`
}

// Append appends the next part to the record.
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

// cutTurns removes the turns between the beginning and the end.
func (r *Record) cutTurns() {
	r.StartErrors, r.Moves, r.States, r.StateTimes = nil, nil, nil, nil
	r.Errors, r.ReplyTimes, r.Explanations = nil, nil, nil
}

// Ended reports whether the match is over. A record without an end belongs to a running match, or to a killed
// manager.
func (r *Record) Ended() bool { return r.Completed || r.Aborted }

// A manager counts as dead if its record has not grown for its clocks plus patience, or for longestPause without
// clocks.
const (
	patience     = time.Minute
	longestPause = 24 * time.Hour
)

// IsUnderWay reports whether the match of a record from Archive.List may still be running at a time, judged by its
// clocks.
func (r *Record) IsUnderWay(now time.Time) bool {
	pause := patience.Seconds() + max(r.StartClock, r.PlayClock)
	if r.StartClock == 0 || r.PlayClock == 0 {
		pause = longestPause.Seconds()
	}
	return !r.Ended() && now.Sub(r.Written).Seconds() < pause
}

// maxRecord limits a file of records, in bytes: ten thousand turns of a thousand fluents.
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

// ReadRecords reads the records of all matches in a file, as far as they are written. It skips an incomplete last
// part, whose manager is still writing or was killed.
func ReadRecords(path string) ([]*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeRecords(f, path)
}

// Records iterates over the matches of a file, or of all files of a folder, in order of name. A file without records
// or with a damaged record yields an error with its name; the other files of the folder follow.
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

// isRecord reports whether a file name in a folder of records is a record's.
func isRecord(name string) bool {
	ext := filepath.Ext(name)
	return !strings.HasPrefix(name, ".") && (ext == suffix || ext == ".json")
}

// errUnbegun: the first part of a record is incomplete. Its manager is writing it, was killed, or had a full disk.
var errUnbegun = errors.New("the record has no complete first line")

// nextPart reads a part of a record, which is a line, or a match of an archive in one piece.
func nextPart(in *json.Decoder) (*Record, error) {
	var text json.RawMessage
	if err := in.Decode(&text); err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte(`"matchId"`)) { // moves may have this name, too
		var archived struct{ MatchID json.RawMessage }
		if json.Unmarshal(text, &archived) == nil && archived.MatchID != nil {
			return readGGP(text)
		}
	}
	part := &Record{}
	return part, json.Unmarshal(text, part)
}

// DecodeRecord reads a record as ReadRecord does; path is for error messages.
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

// decodeRecords reads records as ReadRecords does; path is for error messages.
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
		return nil, fmt.Errorf("%s: not a match record: %w", path, errUnbegun)
	}
	if unreadable := (*fs.PathError)(nil); errors.As(err, &unreadable) {
		return nil, err
	}
	if !errors.Is(err, io.EOF) && !(errors.Is(err, io.ErrUnexpectedEOF) && r != nil && r.Match != "") {
		return nil, fmt.Errorf("%s:%d: not a match record in JSON, as --record writes it: %w", path, number, jsonfault.Explain(err))
	}
	if r == nil {
		r = &Record{} // an empty record
		records = append(records, r)
	}
	for _, r := range records {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s: not a match record: %w", path, err)
		}
	}
	return records, nil
}

// check returns an error that names the lists of the record whose lengths do not fit its number of roles.
func (r *Record) check() error {
	n := len(r.Roles)
	if r.Match == "" || n == 0 && !r.Unnamed || r.Completed && r.Aborted {
		return errors.New("no match id or no roles")
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

// CheckOf returns an error unless the record is consistent and of a match with these rules (their hash) and players,
// in the order of their roles.
func (r *Record) CheckOf(match, rules string, players []string) error {
	seated := slices.DeleteFunc(slices.Clone(r.Players), func(p string) bool { return p == Chance })
	if r.Match != match || r.Rules != rules || !slices.Equal(seated, players) {
		return fmt.Errorf("expected a record of match %s between %q with the same rules, found match %s between %q", match, players, r.Match, seated)
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
	// Errors counts the faults of each player, including START: late replies, illegal moves, and failures of
	// connection or player.
	Errors  []int `json:"errors"`
	Late    []int `json:"late"`
	Illegal []int `json:"illegal"`
	Failed  []int `json:"failed"`
	// Slowest is the longest time of a move by player, in seconds.
	Slowest []float64 `json:"slowest"`
	Aborted bool      `json:"aborted,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// Result returns the summary of the record.
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

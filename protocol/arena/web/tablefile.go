package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/internal/atomicfile"
	"stackmate/protocol"
	"stackmate/protocol/arena"
)

// A table is closed when the program ends, or when a new table needs its room. Its file, beside the records, and the
// record of its latest match are enough to open it again at the same turn when somebody comes back.

// tables are the open ones.
type tables struct {
	mu      sync.Mutex
	byID    map[string]*table
	opening [16]sync.Mutex           // by the first letter of the id: held while a table is opened from its file
	aside   map[string]chan struct{} // of tables that made room: closed when their matches have ended
	files   tableFiles
}

// all returns the tables in the order of their opening.
func (ts *tables) all() []*table {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.SortedFunc(maps.Values(ts.byID), func(a, b *table) int { return a.started.Compare(b.started) })
}

// maxTables bounds the tables that are open.
const maxTables = 64

// add adds a table. If there are too many, the idlest table without viewers makes room: it is opened again from
// its file when somebody comes back.
func (ts *tables) add(t *table) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.byID) >= maxTables {
		var idlest *table
		var rested time.Time
		for _, o := range ts.byID {
			o.mu.Lock()
			if o.viewers == 0 && (idlest == nil || o.touched.Before(rested)) {
				idlest, rested = o, o.touched
			}
			o.mu.Unlock()
		}
		if idlest == nil {
			return faulty(http.StatusServiceUnavailable, fmt.Sprintf("all of the %d tables are in use; try again later", maxTables))
		}
		idlest.close(errAside)
		delete(ts.byID, idlest.id)
		ts.aside[idlest.id] = idlest.ended
		idlest.safely("a table that made room", func() {
			<-idlest.ended
			ts.mu.Lock()
			defer ts.mu.Unlock()
			delete(ts.aside, idlest.id)
		})
	}
	ts.byID[t.id] = t
	return nil
}

func (ts *tables) close() {
	for _, t := range ts.all() {
		t.close(errStopped)
	}
}

// tableFile is a table on disk. Its opening has the players that sit there now, and the joint moves with which the
// latest match began. Lists are by role.
type tableFile struct {
	opening
	Started time.Time         `json:"started"`
	Keys    []string          `json:"keys"` // of people
	Matches int               `json:"matches"`
	Lefts   [][]time.Duration `json:"lefts,omitempty"` // clocks, by turn first
	Score   []float64         `json:"score,omitempty"`
	Next    string            `json:"next,omitempty"`
	ending
}

// ending is how the latest match of a table has ended; without goals it has not.
type ending struct {
	Goals    []int  `json:"goals,omitempty"`
	Resigned string `json:"resigned,omitempty"`
	Note     string `json:"note,omitempty"`
}

// Bounds of the folder of records: tables, and matches that were played at tables and between players.
const (
	tableFolder  = "tables"
	maxFiles     = 1000
	maxPageFiles = 100_000
	pageMatch    = "page."
)

// Causes for which the match of a table ends before the game does. It goes on when the table is opened again.
var (
	errStopped = errors.New("the arena was stopped")
	errAside   = errors.New("the table was put aside: nobody looked at it")
)

var tableID = regexp.MustCompile(`^[A-Z2-7]{10}$`)

// tablePath returns the file of a table.
func (s *Server) tablePath(id string) string {
	return filepath.Join(s.Archive.Dir(), tableFolder, id+".json")
}

// save writes the file of the table if it has changed.
func (t *table) save() {
	f := tableFile{opening: t.opening, Started: t.started, Matches: t.matches, Score: t.score, Next: t.next}
	f.Seats = nil
	for _, s := range t.seats {
		f.Keys = append(f.Keys, s.key)
		if s.kind != chance {
			f.Seats = append(f.Seats, s.kind)
		}
	}
	if t.Limit > 0 {
		f.Lefts = t.lefts
	}
	if t.over && t.goals != nil {
		f.ending = ending{t.goals, t.resigned, t.note}
	}
	text, err := json.Marshal(f)
	if err == nil && bytes.Equal(text, t.saved) {
		return
	}
	path := t.tablePath(t.id)
	if err == nil && t.saved == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700) // it has keys
	}
	if t.saved = text; err == nil {
		err = atomicfile.Write(path, text)
	}
	if err != nil {
		t.Log.Error().Err(err).Msg("a table will not outlive the program")
	}
}

// trim keeps the folder of records within its bounds.
func (s *Server) trim() {
	for pattern, most := range map[string]int{filepath.Join(tableFolder, "*.json"): maxFiles, pageMatch + "*": maxPageFiles} {
		if err := s.Archive.Trim(pattern, most); err != nil {
			s.Log.Warn().Err(err).Msg("the folder of records grows")
		}
	}
}

// table returns the table that a request names. It is opened from its file if need be.
func (s *Server) table(r *http.Request) (*table, error) {
	return s.findTable(r.Context(), r.PathValue("id"))
}

func (s *Server) findTable(ctx context.Context, id string) (*table, error) {
	ts := &s.tables
	ts.mu.Lock()
	t := ts.byID[id]
	ts.mu.Unlock()
	if t != nil {
		return t, nil
	}
	gone := faulty(http.StatusNotFound, fmt.Sprintf("table %q was closed; its matches are among the records", id))
	if !tableID.MatchString(id) {
		return nil, gone
	}
	opening := &ts.opening[int(id[0])%len(ts.opening)]
	opening.Lock()
	defer opening.Unlock()
	ts.mu.Lock()
	t, ended := ts.byID[id], ts.aside[id]
	ts.mu.Unlock()
	if t != nil {
		return t, nil
	}
	if ended != nil {
		<-ended
	}
	text, err := os.ReadFile(s.tablePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	return s.openAgain(ctx, id, text)
}

// openAgain opens a table from its file and the record of its latest match.
func (s *Server) openAgain(ctx context.Context, id string, text []byte) (*table, error) {
	var f tableFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("the file of table %s is damaged: %w", id, err)
	}
	t, err := s.makeTable(ctx, id, f.opening)
	if err != nil {
		return nil, err
	}
	if _, err := t.seat(f.Seats); err != nil {
		return nil, err
	}
	n := len(t.seats)
	if len(f.Keys) != n || f.Goals != nil && len(f.Goals) != n || f.Score != nil && len(f.Score) != n ||
		slices.ContainsFunc(f.Lefts, func(l []time.Duration) bool { return len(l) != n }) {
		return nil, fmt.Errorf("the file of table %s is damaged: want keys, clocks, goals and score of %d roles", id, n)
	}
	for r := range t.seats {
		t.seats[r].key = f.Keys[r]
	}
	t.started, t.score, t.next, t.lefts = f.Started, f.Score, f.Next, f.Lefts
	joints := f.Moves
	record, err := t.latestRecord(max(1, f.Matches))
	switch {
	case err == nil:
		if t.at, err = t.game.at(slices.Concat(record.Opening, record.Moves)); err != nil {
			return nil, err
		}
		joints = slices.Concat(record.Opening, record.Moves)
		t.why = append(make([][]*protocol.Explanation, len(record.Opening)), record.Explanations...)
		if record.Completed && f.Goals == nil {
			f.ending = ending{Goals: record.Goals, Note: record.Reason}
		}
	case !errors.Is(err, fs.ErrNotExist): // it is from the first move on
		return nil, err
	}
	if n := len(t.lefts); n > 0 {
		for r := range t.seats {
			t.seats[r].left = t.lefts[min(n-1, len(joints))][r]
		}
	}
	if err := s.tables.add(t); err != nil {
		return nil, err
	}
	return t, t.change(func() error {
		if f.Goals == nil {
			t.begin(joints, nil)
			return nil
		}
		t.joints = joints
		for len(t.why) < len(joints) {
			t.why = append(t.why, nil)
		}
		t.turn()
		t.over, t.legal, t.goals, t.resigned, t.note = true, nil, f.Goals, f.Resigned, f.Note
		return nil
	})
}

// latestRecord ends and returns the record of the latest match. The file of the table names a match; a later one may
// have a record, if the program was killed before it was in the file.
func (t *table) latestRecord(named int) (*arena.Record, error) {
	last := named
	for t.matches = named + 1; ; t.matches++ {
		if _, err := t.Archive.Size(t.match()); err != nil {
			break
		}
		last = t.matches
	}
	defer func() { t.matches = last }()
	for t.matches = last; ; t.matches-- {
		if r, err := t.Archive.BreakOff(t.match(), errStopped.Error()); t.matches == named || !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
}

// tableFiles is the list of the tables on disk, read at most once a second.
type tableFiles struct {
	mu    sync.Mutex
	until time.Time
	list  []listed
}

// resting returns the tables that are not open, the latest first.
func (s *Server) resting(open map[string]bool) (list []listed) {
	f := &s.tables.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if began := time.Now(); began.After(f.until) {
		f.until, f.list = began.Add(time.Second), nil
		paths, _ := filepath.Glob(s.tablePath("*")) // the pattern is well-formed
		for _, path := range paths {
			var t tableFile
			if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &t) == nil {
				id := strings.TrimSuffix(filepath.Base(path), ".json")
				f.list = append(f.list, listed{Table: id, Game: t.Game, Seats: t.Seats, Turn: len(t.Moves), Over: t.Goals != nil, Since: t.Started, Resting: true})
			}
		}
		slices.SortFunc(f.list, func(a, b listed) int { return b.Since.Compare(a.Since) })
	}
	for _, l := range f.list {
		if !open[l.Table] && len(list) < maxTables {
			list = append(list, l)
		}
	}
	return list
}

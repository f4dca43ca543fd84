package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stackmate/internal/feed"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/board"
)

// outline is a match in the list of all.
type outline struct {
	Match   string    `json:"match"`
	Game    string    `json:"game"`
	Players []string  `json:"players"`
	Goals   []int     `json:"goals,omitempty"`
	Turns   int       `json:"turns"`
	Start   time.Time `json:"start"`
	Live    bool      `json:"live"`
	Reason  string    `json:"reason,omitempty"`
	Errors  []int     `json:"errors,omitempty"`
}

// newOutline returns the entry of a record in the list of matches.
func newOutline(m *arena.Record) outline {
	o := outline{
		Match: m.Match, Game: m.Game, Players: m.Players, Goals: m.Goals, Turns: m.Turns, Start: m.StartTime,
		Live: m.Recording || m.IsUnderWay(time.Now()), Reason: m.Reason,
	}
	if !m.Ended() && !o.Live {
		o.Reason = "interrupted"
	}
	if m.Summary != nil {
		o.Turns, o.Errors = m.Summary.Turns, m.Summary.Errors
	}
	return o
}

// listedMatches bounds a list.
const listedMatches = 200

// listing is a part of the list of matches, the latest first.
type listing struct {
	Matches []outline `json:"matches"`
	Count   int       `json:"count"` // of all that fit
}

func (s *Server) listMatches(r *http.Request) (*listing, error) {
	records, err := s.Archive.List()
	if records == nil && err != nil {
		return nil, err
	}
	f := newFilter(r.URL.Query())
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip")) // 0 if there is none
	list := &listing{Matches: []outline{}}
	for _, m := range slices.Backward(records) {
		if !f.fits(m) {
			continue
		}
		if list.Count++; list.Count > skip && len(list.Matches) < listedMatches {
			list.Matches = append(list.Matches, newOutline(m))
		}
	}
	return list, nil
}

// broadcast is a match that somebody watches.
type broadcast struct {
	story    feed.Feed[[]byte]
	watchers int
	cancel   context.CancelFunc
}

// broadcasts are the matches that somebody watches, by id.
type broadcasts struct {
	mu   sync.Mutex
	byID map[string]*broadcast
}

// followMatch sends the parts of a record. Positions are fetched on demand; only new turns of a live match
// include their picture.
func (s *Server) followMatch(e *stream, r *http.Request) error {
	b, leave := s.join(r.PathValue("id"))
	defer leave()
	return e.follow(&b.story)
}

// join watches a match until leave is called.
func (s *Server) join(id string) (b *broadcast, leave func()) {
	all := &s.watched
	all.mu.Lock()
	defer all.mu.Unlock()
	b = all.byID[id]
	if b == nil {
		b = &broadcast{}
		all.byID[id] = b
		var ctx context.Context
		ctx, b.cancel = context.WithCancel(s.ctx)
		s.safely("watching a match", func() { s.tellMatch(ctx, id, &b.story) })
	}
	b.watchers++
	return b, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		if b.watchers--; b.watchers == 0 {
			b.cancel()
			delete(all.byID, id)
		}
	}
}

// soon is how long after its time a position is still news: a constant, but in tests.
var soon = 5 * time.Second

// part is a part of a record as a stream has it: with the picture of its last position, if it is news, in
// place of the positions. A part that names the match begins the stream anew.
type part struct {
	arena.Record
	Position *Position `json:"position,omitempty"`
}

// tellMatch follows the record of a match.
func (s *Server) tellMatch(ctx context.Context, id string, to *feed.Feed[[]byte]) {
	note := ""
	defer func() { to.Close(event("end", note)) }()
	var head arena.Record
	turn, drawn := 0, ""
	var past [][]string // positions, if they say how later positions are drawn
	for p, err := range s.Archive.Follow(ctx, id) {
		if err != nil {
			note = s.unread(id, err).Error()
			return
		}
		if p.Match != "" {
			s.name(p)
			head, past = *p, nil
		}
		bare := part{Record: *p}
		bare.States = nil
		turn += len(p.Moves)
		if n := len(p.States); n == 1 && len(p.StateTimes) == 1 && time.Since(p.StateTimes[0]) < soon {
			now := picture(s.layoutOf(&head), nil, p.States[0], turn, past...)
			bare.Position, drawn = now.after(drawn), now.SVG
		}
		if s.layoutOf(&head).HasTrails() {
			past = append(past, p.States...)
		}
		to.Add(event("part", bare))
	}
}

// told is a state of a record: the match, and the bytes of its record so far.
type told struct {
	match string
	bytes int64
}

// toldTurn is a turn of it.
type toldTurn struct {
	told
	turn int
}

// showTurn draws the position after a number of turns, or that in which a match will begin. Of a match under way, many
// look at the turn that has just been played: it is drawn once.
func (s *Server) showTurn(r *http.Request) (json.RawMessage, error) {
	turn, err := strconv.Atoi(r.URL.Query().Get("turn"))
	if err != nil || turn < 0 {
		return nil, faulty(http.StatusBadRequest, "expected the number of a turn")
	}
	now := told{match: r.PathValue("id")}
	if now.bytes, err = s.Archive.Size(now.match); err != nil {
		return nil, s.unread(now.match, err)
	}
	return s.pictures.Get(toldTurn{now, turn}, func() (json.RawMessage, error) {
		record, err := s.records.Get(now, func() (*arena.Record, error) { return s.record(now.match) })
		if err != nil {
			return nil, err
		}
		v, err := s.drawTurn(record, turn)
		if err != nil {
			return nil, err
		}
		return json.Marshal(v)
	})
}

// record reads the record of a match.
func (s *Server) record(match string) (*arena.Record, error) {
	r, err := s.Archive.Read(match)
	if err != nil {
		return nil, s.unread(match, err)
	}
	s.name(r)
	return r, nil
}

// name gives a record the roles of its rules, if its manager wrote none and the rules are here.
func (s *Server) name(r *arena.Record) {
	if !r.Unnamed {
		return
	}
	if g, err := s.gameOf("", r); err == nil && g.rules != nil {
		_ = r.Name(protocol.Texts(g.rules.Roles)) // other rules have this name
	}
}

// unread returns the error of a record that cannot be read, without the paths of this machine.
func (s *Server) unread(match string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return faulty(http.StatusNotFound, "there is no match "+match)
	}
	return errors.New(s.told(err))
}

// drawTurn draws a position of a record.
func (s *Server) drawTurn(record *arena.Record, turn int) (*Position, error) {
	var facts []string
	var err error
	switch {
	case turn < len(record.States):
		facts = record.States[turn]
	case turn > 0 || record.Ended():
		err = faulty(http.StatusNotFound, fmt.Sprintf("the match has no turn %d", turn))
	default:
		facts, err = s.beforeStart(record)
	}
	if err != nil {
		return nil, err
	}
	v := picture(s.layoutOf(record), record.Roles, facts, turn, record.States[:min(turn, len(record.States))]...)
	if record.Completed && turn == len(record.States)-1 {
		v.Goals = record.Goals
	}
	return &v, nil
}

// beforeStart finds the position in which a match will begin when the players are ready.
func (s *Server) beforeStart(r *arena.Record) ([]string, error) {
	g, err := s.library.get(rulesOf(r))
	if err == nil && (len(r.Opening) > 0 || g.initial == nil) {
		err = faulty(http.StatusTooEarly, "the players get ready: the match begins when they are, or the start clock ends")
	}
	if err != nil {
		return nil, err
	}
	return g.initial, nil
}

// layoutOf returns the layout of a record by its rules, or an empty layout if they are missing.
func (s *Server) layoutOf(r *arena.Record) *board.Layout {
	find := s.library.get
	if r.Rules == "" { // another manager's record
		find = func(string) (*game, error) { return s.gameOf("", r) }
	}
	if g, err := find(rulesOf(r)); err == nil {
		return g.layout
	}
	return &board.Layout{}
}

// matchRequest asks for a match between players.
type matchRequest struct {
	Game    string   `json:"game"`
	Players []string `json:"players"`
	Start   float64  `json:"start"` // clocks in seconds
	Play    float64  `json:"play"`
}

// clockOf returns a clock of a match within the bounds of clocks.
func clockOf(s float64) time.Duration {
	b := clockBounds["clock"]
	return seconds(min(max(s, b.Least), b.Most))
}

// holdMatch begins a match and returns its id.
func (s *Server) holdMatch(r *http.Request) (map[string]string, error) {
	var q matchRequest
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	g, err := s.library.compiled(r.Context(), q.Game)
	if err != nil {
		return nil, err
	}
	var players []arena.Player
	for _, kind := range q.Players {
		p, err := s.Player(kind)
		if err != nil {
			return nil, err
		}
		players = append(players, p)
	}
	leave, err := s.matches.enter(r.Context(), nil)
	if err != nil {
		return nil, err
	}
	id := protocol.SafeID(fmt.Sprintf("page.%s.%d", g.name, time.Now().UnixNano()))
	record, begun := s.recorder(), make(chan error, 1)
	var told sync.Once
	tell := func(part *arena.Record) error {
		err := record(part)
		told.Do(func() { begun <- err })
		return err
	}
	s.safely("a match", func() {
		defer leave()
		_, err := arena.NewManager(g.name, g.rules, g.machine, s.Log).Match(s.ctx, id, players, arena.Setting{
			StartClock: clockOf(q.Start), PlayClock: clockOf(q.Play), Grace: time.Second, Seed: uint64(time.Now().UnixNano()), Tell: tell,
		})
		told.Do(func() { begun <- err })
	})
	return map[string]string{"match": id}, <-begun
}

// recorder returns a recorder that leaves out the texts which players at addresses sent in place of moves.
func (s *Server) recorder() func(*arena.Record) error {
	record := s.Archive.Recorder()
	if s.recorded.Add(1)%100 == 1 {
		s.safely("bounds of the folder of records", s.trim)
	}
	return func(part *arena.Record) error {
		shown := *part
		shown.Errors = nil
		for _, faults := range part.Errors {
			faults = slices.Clone(faults)
			for r, fault := range faults {
				if move, sent := strings.CutPrefix(fault, arena.Illegal); sent {
					if _, err := protocol.ParseMove(move); err != nil {
						faults[r] = arena.Unreadable
					}
				}
			}
			shown.Errors = append(shown.Errors, faults)
		}
		return record(&shown)
	}
}

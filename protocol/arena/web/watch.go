package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

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

// listedMatches bounds the list: the latest are on it.
const listedMatches = 200

func (s *Server) listMatches(w http.ResponseWriter, r *http.Request) {
	records, err := s.Archive.List()
	if records == nil && err != nil {
		answer(w, nil, err)
		return
	}
	wanted := r.URL.Query().Get("game")
	list := []outline{}
	for _, m := range slices.Backward(records) {
		if wanted != "" && m.Game != wanted {
			continue
		}
		o := outline{
			Match: m.Match, Game: m.Game, Players: m.Players, Goals: m.Goals, Turns: m.Turns, Start: m.StartTime,
			Live: !m.Ended(), Reason: m.Reason,
		}
		if m.Summary != nil {
			o.Turns, o.Errors = m.Summary.Turns, m.Summary.Errors
		}
		if list = append(list, o); len(list) == listedMatches {
			break
		}
	}
	answer(w, list, nil)
}

// followMatch sends the parts of a record, without the positions: these are drawn one by
// one, for whoever looks at them.
func (s *Server) followMatch(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	e, err := s.open(w)
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer e.done()
	parts := make(chan *arena.Record)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var failed error
	s.safely("watching a match", func() {
		defer close(parts)
		for part, err := range s.Archive.Follow(ctx, id) {
			if err != nil {
				failed = err
				return
			}
			select {
			case parts <- part:
			case <-ctx.Done():
				return
			}
		}
	})
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case part, ok := <-parts:
			if !ok {
				note := ""
				if failed != nil {
					note = failed.Error()
				}
				_ = e.send("end", note)
				return
			}
			bare := *part
			bare.States = nil
			if e.send("part", bare) != nil {
				return
			}
		case <-tick.C:
			if e.write(": still here\n\n") != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// recordCache keeps the records that are being looked at.
type recordCache struct {
	mu   sync.Mutex
	byID map[string]*arena.Record
	ids  []string
	// The picture that was drawn last, as it is sent: of a match under way, many want it.
	drawing sync.Mutex
	last    drawnTurn
}

// drawnTurn is the picture of a turn.
type drawnTurn struct {
	match string
	turn  int
	text  json.RawMessage
}

const cachedRecords = 8

// upTo reads a record that has the position after a number of turns. While a match is
// under way, many look at the turn that has just been played: it is read once.
func (s *Server) upTo(id string, turn int) (*arena.Record, error) {
	s.records.mu.Lock()
	defer s.records.mu.Unlock()
	if r := s.records.byID[id]; r != nil && turn < len(r.States) {
		return r, nil
	}
	r, err := s.Archive.Read(id)
	if err != nil {
		return nil, err
	}
	if s.records.byID[id] == nil {
		if s.records.ids = append(s.records.ids, id); len(s.records.ids) > cachedRecords {
			delete(s.records.byID, s.records.ids[0])
			s.records.ids = s.records.ids[1:]
		}
	}
	s.records.byID[id] = r
	if turn < 0 || turn >= len(r.States) {
		return nil, faulty(http.StatusNotFound, fmt.Sprintf("the match has no turn %d", turn))
	}
	return r, nil
}

// turnView is a position of a record.
type turnView struct {
	Position
	Rules   string     `json:"rules"`             // the library's name for the rules of the match
	Opening [][]string `json:"opening,omitempty"` // joint moves before the first turn
}

func (s *Server) showTurn(w http.ResponseWriter, r *http.Request) {
	reply(w, func() (json.RawMessage, error) {
		turn, err := strconv.Atoi(r.URL.Query().Get("turn"))
		if err != nil {
			return nil, faulty(http.StatusBadRequest, "expected the number of a turn")
		}
		c, id := &s.records, r.PathValue("id")
		c.drawing.Lock()
		defer c.drawing.Unlock()
		if c.last.text == nil || c.last.match != id || c.last.turn != turn {
			v, err := s.drawTurn(r.Context(), id, turn)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			c.last = drawnTurn{id, turn, text}
		}
		return c.last.text, nil
	})
}

func (s *Server) drawTurn(ctx context.Context, id string, turn int) (*turnView, error) {
	record, err := s.upTo(id, turn)
	if err != nil {
		return nil, err
	}
	v := &turnView{Rules: rulesOf(record), Opening: record.Opening}
	layout := noLayout
	if g, err := s.library.get(ctx, v.Rules); err == nil && g.layout != nil {
		layout = g.layout
	}
	v.Position = picture(layout, record.Roles, record.States[turn], turn)
	if record.Completed && turn == len(record.States)-1 {
		v.Goals = record.Goals
	}
	return v, nil
}

// noLayout lists facts.
var noLayout = &board.Layout{}

// matchRequest asks for a match between players.
type matchRequest struct {
	Game    string   `json:"game"`
	Players []string `json:"players"`
	Start   float64  `json:"start"` // clocks in seconds
	Play    float64  `json:"play"`
}

// holdMatch begins a match and says its id; it is watched as all others.
func (s *Server) holdMatch(w http.ResponseWriter, r *http.Request) {
	reply(w, func() (map[string]string, error) {
		var q matchRequest
		if err := question(w, r, &q); err != nil {
			return nil, err
		}
		leave, err := take(s.matches, "matches")
		if err != nil {
			return nil, err
		}
		id, run, err := s.prepare(r.Context(), q)
		if err != nil {
			leave()
			return nil, err
		}
		began := make(chan error, 1)
		s.safely("a match", func() {
			defer leave()
			run(began)
		})
		return map[string]string{"match": id}, <-began
	})
}

// prepare makes what a match needs. Run tells began when the record has begun, or why
// there is none.
func (s *Server) prepare(ctx context.Context, q matchRequest) (id string, run func(began chan<- error), err error) {
	g, err := s.library.get(ctx, q.Game)
	if err != nil {
		return "", nil, err
	}
	m, err := s.library.compile(s.ctx, g)
	if err != nil {
		return "", nil, err
	}
	var players []arena.Player
	for _, kind := range q.Players {
		p, err := s.Player(kind)
		if err != nil {
			return "", nil, err
		}
		players = append(players, p)
	}
	seconds := func(f float64) time.Duration {
		return min(max(time.Duration(f*float64(time.Second)), 100*time.Millisecond), maxClock)
	}
	id = fmt.Sprintf("page.%s.%d", g.name, time.Now().UnixNano())
	record := s.Archive.Recorder()
	return id, func(began chan<- error) {
		told := false
		_, err := arena.NewManager(g.name, g.rules, m, s.Log).Match(s.ctx, id, players, arena.Setting{
			StartClock: seconds(q.Start), PlayClock: seconds(q.Play), Grace: time.Second, Seed: uint64(time.Now().UnixNano()),
			Tell: func(part *arena.Record) error {
				err := record(part)
				if !told {
					told = true
					began <- err
				}
				return err
			},
		})
		if !told {
			began <- err
		}
	}, nil
}

func (s *Server) showStandings(w http.ResponseWriter, r *http.Request) {
	records, err := s.Archive.List()
	if records == nil && err != nil {
		answer(w, nil, err)
		return
	}
	wanted := r.URL.Query().Get("game")
	var results []arena.Result
	for _, m := range records {
		if m.Summary != nil && !m.Aborted && (wanted == "" || m.Game == wanted) {
			results = append(results, *m.Summary)
		}
	}
	answer(w, newStandings(results), nil)
}

package web

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
)

// standings are the results of the players: in a tournament, or in all finished matches.
type standings struct {
	*arena.Ranking
	Matches int       `json:"matches"` // that have ended
	Live    []outline `json:"live"`
	// Of a tournament: its heading, the maximum number of matches, and its test.
	heading
	Planned int         `json:"planned,omitempty"`
	Test    *arena.SPRT `json:"test,omitempty"`
}

// newStandings counts the records that pass a filter, or the results of tournament t if t is not nil and the filter passes all.
func newStandings(records []*arena.Record, t *distributed.Status, f filter) *standings {
	s := &standings{Live: []outline{}}
	var ledger *arena.Ledger
	if t != nil && f.isAll() {
		ledger = arena.NewLedger(&t.Plan)
		s.heading, s.Planned, s.Test = newHeading(t), t.Plan.Matches(), t.Plan.Test
	}
	var results []arena.Result
	for _, m := range records {
		number := 0
		if ledger != nil {
			var ok bool
			if number, ok = t.Number(m.Match); !ok {
				continue
			}
		}
		switch {
		case !f.fits(m):
		case !m.Ended():
			if o := newOutline(m); o.Live {
				s.Live = append(s.Live, o)
			}
		case m.Summary == nil:
		case ledger != nil:
			ledger.Add(number, m.Counted())
		case !m.Aborted:
			results = append(results, m.Counted())
		}
	}
	if ledger != nil {
		s.Ranking = ledger.Ranking()
	} else {
		s.Ranking = arena.Rank(results)
	}
	s.Matches = len(s.Results)
	return s
}

// filter says which matches are asked for.
type filter struct {
	game    string
	players []string // all of them take part
	outcome string   // of the first player: won, drawn, lost, or errors
}

func newFilter(q url.Values) filter {
	return filter{game: q.Get("game"), players: q["player"], outcome: q.Get("outcome")}
}

func (f filter) isAll() bool { return f.game == "" && len(f.players) == 0 && f.outcome == "" }

func (f filter) fits(m *arena.Record) bool {
	if f.game != "" && m.Game != f.game {
		return false
	}
	for _, p := range f.players {
		if !slices.Contains(m.Players, p) {
			return false
		}
	}
	if f.outcome == "" || len(f.players) == 0 {
		return true
	}
	if m.Summary == nil {
		return false
	}
	first := slices.Index(m.Players, f.players[0])
	if f.outcome == "errors" {
		return m.Summary.Errors[first] > 0
	}
	return f.outcome == string(m.Summary.Outcome(first))
}

// fresh is how long standings are shown before they are counted again. Where counting
// takes long, they are shown for countingShare times as long.
const (
	fresh         = time.Second
	countingShare = 10
	maxShown      = 64 // queries
)

// counted are the standings that somebody looks at, by query.
type counted struct {
	mu    sync.Mutex
	until time.Time
	shown map[string]*shown
}

// shown are standings as they are sent.
type shown struct {
	event []byte
	plot  func() []byte
}

// standings returns the standings of a query, counted once for all readers.
func (s *Server) standings(query url.Values) (*shown, time.Time, error) {
	c := &s.counted
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	if began.After(c.until) || len(c.shown) >= maxShown {
		c.shown, c.until = make(map[string]*shown), began.Add(fresh)
	}
	key := query.Encode()
	if known := c.shown[key]; known != nil {
		return known, c.until, nil
	}
	records, err := s.Archive.List()
	if records == nil && err != nil {
		return nil, c.until, err
	}
	t, err := s.tournament(query)
	if err != nil {
		return nil, c.until, err
	}
	now := newStandings(records, t, newFilter(query))
	now.Results = nil // there may be thousands
	plot := sync.OnceValue(new(*now.Ranking).Plot)
	now.LLRs, now.Bounds = nil, nil // the plot has them
	c.shown[key] = &shown{event("standings", now), plot}
	if until := time.Now().Add(countingShare * time.Since(began)); until.After(c.until) {
		c.until = until
	}
	return c.shown[key], c.until, nil
}

// plotStandings sends the plot of standings.
func (s *Server) plotStandings(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	query.Del("matches") // a browser asks anew for another address
	now, _, err := s.standings(query)
	if err != nil {
		s.writeJSON(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'") // of the drawing
	// The browser is gone if it fails.
	_, _ = w.Write(now.plot())
}

// followStandings sends standings whenever they change.
func (s *Server) followStandings(e *stream, r *http.Request) error {
	var sent []byte
	for {
		now, until, err := s.standings(r.URL.Query())
		if err != nil {
			return err
		}
		if !bytes.Equal(now.event, sent) {
			if err := e.send(now.event); err != nil {
				return err
			}
			sent = now.event
		}
		if err := awaitNews(e, time.After(time.Until(until)+time.Millisecond)); err != nil {
			return err
		}
	}
}

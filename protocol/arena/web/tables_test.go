package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/arena"
)

// seated is a table as a browser with all its keys sees it.
type seated struct {
	t    *testing.T
	url  string
	keys map[string]string
	next func(into any) bool
	seatsView
	Moves    [][]string
	Position Position
	events   [][]byte
}

// sitDown opens a table.
func sitDown(t *testing.T, url string, o opening) *seated {
	t.Helper()
	var reply opened
	if status := ask(t, url+"/api/tables", o, &reply); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	return comeTo(t, url, reply)
}

// comeTo follows a table from its first event.
func comeTo(t *testing.T, url string, o opened) *seated {
	t.Helper()
	s := &seated{t: t, url: url + "/api/tables/" + o.Table, keys: o.Keys}
	s.next = events(t, s.url)
	s.until("the first position", func() bool { return true })
	return s
}

// read reads an event of the stream.
func (s *seated) read() bool {
	s.t.Helper()
	var raw json.RawMessage
	if !s.next(&raw) {
		return false
	}
	s.events = append(s.events, raw)
	if strings.HasPrefix(string(raw), `{"table"`) {
		s.seatsView = seatsView{}
		return json.Unmarshal(raw, &s.seatsView) == nil
	}
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		s.t.Fatalf("%v: %s", err, raw)
	}
	if p.Match != "" {
		s.Moves = nil
	}
	s.Moves = append(s.Moves, p.Moves...)
	if p.Position != nil {
		lines := strings.Split(s.Position.SVG, "\n")
		s.Position = *p.Position
		for i, line := range p.Position.Lines {
			lines[i] = line
		}
		if p.Position.Lines != nil {
			s.Position.SVG = strings.Join(lines, "\n")
		}
	}
	return true
}

// until reads the events of the table until seen reports true.
func (s *seated) until(what string, seen func() bool) {
	s.t.Helper()
	for s.Table == "" || s.Turn != len(s.Moves) || !seen() {
		if !s.read() {
			s.t.Fatalf("%s: the stream ends", what)
		}
	}
}

// act does something as one role, with its key alone.
func (s *seated) act(what, role, move string) int {
	s.t.Helper()
	return ask(s.t, s.url+"/"+what, act{Role: role, Key: s.keys[role], Turn: len(s.Moves), Move: move}, nil)
}

// play makes moves of x and o by turns.
func (s *seated) play(cells ...string) {
	s.t.Helper()
	for _, cell := range cells {
		turn := len(s.Moves)
		if status := s.act("move", []string{"x", "o"}[turn%2], "(mark "+cell+")"); status != http.StatusOK {
			s.t.Fatalf("%s: status %d", cell, status)
		}
		s.until(cell, func() bool { return len(s.Moves) == turn+1 })
	}
}

func TestTheFirstEventsOfATableHaveAllLists(t *testing.T) {
	_, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	for i, lists := range [][]string{{"roles"}, {"seats", "chosen", "choices"}} { // the page maps them
		var raw map[string]json.RawMessage
		must.OK(t, json.Unmarshal(s.events[i], &raw))
		for _, list := range lists {
			if text := string(raw[list]); !strings.HasPrefix(text, "[") {
				t.Errorf("%s: %s", list, text)
			}
		}
	}
}

func TestWhatAPlayerElsewhereSendsIsShownToNobody(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusTeapot} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "((secret")
		}))
		defer other.Close()
		s, url := page(t, 0, func(c *Config) {
			c.Player = func(string) (arena.Player, error) { return arena.Player{Name: "elsewhere", URL: other.URL}, nil }
		})
		at := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{"elsewhere", person}})
		want, moves := "a move was drawn", 1
		if status != http.StatusOK {
			want, moves = "does not answer", 0
		}
		at.until(want, func() bool { return len(at.Moves) == moves && strings.Contains(at.Note, want) })
		text, err := json.Marshal(at.events)
		if err != nil || strings.Contains(string(text), "secret") || strings.Contains(string(text), "418") {
			t.Errorf("status %d: %v, %s", status, err, text)
		}
		all, err := s.Archive.List()
		if err != nil || len(all) != moves {
			t.Fatalf("%v, %d records", err, len(all))
		}
		if moves == 0 {
			continue
		}
		if r, err := s.Archive.Read(all[0].Match); err != nil || r.Errors[0][0] != arena.Unreadable {
			t.Errorf("status %d: %v, errors %v", status, err, r.Errors)
		}
	}
}

// crowd counts the players that think at a time.
type crowd struct {
	sloth
	now, most *atomic.Int32
}

func (c *crowd) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	return c.sloth.Play(ctx, told)
}

func TestPlayersAtTablesThinkAFewAtATime(t *testing.T) {
	var now, most atomic.Int32
	_, url := page(t, 0, func(c *Config) {
		c.Player = func(kind string) (arena.Player, error) {
			return arena.Player{Name: kind, New: func() protocol.Agent {
				return &crowd{sloth{after: 20 * time.Millisecond}, &now, &most}
			}}, nil
		}
	})
	var tables []*seated
	for range 4 * maxThinking {
		tables = append(tables, sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{"sloth", "sloth"}}))
	}
	for _, s := range tables {
		s.until("all games end", func() bool { return s.Goals != nil })
		if s.Note != "" {
			t.Errorf("who has waited played: %s", s.Note)
		}
	}
	if most.Load() > maxThinking {
		t.Errorf("%d players think at a time", most.Load())
	}
}

func TestWhatWasPlayedIsTakenBackIfAllPeopleAgree(t *testing.T) {
	_, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	s.play("1 1", "2 2")
	s.act("undo", "o", "")
	s.until("o asks", func() bool { return len(s.Asked["undo"]) == 1 })
	if len(s.Moves) != 2 || s.Asked["undo"][0] != "o" {
		t.Fatalf("x did not agree: %v, asked %v", s.Moves, s.Asked)
	}
	s.act("refuse", "x", "")
	s.until("x refuses", func() bool { return s.Asked == nil })
	s.act("undo", "o", "")
	s.until("o asks again", func() bool { return s.Asked != nil })
	s.act("undo", "x", "")
	s.until("both agree", func() bool { return len(s.Moves) == 1 })
	s.play("3 3")
	// The request is about this turn, and a player who plays on has not agreed.
	s.act("undo", "o", "")
	s.until("o asks", func() bool { return s.Asked != nil })
	s.play("1 2")
	if s.Asked != nil || len(s.Moves) != 3 {
		t.Errorf("x played on: %v, asked %v", s.Moves, s.Asked)
	}
	// A person who plays both sides needs no consent.
	ask(t, s.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: 3, Keys: s.keys}, nil)
	s.until("x for both", func() bool { return len(s.Moves) == 2 })
	// A key that is none agrees for nobody.
	ask(t, s.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: 2, Keys: map[string]string{"o": s.keys["x"]}}, nil)
	if s.until("x asks", func() bool { return s.Asked != nil || len(s.Moves) < 2 }); len(s.Moves) != 2 || !slices.Equal(s.Asked["undo"], []string{"x"}) {
		t.Errorf("with a wrong key: %v, asked %v", s.Moves, s.Asked)
	}
	s.act("refuse", "o", "")
	s.until("o refuses", func() bool { return s.Asked == nil })
	// After the end of a match the same holds, and o is to move again.
	s.play("1 2", "2 1", "1 3")
	s.until("x wins", func() bool { return s.Over })
	s.act("undo", "o", "")
	s.until("o asks", func() bool { return s.Asked != nil })
	s.act("refuse", "x", "")
	s.until("x refuses", func() bool { return s.Asked == nil })
	if !s.Over || len(s.Moves) != 5 {
		t.Fatalf("x did not agree: over %v, moves %v", s.Over, s.Moves)
	}
	s.act("undo", "o", "")
	s.act("undo", "x", "")
	s.until("both agree", func() bool { return len(s.Moves) == 3 })
	if s.Goals != nil || s.Asked != nil {
		t.Errorf("after the end: goals %v, asked %v", s.Goals, s.Asked)
	}
}

func TestAMatchIsWatchedBeforeItsPlayersAreReady(t *testing.T) {
	s, url := page(t, 0, nil)
	g := must.Get(s.library.get("ticTacToe"))(t)
	text := arena.RulesText(g.rules)
	head := &arena.Record{
		Match: "m", Game: "a folder/ticTacToe", Rules: arena.HashRules(text), Rulesheet: text, StartTime: time.Now(),
		Roles: []string{"x", "o"}, Players: []string{"a", "b"}, StartClock: 60, PlayClock: 60,
	}
	tell := s.Archive.Recorder()
	must.OK(t, tell(head))
	var p Position
	if status := ask(t, url+"/api/matches/m/position?turn=0", nil, &p); status != http.StatusOK || !strings.Contains(p.SVG, "<svg") {
		t.Errorf("status %d, %+v", status, p)
	}
	if status := ask(t, url+"/api/matches/m/position?turn=1", nil, nil); status != http.StatusNotFound {
		t.Errorf("turn 1: status %d", status)
	}
	head.Match, head.Opening = "n", [][]string{{"(mark 1 1)", "noop"}}
	must.OK(t, s.Archive.Recorder()(head))
	var refused struct{ Error string }
	if ask(t, url+"/api/matches/n/position?turn=0", nil, &refused); !strings.Contains(refused.Error, "get ready") {
		t.Errorf("with an opening: %q", refused.Error)
	}
}

func TestGamesOfFoldersArePlayedAndRecordedUnderTheirNames(t *testing.T) {
	s, url := page(t, 0, func(c *Config) {
		c.Rules = func(name string) (string, []byte, error) { return games.Source(strings.TrimPrefix(name, "my games/")) }
	})
	var begun map[string]string
	ask(t, url+"/api/matches", matchRequest{Game: "my games/ticTacToe", Players: []string{"sloth", "sloth"}, Start: 1, Play: 1}, &begun)
	if status := ask(t, url+"/api/matches/"+begun["match"]+"/position?turn=0", nil, nil); status != http.StatusOK {
		t.Errorf("%q: status %d", begun["match"], status)
	}
	table := sitDown(t, url, opening{Game: "my games/ticTacToe", Seats: []string{"sloth", "sloth"}})
	table.until("the end", func() bool { return table.Goals != nil })
	for {
		all := must.Get(s.Archive.List())(t)
		if len(all) == 2 && all[0].Ended() && all[1].Ended() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestRecordsOfTablesAreOfWhatWasPlayed(t *testing.T) {
	server, url := page(t, 0, nil)
	list := func() []*arena.Record {
		t.Helper()
		return must.Get(server.Archive.List())(t)
	}
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}, Moves: [][]string{{"(mark 2 2)", "noop"}, {"noop", "(mark 1 1)"}}})
	if len(list()) != 0 {
		t.Error("nothing has been played")
	}
	s.play("3 3", "1 2")
	r, err := server.Archive.Read(list()[0].Match)
	if err != nil || len(r.Moves) != 2 || len(r.States) != 3 || len(r.Opening) != 2 || r.Ended() || len(r.ReplyTimes) != 2 {
		t.Fatalf("after two moves: %v, %+v", err, r)
	}
	undo := func(to int) {
		t.Helper()
		ask(t, s.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: len(s.Moves), Keys: s.keys}, nil)
		s.until("undo", func() bool { return len(s.Moves) == to })
	}
	// ended waits for the records of matches that are over: the table shows the last move before.
	ended := func(count int) []*arena.Record {
		for {
			all := list()
			if len(slices.DeleteFunc(slices.Clone(all), func(r *arena.Record) bool { return !r.Ended() })) == count {
				return all
			}
			time.Sleep(time.Millisecond)
		}
	}
	s.play("1 3", "2 1", "3 1") // x has won
	if got := ended(1); len(got) != 1 || got[0].Summary.Goals[0] != 100 {
		t.Fatalf("x has won: %+v", got)
	}
	undo(6)
	undo(4)
	s.play("2 1", "1 3") // and now o has
	all := ended(2)
	slices.SortFunc(all, func(a, b *arena.Record) int { return len(a.Match) - len(b.Match) })
	if len(all) != 2 || !slices.Equal(all[0].Goals, []int{100, 0}) || !slices.Equal(all[1].Goals, []int{0, 100}) {
		t.Fatalf("x won, took it back and lost: %+v", all)
	}
	if r, err := server.Archive.Read(all[1].Match); err != nil || len(r.Opening) != 4 || len(r.Moves) != 2 || len(r.States) != 3 || r.Turns != 2 {
		t.Errorf("%v, %+v", err, r)
	}
	// All that was played here is taken back, and the opening, too.
	undo(4)
	undo(2)
	if undo(0); len(list()) != 2 {
		t.Errorf("%d records of two matches that were over", len(list()))
	}
	s.play("1 1")
	got, err := server.Archive.Read(s.Table)
	for _, r := range list() {
		if !r.Ended() {
			got, err = server.Archive.Read(r.Match)
		}
	}
	if err != nil || len(got.Opening) != 0 || len(got.Moves) != 1 || len(got.States) != 2 {
		t.Errorf("from the beginning: %v, %+v", err, got)
	}
	// In the middle of a match its record ends there, and another one begins.
	s.play("2 2", "3 3")
	undo(2)
	s.play("3 1")
	var under []*arena.Record
	for _, r := range list() {
		if !r.Ended() {
			under = append(under, r)
		}
	}
	if all := list(); len(all) != 4 || len(under) != 1 {
		t.Fatalf("%d records, %d of matches under way", len(all), len(under))
	}
	if r, err := server.Archive.Read(under[0].Match); err != nil || len(r.Opening) != 2 || len(r.Moves) != 1 || len(r.States) != 2 || r.Moves[0][0] != "(mark 3 1)" {
		t.Errorf("%v, %+v", err, r)
	}
	if r, err := server.Archive.Read(got.Match); err != nil || len(r.Moves) != 3 || !r.Aborted || r.Reason != "takeback" {
		t.Errorf("%v, %+v", err, r)
	}
	server.tables.close()
	<-server.tables.byID[s.Table].ended
	for _, r := range list() {
		if !r.Ended() {
			t.Errorf("a closed table leaves a match under way: %+v", r)
		}
	}
}

// The loser cannot take back the winner's move without consent. The continuation is another match, and the record of the first match stays.
func await(t *testing.T, s *Server, match string) *arena.Record {
	t.Helper()
	for range 500 {
		if r, err := s.Archive.Read(match); err == nil && r.Ended() {
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no record of %s", match)
	return nil
}

func TestWhoResignsHasLostAndPlaysAgainWithSeatsSwapped(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, vacant}})
	if status := s.act("rematch", "x", ""); status != http.StatusBadRequest {
		t.Errorf("a rematch of a match that goes on: status %d", status)
	}
	var o opened
	ask(t, s.url+"/sit", act{Role: "o"}, &o)
	s.keys["o"] = o.Keys["o"]
	s.play("1 1")
	// It is o's turn; x gives up all the same.
	if status := s.act("resign", "x", ""); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	s.until("o has won", func() bool { return s.Goals != nil })
	if !slices.Equal(s.Goals, []int{0, 100}) || s.Resigned != "x" || s.Note != "x has resigned" || s.Score != nil {
		t.Errorf("%+v", s.seatsView)
	}
	r := await(t, server, "page.ticTacToe."+s.Table)
	if !r.Completed || !r.Forfeit || r.Trace().Final.Terminal || r.Summary.Outcome(1) != arena.Won {
		t.Errorf("%+v", r)
	}
	s.act("rematch", "o", "")
	s.until("o wants a rematch", func() bool { return len(s.Asked["rematch"]) == 1 })
	var next opened
	if ask(t, s.url+"/rematch", act{Role: "x", Key: s.keys["x"]}, &next); next.Table == s.Table || len(next.Keys) != 1 || next.Keys["o"] == "" {
		t.Fatalf("x plays o at %+v", next)
	}
	s.until("the other is told where", func() bool { return s.Next == next.Table })
	var other opened
	if ask(t, s.url+"/rematch", act{Role: "o", Key: s.keys["o"]}, &other); other.Table != next.Table || other.Keys["x"] == "" {
		t.Fatalf("o plays x at %+v", other)
	}
	if status := ask(t, s.url+"/rematch", act{Role: "o", Key: "?"}, nil); status != http.StatusForbidden {
		t.Errorf("a stranger gets a seat: status %d", status)
	}
	again := comeTo(t, url, opened{next.Table, map[string]string{"x": other.Keys["x"], "o": next.Keys["o"]}})
	again.until("the score", func() bool { return slices.Equal(again.Score, []float64{1, 0}) })
	again.play("1 1", "2 1", "1 2", "2 2", "1 3") // x wins again
	again.until("the score of two games", func() bool { return slices.Equal(again.Score, []float64{2, 0}) })
}

func TestAClockWithIncrementIsForTheWholeMatch(t *testing.T) {
	server, url := page(t, 0, nil)
	const limit, pause = 3600, 20 * time.Millisecond
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}, Limit: limit, Increment: 0.4})
	left := func(role int) float64 { return s.Clocks[role].Left }
	s.until("x's clock runs", func() bool { return !s.Clocks[0].Due.IsZero() })
	time.Sleep(pause)
	s.play("1 1")
	s.until("o's clock runs", func() bool { return !s.Clocks[1].Due.IsZero() && s.Clocks[0].Due.IsZero() })
	if used := limit + 0.4 - left(0); used < pause.Seconds()*0.9 || used > limit || left(1) != limit {
		t.Errorf("x has %v left, o %v", left(0), left(1))
	}
	s.play("2 2")
	table := server.tables.byID[s.Table]
	table.mu.Lock()
	table.seats[1].left = time.Millisecond
	table.mu.Unlock()
	s.play("3 3")
	s.until("o loses on time", func() bool { return s.Goals != nil })
	if !slices.Equal(s.Goals, []int{100, 0}) || s.Note != "o ran out of time" || len(s.Moves) != 3 {
		t.Errorf("%+v", s.seatsView)
	}
}

func TestAPlayerGoesOnWithAnotherStrength(t *testing.T) {
	server, url := page(t, 0, func(c *Config) {
		c.Player = func(kind string) (arena.Player, error) {
			return arena.Player{Name: kind, New: func() protocol.Agent { return &sloth{} }}, nil
		}
	})
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, "weak"}})
	s.act("move", "x", "(mark 2 2)")
	s.until("o moves", func() bool { return len(s.Moves) == 2 })
	ask(t, s.url+"/strength", act{Role: "x", Key: s.keys["x"], Of: "o", Kind: "strong"}, nil)
	s.until("another player", func() bool { return s.Seats[1] == "strong" })
	if status := ask(t, s.url+"/strength", act{Role: "x", Key: s.keys["x"], Of: "x", Kind: "strong"}, nil); status < 400 {
		t.Errorf("a person is replaced: status %d", status)
	}
	ask(t, s.url+"/move", act{Role: "x", Key: s.keys["x"], Turn: 2, Move: "(mark 3 3)"}, nil)
	s.until("o moves on", func() bool { return len(s.Moves) == 4 })
	first, second := await(t, server, "page.ticTacToe."+s.Table), "page.ticTacToe."+s.Table+".2"
	r, err := server.Archive.Read(second)
	if err != nil || !first.Aborted || first.Players[1] != "weak" || r.Players[1] != "strong" || len(r.Opening) != 2 {
		t.Errorf("%v: %+v, %+v", err, first, r)
	}
}

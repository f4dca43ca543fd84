package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/player/analysis"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// sloth is a player that makes the first legal move after a while.
type sloth struct {
	after time.Duration
	match protocol.Match
}

func (a *sloth) Start(_ context.Context, m protocol.Match) error { a.match = m; return nil }
func (a *sloth) Stop([][]gdl.Term)                               {}
func (a *sloth) Abort()                                          {}

func (a *sloth) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	select {
	case <-time.After(a.after):
	case <-ctx.Done():
		return gdl.Term{}, ctx.Err()
	}
	prover := prover.New(a.match.Game)
	facts, err := prover.Initial(ctx)
	for _, joint := range told[1:] {
		if err == nil {
			facts, err = prover.Next(ctx, facts, protocol.Texts(joint))
		}
	}
	if err != nil {
		return gdl.Term{}, err
	}
	legal, err := prover.Legal(ctx, facts, a.match.Role, 0)
	if err != nil {
		return gdl.Term{}, err
	}
	return gdl.ParseTerm(legal[0])
}

// page serves a page whose player takes a time for each move.
func page(t *testing.T, after time.Duration, change func(*Config)) (*Server, string) {
	t.Helper()
	archive := must.Get(arena.OpenArchive(t.TempDir()))(t)
	c := Config{
		Games: []Source{{Name: "ticTacToe", From: "built-in"}}, Rules: games.Source, Players: []string{"sloth"}, Archive: archive,
		Compile: func(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
			return reasoner.New(ctx, g, reasoner.Options{})
		},
		Class: func(context.Context, machine.Machine) string { return "a game" },
		Player: func(kind string) (arena.Player, error) {
			if kind != "sloth" {
				return arena.Player{}, errors.New("nobody is called " + kind)
			}
			return arena.Player{Name: kind, New: func() protocol.Agent { return &sloth{after: after} }}, nil
		},
		Analyse: func(ctx context.Context, g *gdl.Game, m machine.Machine, q machine.State, report func(any)) error {
			analyst := analysis.Analyst{Threads: 1, Bytes: 16 << 20, Log: zerolog.Nop()}
			return analyst.Analyse(ctx, g, m, q, func(a *analysis.Analysis) { report(a) })
		},
		Log: zerolog.Nop(),
	}
	if change != nil {
		change(&c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := must.Get(New(ctx, c))(t)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
		s.tables.close()
		s.underWay.Wait()
	})
	return s, server.URL
}

// ask sends JSON and reads the answer; it returns the status.
func ask(t *testing.T, url string, body, into any) int {
	t.Helper()
	text := must.Get(json.Marshal(body))(t)
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(text)))(t)
	response := must.Get(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	if into != nil {
		must.OK(t, json.NewDecoder(response.Body).Decode(into))
	}
	return response.StatusCode
}

// dial opens a stream.
func dial(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// hear reads an event of a stream. Its kind is "" after the last event.
func hear(t *testing.T, conn *websocket.Conn) (kind string, value json.RawMessage) {
	t.Helper()
	_, text, err := conn.Read(t.Context())
	if err != nil {
		return "", nil
	}
	must.OK(t, json.Unmarshal(text, &[]any{&kind, &value}))
	return kind, value
}

// refusal returns the error with which a stream ends, "" if its first event is no error.
func refusal(t *testing.T, url string) (text string) {
	t.Helper()
	if kind, value := hear(t, dial(t, url)); kind == "failed" {
		must.OK(t, json.Unmarshal(value, &text))
	}
	return text
}

// events returns a function that reads the next object of a stream, and reports whether there is one.
func events(t *testing.T, url string) (next func(into any) bool) {
	t.Helper()
	conn := dial(t, url)
	return func(into any) bool {
		for {
			kind, value := hear(t, conn)
			switch {
			case kind == "" || kind == "end" || kind == "failed":
				return false
			case value[0] == '{':
				return json.Unmarshal(value, into) == nil
			}
		}
	}
}

func TestATableIsPlayedWithAPlayerAndMovesAreTakenBack(t *testing.T) {
	_, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, "sloth"}})
	until := func(turns int) {
		t.Helper()
		s.until(fmt.Sprint("turn ", turns), func() bool { return len(s.Moves) == turns && (s.Goals != nil || !s.Chosen[0]) })
	}
	act := func(what string, turn int, move string) int {
		return ask(t, s.url+"/"+what, act{Role: "x", Key: s.keys["x"], Turn: turn, Move: move}, nil)
	}
	until(0)
	if status := act("move", 0, "(mark 2 2)"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	until(2)
	for what, status := range map[string]int{
		"an old turn":   act("move", 0, "(mark 3 3)"),
		"an old move":   act("move", 2, "(mark 2 2)"),
		"no such act":   act("stand", 2, ""),
		"a wrong key":   ask(t, s.url+"/move", map[string]any{"role": "x", "key": "?", "turn": 2, "move": "(mark 3 3)"}, nil),
		"a taken chair": act("sit", 2, ""),
	} {
		if status < 400 || status >= 500 {
			t.Errorf("%s: status %d", what, status)
		}
	}
	if status := act("undo", 2, ""); status != http.StatusOK {
		t.Fatalf("undo: status %d", status)
	}
	until(0)
	act("move", 0, "(mark 1 1)")
	until(2)
}

func TestAChoiceIsSecretUntilAllHaveChosen(t *testing.T) {
	_, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "rockPaperScissors", Seats: []string{person, person}})
	s.act("move", "row", "rock")
	s.until("a choice", func() bool { return s.Chosen[0] && !s.Chosen[1] })
	for _, text := range s.events {
		if strings.Contains(string(text), `rock"`) {
			t.Errorf("the choice shows: %s", text)
		}
	}
	s.act("move", "column", "paper")
	s.until("both choices", func() bool { return len(s.Moves) == 1 })
	if s.Moves[0][0] != "rock" || s.Moves[0][1] != "paper" || s.Goals == nil {
		t.Errorf("after both choices: %v, %+v", s.Moves, s.seatsView)
	}
}

func TestManyWatchOneMatchAtOnce(t *testing.T) {
	const watchers = 200
	before := soon
	t.Cleanup(func() { soon = before })
	soon = time.Hour // on a busy machine, too, every turn is news
	s, url := page(t, 150*time.Millisecond, nil)
	var m map[string]string
	if status := ask(t, url+"/api/matches", matchRequest{Game: "ticTacToe", Players: []string{"sloth", "sloth"}, Start: 1, Play: 1}, &m); status != http.StatusOK {
		t.Fatalf("status %d: %v", status, m)
	}
	var all sync.WaitGroup
	counts := make([]int, watchers)
	late := make([]time.Duration, watchers) // from a turn to its picture at the watcher
	for i := range watchers {
		next := events(t, url+"/api/matches/"+m["match"])
		all.Go(func() {
			for {
				var part struct {
					arena.Record
					Position *struct {
						SVG   string // the picture comes with the turn, or the lines that differ
						Lines map[int]string
					}
				}
				if !next(&part) {
					return
				}
				counts[i] += len(part.Moves)
				if len(part.Moves) > 0 && counts[i] > 2 { // all are there by then
					if part.Position == nil || !strings.Contains(part.Position.SVG+fmt.Sprint(part.Position.Lines), "piece") {
						t.Errorf("turn %d has no picture", counts[i])
						return
					}
					late[i] = max(late[i], time.Since(part.StateTimes[0]))
				}
			}
		})
	}
	all.Wait()
	record, err := s.Archive.Read(m["match"])
	if err != nil || !record.Completed {
		t.Fatalf("the match: %v, %+v", err, record)
	}
	worst := time.Duration(0)
	for i, n := range counts {
		worst = max(worst, late[i])
		if n != record.Turns {
			t.Fatalf("watcher %d saw %d turns of %d", i, n, record.Turns)
		}
	}
	t.Logf("%d watchers have the pictures of %d turns, %v after these were played at worst", watchers, record.Turns, worst)
	for range 3000 { // the last of them may be on its way out
		s.watched.mu.Lock()
		left := len(s.watched.byID)
		s.watched.mu.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the match is told though nobody watches it")
}

func TestATournamentIsFollowed(t *testing.T) {
	plan := arena.Tournament{
		Games: []arena.Game{{Name: "g", Roles: 2}, {Name: "h", Roles: 2}}, Players: []string{"a", "b"}, Rounds: 2,
		Test: &arena.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05},
	}
	s, url := page(t, 0, func(c *Config) {
		c.Tournaments = distributed.NewTournaments(t.Context(), c.Archive, nil, c.Log)
		e := &distributed.Event{Run: "t", Plan: plan, Rules: []string{"", ""}, Specs: plan.Players}
		must.OK(t, e.Save(filepath.Join(c.Archive.Dir(), distributed.Folder, "tournament.json")))
	})
	var fixtures []arena.Fixture
	for f := range plan.Fixtures() {
		fixtures = append(fixtures, f)
	}
	play := func(n int, goals ...int) {
		t.Helper()
		f := fixtures[n]
		r := &arena.Record{Match: fmt.Sprintf("t.%d", n), Game: plan.Games[f.Game].Name, Roles: []string{"x", "y"}, StartTime: time.Now(), States: [][]string{{}}, Goals: goals, Completed: goals != nil}
		for _, p := range f.Players {
			r.Players = append(r.Players, plan.Players[p])
		}
		r.StartErrors = make([]string, 2)
		if goals != nil {
			r.Summary = new(r.Result())
		}
		must.OK(t, s.Archive.Keep(r))
	}
	next := events(t, url+"/api/standings")
	var got standings
	if !next(&got) || got.Planned != 8 || got.Run != "t" || got.Kind != "test" || got.State != distributed.Paused || got.Matches != 0 || got.Test == nil {
		t.Fatalf("at first: %+v", got)
	}
	play(0, 100, 0)
	play(1, 0, 100) // a again, as the second role
	play(3)         // under way
	for got = (standings{}); got.Matches < 2 || len(got.Live) == 0; {
		got = standings{}
		if !next(&got) {
			t.Fatal("the standings do not change")
		}
	}
	if got.Standings[0].Wins != 2 || got.LLRs != nil || got.LLR == nil || got.Outcomes[4].Pairs != 1 || got.Live[0].Match != "t.3" || len(got.Pairs) != 1 || got.Pairs[0].Score != 1 {
		t.Errorf("%+v", got)
	}
	for query, want := range map[string]string{"": "sequential test", "matches=2": "all games", "tournament=x": "no tournament"} {
		response := must.Get(http.Get(url + "/api/standings/plot?" + query))(t)
		text, _ := io.ReadAll(response.Body)
		if response.Body.Close(); !strings.Contains(string(text), want) || (response.StatusCode == http.StatusOK) != strings.HasPrefix(string(text), "<svg") {
			t.Errorf("the plot of %q: %s, %.200s", query, response.Status, text)
		}
	}
	broken := &arena.Record{Match: "t.4", StartClock: 1, PlayClock: 1, Written: time.Now().Add(-time.Hour)}
	if o := newOutline(broken); o.Live || o.Reason != "interrupted" {
		t.Errorf("a match whose manager has been killed is shown as %+v", o)
	}
	for query, want := range map[string]int{
		"": 3, "player=a&outcome=won": 2, "player=b&outcome=lost": 2, "player=b&outcome=won": 0, "game=g": 2, "player=a&player=b&game=h": 1, "player=c": 0, "outcome=errors&player=a": 0, "skip=3": 3,
	} {
		var list listing
		if ask(t, url+"/api/matches?"+query, nil, &list); list.Count != want {
			t.Errorf("%s: %d matches, want %d", query, list.Count, want)
		}
	}
}

func TestStandingsOfEverNewQueriesAreForgotten(t *testing.T) {
	s, url := page(t, 0, nil)
	s.counted.until = time.Now().Add(time.Hour) // counting takes minutes
	s.counted.shown = make(map[string]*shown)
	for i := range 3 * maxShown {
		if status := ask(t, fmt.Sprint(url, "/api/standings/plot?game=g", i), nil, nil); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		if n := len(s.counted.shown); n > maxShown {
			t.Fatalf("%d standings are kept", n)
		}
	}
}

func TestPlotsHaveNamesAsText(t *testing.T) {
	s, url := page(t, 0, nil)
	const name = `<script>alert(1)</script>"&`
	r := &arena.Record{
		Match: "m", Game: name, Roles: []string{"x", "y"}, Players: []string{name, "b"}, StartTime: time.Now(), States: [][]string{{}},
		StartErrors: make([]string, 2), Goals: []int{100, 0}, Completed: true,
	}
	r.Summary = new(r.Result())
	must.OK(t, s.Archive.Keep(r))
	response := must.Get(http.Get(url + "/api/standings/plot"))(t)
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if !strings.Contains(string(text), "&lt;script&gt;") || strings.Contains(string(text), "<script") {
		t.Errorf("%s", text)
	}
	if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "script-src") {
		t.Errorf("the policy of a plot is %q", policy)
	}
}

func TestRulesAreToldAsClauses(t *testing.T) {
	_, url := page(t, 0, nil)
	var told inWords
	if status := ask(t, url+"/api/told?game=ticTacToe", nil, &told); status != http.StatusOK || !strings.HasPrefix(told.Clauses, "(role x)") {
		t.Errorf("status %d, %+v", status, told)
	}
}

func TestUploadsAreBounded(t *testing.T) {
	s, url := page(t, 0, nil)
	for i := range maxUploads + 3 {
		response := must.Get(http.Post(url+"/api/rules", "text/plain", strings.NewReader(fmt.Sprintf("(role r%d)", i))))(t)
		response.Body.Close()
	}
	if n := len(s.library.uploads); n != maxUploads {
		t.Errorf("%d uploads", n)
	}
	response := must.Get(http.Post(url+"/api/rules", "text/plain", strings.NewReader(strings.Repeat("; too long\n", maxUpload/8))))(t)
	response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long rulesheet: %s", response.Status)
	}
}

func TestRecordsThatCannotBeReadShowNoPaths(t *testing.T) {
	s, url := page(t, 0, nil)
	must.OK(t, os.WriteFile(filepath.Join(s.Archive.Dir(), "odd.jsonl"), []byte("[1]\n"), 0o600))
	for match, want := range map[string]string{"missing": "there is no match missing", "odd": "odd.jsonl"} {
		kind, note := hear(t, dial(t, url+"/api/matches/"+match))
		if kind != "end" || !strings.Contains(string(note), want) || strings.Contains(string(note), s.Archive.Dir()) {
			t.Errorf("the stream of %s: %s %s", match, kind, note)
		}
		for _, path := range []string{"/position?turn=0", "/record", "/record?as=ggp"} {
			response := must.Get(http.Get(url + "/api/matches/" + match + path))(t)
			text, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if !strings.Contains(string(text), want) || strings.Contains(string(text), s.Archive.Dir()) {
				t.Errorf("%s%s: status %d, %s", match, path, response.StatusCode, text)
			}
		}
	}
}

func TestNamesThatNoFileHasAreNotFound(t *testing.T) {
	_, url := page(t, 0, nil)
	for _, path := range []string{"/%ff%fe", "/%00", "/nosuch", "/..%2f..%2fetc%2fpasswd", "/a%5c..%5cb", "/" + strings.Repeat("a", 70_000), "/api/matches/%ff%fe/position?turn=0"} {
		if status := ask(t, url+path, nil, nil); status != http.StatusNotFound {
			t.Errorf("%.40s: status %d", path, status)
		}
	}
}

func TestStrangersNeedTheToken(t *testing.T) {
	_, url := page(t, 0, func(c *Config) { c.Token = "secret" })
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(path, header string) *http.Response {
		t.Helper()
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil))(t)
		if header != "" {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		response := must.Get(client.Do(r))(t)
		response.Body.Close()
		return response
	}
	for path, want := range map[string]int{"/": 401, "/?token=wrong": 401, "/api/games": 401, "/api/games?token=secret": 401, "/?token=secret": 303} {
		if got := get(path, "").StatusCode; got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
	shown := get("/?token=secret", "").Header.Get("Set-Cookie")
	if !strings.Contains(shown, "HttpOnly") || !strings.Contains(shown, "SameSite=Lax") {
		t.Errorf("cookie %q", shown)
	}
	given, _, _ := strings.Cut(shown, ";")
	if got := get("/api/games", "Cookie: "+given).StatusCode; got != http.StatusOK {
		t.Errorf("with the cookie: status %d", got)
	}
	if got := get("/api/games", "Authorization: Bearer secret").StatusCode; got != http.StatusOK {
		t.Errorf("with the token: status %d", got)
	}
}

func TestRecordsWithoutTheirRulesAreShownAsFacts(t *testing.T) {
	s, url := page(t, 0, nil)
	r := arena.Record{Match: "old", Game: "lost", Roles: []string{"a"}, Players: []string{"p"}, States: [][]string{{"(at 1)"}, {"(at 2)"}}, Moves: [][]string{{"go"}}, Goals: []int{7}, Completed: true}
	text, _ := json.Marshal(r)
	must.OK(t, os.WriteFile(s.Archive.Dir()+"/old.json", text, 0o600))
	var v Position
	if status := ask(t, url+"/api/matches/old/position?turn=1", nil, &v); status != http.StatusOK || v.SVG != "" || len(v.Facts) != 1 || v.Goals[0] != 7 {
		t.Errorf("status %d: %+v", status, v)
	}
	if status := ask(t, url+"/api/matches/old/position?turn=2", nil, nil); status != http.StatusNotFound {
		t.Errorf("a turn too many: status %d", status)
	}
	if status := ask(t, url+"/api/matches/old/position?turn=-1", nil, nil); status != http.StatusBadRequest {
		t.Errorf("a turn before the first one: status %d", status)
	}
	var list listing
	if ask(t, url+"/api/matches", nil, &list); list.Count != 1 || list.Matches[0].Live {
		t.Errorf("list %+v", list)
	}
	var standing standings
	if next := events(t, url+"/api/standings"); !next(&standing) || len(standing.Standings) != 1 || standing.Standings[0].Points != 7 {
		t.Errorf("standings %+v", standing)
	}
}

// Rules with a fault that game managers read in their way are played, and the fault stays an error.
func TestRulesThatAreOnlyPlayedHaveAnError(t *testing.T) {
	_, url := page(t, 0, nil)
	rules := "(role a) (init (at 1)) (<= (legal a go) (true (at 1))) (<= (next (at 2)) (does a go)) (<= terminal (true (at 2))) (goal a 1000)"
	response := must.Get(http.Post(url+"/api/check", "text/plain", strings.NewReader(rules)))(t)
	defer response.Body.Close()
	var found gameView
	must.OK(t, json.NewDecoder(response.Body).Decode(&found))
	var errors []string
	for _, f := range found.Findings {
		if f.Grave {
			errors = append(errors, f.Code)
		}
	}
	if !found.Valid || !slices.Equal(errors, []string{"E028"}) {
		t.Errorf("playable %v, errors %v, want E028 of rules that are played", found.Valid, errors)
	}
}

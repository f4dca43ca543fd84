package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/player/analysis"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

func TestAnalysesQueueAndSaySo(t *testing.T) {
	_, url := page(t, 0, func(c *Config) {
		c.Analyse = func(ctx context.Context, _ *gdl.Game, _ machine.Machine, _ machine.State, report func(any)) error {
			report(analysis.Analysis{Method: "none"})
			<-ctx.Done()
			return nil
		}
	})
	query := url + "/api/analyse?game=ticTacToe&seconds=60"
	leave := make(chan func() error, maxSearches)
	for range maxSearches {
		conn := dial(t, query)
		leave <- conn.CloseNow
		if kind, _ := hear(t, conn); kind != "analysis" {
			t.Fatalf("an analysis begins with %s", kind)
		}
	}
	next := events(t, query)
	var a analysis.Analysis
	if !next(&a) || a.Note != "waiting: place 1 in the queue" {
		t.Fatalf("one analysis more: %+v", a)
	}
	second := events(t, query)
	if a = (analysis.Analysis{}); !second(&a) || a.Note != "waiting: place 2 in the queue" {
		t.Fatalf("two analyses more: %+v", a)
	}
	must.OK(t, (<-leave)())
	if a = (analysis.Analysis{}); !next(&a) || a.Method != "none" {
		t.Errorf("after one has left: %+v", a)
	}
	if a = (analysis.Analysis{}); !second(&a) || a.Note != "waiting: place 1 in the queue" {
		t.Errorf("the last one: %+v", a)
	}
}

func TestThePageAnalysesPositions(t *testing.T) {
	_, url := page(t, 0, nil)
	analyse := func(game string) (a analysis.Analysis) {
		t.Helper()
		for next := events(t, url+"/api/analyse?seconds=60&game="+game); !a.Done; {
			if a = (analysis.Analysis{}); !next(&a) {
				t.Fatalf("%s: the stream ends without a result", game)
			}
		}
		return a
	}
	if a := analyse("nim-3.4"); !a.Solved || a.Lower[0] != 100 || a.Method != "exact" || len(a.Strategies[0]) == 0 || a.Matrix != nil {
		t.Errorf("nim: %+v, want a proved win of the first player", a)
	}
	a := analyse("goofspiel-3")
	if m := a.Matrix; !a.Solved || m == nil || m.Value == nil || *m.Value != 50 || len(m.RowLoss) != 3 || m.Cells[2][2].Kind != "proved" {
		t.Errorf("goofspiel: %+v, want the matrix of a drawn game", a)
	}
}

func TestBadRequestsForAnAnalysisAreRefused(t *testing.T) {
	_, url := page(t, 0, nil)
	long := "[" + strings.Repeat(`["(mark 1 1)","noop"],`, 2000) + "[]]"
	for query, want := range map[string]string{
		"game=nobody":                      "nobody",
		"game=..%2f..%2fetc":               "etc",
		"":                                 "game",
		"game=ticTacToe&moves=[[":          "expected a list of joint moves",
		"game=ticTacToe&moves={}":          "expected a list of joint moves",
		"game=ticTacToe&moves=[[]]":        "2 roles",
		"game=ticTacToe&moves=[[%22x%22]]": "2 roles",
		"game=ticTacToe&moves=" + neturl.QueryEscape(long): "at most 2000 moves",
	} {
		if text := refusal(t, url+"/api/analyse?"+query); !strings.Contains(text, want) {
			t.Errorf("%.60s: %q, want %q", query, text, want)
		}
	}
	for _, seconds := range []string{"NaN", "-1", "0", "x", "1e300", "Inf"} {
		var a analysis.Analysis
		if next := events(t, url+"/api/analyse?game=nim-3.4&seconds="+seconds); !next(&a) || len(a.Roles) != 2 {
			t.Errorf("%s seconds: %+v", seconds, a)
		}
	}
}

func TestARoomAdmitsInOrderAndForgetsWhoLeaves(t *testing.T) {
	r := newRoom("works", 1, 3)
	leave := must.Get(r.enter(t.Context(), nil))(t)
	type visit struct {
		name   string
		cancel func()
		place  chan int
		in     chan error
	}
	var all []visit
	for i := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		v := visit{fmt.Sprint(i), cancel, make(chan int, 9), make(chan error, 1)}
		go func() {
			_, err := r.enter(ctx, func(place int) { v.place <- place })
			v.in <- err
		}()
		if place := <-v.place; place != i+1 {
			t.Fatalf("%d waits at place %d", i, place)
		}
		all = append(all, v)
	}
	if _, err := r.enter(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "1 run and 3 wait") {
		t.Errorf("a full queue: %v", err)
	}
	all[0].cancel()
	if err := <-all[0].in; !errors.Is(err, context.Canceled) {
		t.Errorf("the first one left: %v", err)
	}
	for i := range 2 {
		if place := <-all[i+1].place; place != i+1 {
			t.Errorf("%d moved up to place %d", i+1, place)
		}
	}
	leave()
	leave() // once is enough
	if err := <-all[1].in; err != nil {
		t.Error(err)
	}
	select {
	case err := <-all[2].in:
		t.Errorf("two are inside: %v", err)
	case place := <-all[2].place:
		if place != 1 {
			t.Errorf("the last one is at place %d", place)
		}
	}
	if len(r.queue) != 1 || r.inside != 1 {
		t.Errorf("%d wait, %d are inside", len(r.queue), r.inside)
	}
}

func TestAGameThatWasNotCompiledInTimeIsCompiledAgain(t *testing.T) {
	var tries atomic.Int32
	faults := map[int32]error{1: fmt.Errorf("takes long: %w", context.DeadlineExceeded), 3: errors.New("never")}
	s, _ := page(t, 0, func(c *Config) {
		compile := c.Compile
		c.Compile = func(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
			if err := faults[tries.Add(1)]; err != nil {
				return nil, err
			}
			return compile(ctx, g)
		}
	})
	for i, works := range []bool{false, true, true} {
		if _, err := s.library.compiled(t.Context(), "ticTacToe"); (err == nil) != works {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	for range 2 {
		if _, err := s.library.compiled(t.Context(), "nim-3.4"); err == nil {
			t.Error("rules that cannot be compiled are compiled")
		}
	}
	if n := tries.Load(); n != 3 {
		t.Errorf("compiled %d times, want a time-out, a machine and a refusal", n)
	}
}

// stuck returns a Config whose compiler waits until the request leaves.
func stuck(began chan<- string) func(*Config) {
	return func(c *Config) {
		c.Compile = func(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
			began <- g.Roles[0].String()
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
}

func TestCompilationsQueueAndEndWithTheirRequests(t *testing.T) {
	began := make(chan string, 99)
	s, url := page(t, 0, stuck(began))
	ctx, leave := context.WithCancel(t.Context())
	for _, g := range []string{"nim-3.4", "nim-3.5"} {
		go func() { _, _ = s.library.compiled(ctx, g) }()
		<-began
	}
	if kind, place := hear(t, dial(t, url+"/api/class?game=ticTacToe")); kind != "queue" || string(place) != "1" {
		t.Errorf("%s: %s", kind, place)
	}
	leave()
	if role := <-began; role != "x" {
		t.Errorf("after the others have left, the game of %s is compiled", role)
	}
}

func TestTheIdlestTableMakesRoomAndIsOpenedAgain(t *testing.T) {
	s, url := page(t, 0, nil)
	o := opening{Game: "ticTacToe", Seats: []string{person, person}}
	looked := sitDown(t, url, o) // the oldest of all, but somebody looks
	first := sitDownAndLeave(t, s, url, o)
	ask(t, url+"/api/tables/"+first.Table+"/move", act{Role: "x", Key: first.Keys["x"], Move: "(mark 2 2)"}, nil)
	for {
		at := s.tables.byID[first.Table]
		at.mu.Lock()
		n := len(at.joints)
		at.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for range maxTables - 2 {
		sitDownAndLeave(t, s, url, o)
	}
	sitDownAndLeave(t, s, url, o)
	s.tables.mu.Lock()
	n, gone, kept := len(s.tables.byID), s.tables.byID[first.Table] == nil, s.tables.byID[looked.Table] != nil
	s.tables.mu.Unlock()
	if n != maxTables || !gone || !kept {
		t.Fatalf("%d tables; the idlest is gone: %v, the one that somebody looks at is kept: %v", n, gone, kept)
	}
	var list []listed
	s.tables.files.until = time.Time{} // as a second later
	ask(t, url+"/api/tables", nil, &list)
	if i := slices.IndexFunc(list, func(l listed) bool { return l.Table == first.Table }); i < 0 || !list[i].Resting {
		t.Errorf("the table is not listed as resting: %+v", list)
	}
	again := comeTo(t, url, first)
	if len(again.Moves) != 1 || again.Moves[0][0] != "(mark 2 2)" {
		t.Fatalf("moves %v", again.Moves)
	}
	if status := again.act("move", "o", "(mark 1 1)"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	again.until("the match goes on", func() bool { return len(again.Moves) == 2 })
}

// sitDownAndLeave opens a table at which nobody looks.
func sitDownAndLeave(t *testing.T, s *Server, url string, o opening) opened {
	t.Helper()
	var reply opened
	if status := ask(t, url+"/api/tables", o, &reply); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	return reply
}

func TestNoTableWithAViewerMakesRoom(t *testing.T) {
	s, url := page(t, 0, nil)
	o := opening{Game: "ticTacToe", Seats: []string{person, person}}
	for range maxTables {
		sitDownAndLeave(t, s, url, o)
	}
	for _, at := range s.tables.all() {
		at.look(1)
	}
	var refused struct{ Error string }
	if status := ask(t, url+"/api/tables", o, &refused); status != http.StatusServiceUnavailable || !strings.Contains(refused.Error, "all of the 64 tables are in use") {
		t.Errorf("status %d, %q", status, refused.Error)
	}
}

func TestClocksHaveOneBoundInTheFormTheViewAndTheClock(t *testing.T) {
	s, url := page(t, 0, nil)
	var c choices
	if ask(t, url+"/api/games", nil, &c); c.Clocks["limit"].Most != 24*3600 {
		t.Errorf("the form is offered %+v", c.Clocks)
	}
	at := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}, Limit: 3600})
	table := s.tables.byID[at.Table]
	table.mu.Lock()
	left := table.seats[0].left
	table.mu.Unlock()
	if at.Clocks[0].Left != 3600 || left != time.Hour {
		t.Errorf("an hour is shown as %v, and the clock has %v", at.Clocks[0].Left, left)
	}
	for name, o := range map[string]opening{
		"clock: want 0.1 to 600 seconds, got 601":       {Clock: 601},
		"clock: want 0.1 to 600 seconds, got -1":        {Clock: -1},
		"limit: want 0.1 to 86400 seconds, got 86400.5": {Limit: 86400.5},
		"limit: want 0.1 to 86400 seconds, got 0.01":    {Limit: 0.01},
		"increment: want 0 to 600 seconds, got 600.5":   {Increment: 600.5},
		"increment: want 0 to 600 seconds, got -1e+300": {Increment: -1e300},
	} {
		var refused struct{ Error string }
		o.Game, o.Seats = "ticTacToe", []string{person, person}
		if status := ask(t, url+"/api/tables", o, &refused); status != http.StatusBadRequest || refused.Error != name {
			t.Errorf("%s: status %d, %q", name, status, refused.Error)
		}
	}
}

func TestMovesTakenBackGiveTheirTimeBack(t *testing.T) {
	_, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, "sloth"}, Limit: 60, Increment: 30})
	for range 3 {
		s.act("move", "x", "(mark 2 2)")
		s.until("both move", func() bool { return len(s.Moves) == 2 })
		if left := s.Clocks[0].Left; left < 60 || left > 90 {
			t.Fatalf("after a move: %v s", left)
		}
		ask(t, s.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: 2, Keys: s.keys}, nil)
		s.until("undo", func() bool { return len(s.Moves) == 0 })
		if left := s.Clocks[0].Left; left != 60 {
			t.Fatalf("after taking it back: %v s", left)
		}
	}
}

func TestALossOnTimeThatIsTakenBackLeavesTheClock(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}, Limit: 3600, Increment: 30})
	const little = 400 * time.Millisecond
	table := server.tables.byID[s.Table]
	table.mu.Lock()
	table.seats[1].left, table.lefts[0][0], table.lefts[0][1] = little, little, little
	table.mu.Unlock()
	s.act("move", "x", "(mark 2 2)")
	s.until("o loses on time", func() bool { return s.Goals != nil })
	ask(t, s.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: 1, Keys: s.keys}, nil)
	s.until("undo", func() bool { return len(s.Moves) == 0 && s.Goals == nil })
	if left := s.Clocks[1].Left; left != little.Seconds() {
		t.Fatalf("o has %v s again", left)
	}
	// Another strength, say, is no way to more time within a turn either.
	s.until("the clock runs out", func() bool { return s.Goals != nil })
}

func TestErrorsShowNoPathsOfTheServer(t *testing.T) {
	dir := t.TempDir()
	_, url := page(t, 0, func(c *Config) {
		rules := c.Rules
		c.Rules = func(name string) (string, []byte, error) {
			if name != "missing" {
				return rules(name)
			}
			text, err := os.ReadFile(filepath.Join(dir, "missing.kif"))
			return "missing.kif", text, err
		}
	})
	for _, path := range []string{"game?game=record:x", "game?game=missing", "told?game=record:..%2f..%2fx", "position?game=record:x"} {
		var refused struct{ Error string }
		if status := ask(t, url+"/api/"+path, nil, &refused); status != http.StatusNotFound || showsPath(refused.Error, dir) {
			t.Errorf("%s: status %d, %q", path, status, refused.Error)
		}
	}
	for _, path := range []string{"tables/" + strings.Repeat("A", 10), "class?game=missing", "analyse?game=missing"} {
		if text := refusal(t, url+"/api/"+path); showsPath(text, dir) {
			t.Errorf("%s: %q", path, text)
		}
	}
}

// showsPath reports whether the text of an error is missing, or has a path of this machine.
func showsPath(text, dir string) bool {
	return text == "" || strings.Contains(text, string(filepath.Separator)+"tmp") || strings.Contains(text, dir)
}

func TestOnlyThePageItselfIsAnswered(t *testing.T) {
	_, url := page(t, 0, nil)
	host := strings.TrimPrefix(url, "http://")
	name, _, _ := strings.Cut(host, ":")
	for origin, want := range map[string]int{"": 200, url: 200, "http://" + name + ":1": 403, "http://" + name: 403, "null": 403, "http://evil.example": 403} {
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/games", nil))(t)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		response := must.Get(http.DefaultClient.Do(r))(t)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("origin %q: status %d, want %d", origin, response.StatusCode, want)
		}
		policy := response.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("the policy %q lacks %s", policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("the policy %q allows too much", policy)
		}
	}
}

// threeRoles are rules in which three roles choose once, at the same time.
const threeRoles = `(role a) (role b) (role c) (init begun)
(<= (legal ?r go) (role ?r)) (<= (next over) (does a go)) (<= terminal (true over)) (goal a 100) (goal b 50) (goal c 0)`

func TestARematchOfThreeMovesEverybodyASeatFurther(t *testing.T) {
	s, url := page(t, 0, func(c *Config) {
		c.Rules = func(string) (string, []byte, error) { return "three.kif", []byte(threeRoles), nil }
		c.Compile = func(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
			return reasoner.New(ctx, g, reasoner.Options{})
		}
	})
	at := sitDown(t, url, opening{Game: "three", Seats: []string{person, "sloth", vacant}})
	at.act("sit", "c", "")
	at.until("the end", func() bool { return at.Over })
	var next opened
	table := s.tables.byID[at.Table]
	table.mu.Lock()
	keys := map[string]string{"a": table.seats[0].key, "c": table.seats[2].key}
	table.mu.Unlock()
	if status := ask(t, at.url+"/rematch", act{Role: "a", Key: keys["a"], Keys: keys}, &next); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	again := comeTo(t, url, next)
	// The person of a is b, the player of b is c, the person of c is a; each keeps the points.
	if !slices.Equal(again.Seats, []string{person, person, "sloth"}) || !slices.Equal(again.Score, []float64{0, 1, 0.5}) {
		t.Errorf("seats %v, score %v", again.Seats, again.Score)
	}
	if len(next.Keys) != 2 || next.Keys["a"] == "" || next.Keys["b"] == "" {
		t.Errorf("keys of %v", next.Keys)
	}
	if alone := (opened{}); ask(t, at.url+"/rematch", act{Role: "c", Key: keys["c"]}, &alone) != http.StatusOK || len(alone.Keys) != 1 || alone.Keys["a"] != next.Keys["a"] {
		t.Errorf("who was c gets the keys of %v", alone.Keys)
	}
}

func TestAChessTurnIsSmallAndTheStreamIsCompacted(t *testing.T) {
	exhaustive.NotUnderRace(t, "draws chess for long; other tests of streams look at their goroutines")
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "chess", Seats: []string{person, person}})
	const most = 3000
	for turn := range 40 {
		seen := len(s.events)
		var legal struct {
			Turn  int
			Legal [][]struct{ Move string }
		}
		if ask(t, s.url+"/legal", nil, &legal); legal.Turn != turn {
			t.Fatalf("legal moves of turn %d", legal.Turn)
		}
		role := turn % 2
		s.act("move", s.roles()[role], legal.Legal[role][(turn*7)%len(legal.Legal[role])].Move)
		s.until("a move", func() bool { return len(s.Moves) == turn+1 })
		if size := len(slices.Concat(s.events[seen:]...)); size > most {
			t.Errorf("turn %d takes %d bytes", turn, size)
		}
	}
	again := comeTo(t, url, opened{Table: s.Table})
	again.until("the same turn", func() bool { return len(again.Moves) == len(s.Moves) })
	if again.Position.SVG != s.Position.SVG || !strings.Contains(s.Position.SVG, "<svg") {
		t.Error("a newcomer sees another board")
	}
	if n := len(again.events); n > compactAfter+2 {
		t.Errorf("a newcomer reads %d events", n)
	}
	at := server.tables.byID[s.Table]
	at.mu.Lock()
	defer at.mu.Unlock()
	if now := picture(at.game.layout, nil, at.at.Facts(), len(at.joints)); now.SVG != s.Position.SVG {
		t.Error("the lines of the stream make another drawing")
	}
}

// roles returns the roles of the table's game.
func (s *seated) roles() []string {
	for _, e := range s.events {
		if i := strings.Index(string(e), `"roles":["`); i >= 0 {
			list, _, _ := strings.Cut(string(e[i+10:]), `"]`)
			return strings.Split(list, `","`)
		}
	}
	return nil
}

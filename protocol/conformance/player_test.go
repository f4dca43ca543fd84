package conformance

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait for clocks much and compute little.
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// atLength skips a test that waits for clocks for seconds where tests are to be
// short.
func atLength(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for clocks; without -short")
	}
}

// follower is an agent that plays the first legal move of the position that it has
// been told of, after a time of thought where that takes any.
type follower struct {
	think time.Duration // over moves of hardRules
	at    *position
	role  int
	heard int
	abort chan struct{}
}

func (f *follower) Start(ctx context.Context, m protocol.Match) (err error) {
	f.abort = make(chan struct{})
	f.at, err = newPositionOf(ctx, m.Game)
	f.role = slices.Index(f.at.roles, m.Role)
	return err
}

func (f *follower) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	for _, terms := range told[f.heard:] {
		var joint []string
		for _, t := range terms {
			joint = append(joint, t.String())
		}
		if fault, err := f.at.fault(ctx, joint); fault == "" && err == nil {
			if err := f.at.advance(ctx, joint); err != nil {
				return gdl.Term{}, err
			}
		}
	}
	f.heard = len(told)
	if slices.Contains(f.at.fluents, "hard") {
		select {
		case <-time.After(f.think):
		case <-ctx.Done():
		case <-f.abort:
		}
	}
	legal, err := f.at.legal(ctx, f.role)
	if err != nil {
		return gdl.Term{}, err
	}
	return gdl.ParseTerm(legal[0])
}

func (f *follower) Stop([][]gdl.Term) {}

func (f *follower) Abort() { close(f.abort) }

// hardRules are those over which a follower thinks.
const hardRules = `(role me) (role you) (init hard) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r)) (next hard)
(<= (next (n ?m)) (true (n ?n)) (succ ?n ?m)) (<= terminal (true (n 7))) (<= (goal ?r 50) (role ?r))`

// endpoint is a player that keeps all the rules.
func endpoint(think time.Duration) http.Handler {
	return protocol.NewEndpoint("Follower", func() protocol.Agent { return &follower{think: think} }, zerolog.Nop())
}

// check runs the named checks, or all, on a player at a listener, with a play clock.
func check(t *testing.T, l net.Listener, h http.Handler, clock time.Duration, names ...string) map[string]Result {
	t.Helper()
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	server.Start()
	defer server.Close()
	defer server.CloseClientConnections()
	p := Player{URL: server.URL, StartClock: 2 * time.Second, PlayClock: clock, Hard: hardRules}
	checks := slices.DeleteFunc(slices.Clone(playerChecks), func(c playerCheck) bool {
		return len(names) > 0 && !slices.Contains(names, c.name)
	})
	if len(names) > 0 && len(checks) != len(names) {
		t.Fatalf("not all of %q are checks", names)
	}
	report, err := p.check(t.Context(), checks)
	if err != nil {
		t.Fatal(err)
	}
	results := make(map[string]Result)
	for _, r := range report.Checks {
		results[r.Check] = r
	}
	return results
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAPlayerThatKeepsTheRulesPassesEveryCheck(t *testing.T) {
	atLength(t)
	t.Parallel()
	for name, r := range check(t, listen(t), endpoint(600*time.Millisecond), 2*time.Second) {
		if r.Verdict != Pass {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// sabotage makes a player break a rule.
type sabotage func(player http.Handler) http.Handler

// refused stands for a refusal where an answer is expected.
const refused = "400"

// answering changes what the player says: it gets every message, and how the
// player would answer one.
func answering(f func(message string, r *http.Request, play func(message string) string) string) sabotage {
	return func(player http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				body = append(body, " CUT OFF"...)
			}
			answer := f(string(body), r, func(message string) string {
				return said(player, r, message).Body.String()
			})
			if answer == refused {
				http.Error(w, "no", http.StatusBadRequest)
				return
			}
			fmt.Fprint(w, answer)
		})
	}
}

// said is what a player answers to a message in place of that of a request.
func said(player http.Handler, r *http.Request, message string) *httptest.ResponseRecorder {
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(strings.NewReader(message))
	w := httptest.NewRecorder()
	player.ServeHTTP(w, again)
	return w
}

// saying gives one answer to all messages that contain a word.
func saying(word, answer string) sabotage {
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, word) {
			return answer
		}
		return play(message)
	})
}

// refusing refuses what it is true of.
func refusing(is func(message string, r *http.Request) bool) sabotage {
	return answering(func(message string, r *http.Request, play func(string) string) string {
		if is(message, r) {
			return refused
		}
		return play(message)
	})
}

func refusingText(part string) sabotage {
	return refusing(func(message string, _ *http.Request) bool { return strings.Contains(message, part) })
}

// delaying answers messages that contain a word later.
func delaying(word string, d time.Duration) sabotage {
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, word) {
			time.Sleep(d)
		}
		return play(message)
	})
}

// moving changes the moves of the player.
func moving(change func(message, move string) string) sabotage {
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		answer := play(message)
		if strings.Contains(strings.ToUpper(message), "PLAY") {
			return change(message, answer)
		}
		return answer
	})
}

// heading changes the header of every response.
func heading(change func(h http.Header)) sabotage {
	return func(player http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			answer := said(player, r, string(body))
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			change(w.Header())
			w.WriteHeader(answer.Code)
			if w.Header().Get("Content-Length") == "" {
				w.(http.Flusher).Flush()
			}
			w.Write(answer.Body.Bytes())
		})
	}
}

// thinking breaks a rule while the player thinks about a move.
func thinking(f func(message string, play func(string) string) string) sabotage {
	var busy atomic.Int32
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, "PLAY") {
			busy.Add(1)
			defer busy.Add(-1)
		} else if busy.Load() > 0 {
			return f(message, play)
		}
		return play(message)
	})
}

func TestEveryCheckOfPlayersFailsWhereItsRuleIsBroken(t *testing.T) {
	atLength(t)
	const slow = 1200 * time.Millisecond
	shout := func(_, move string) string { return strings.ToUpper(move) }
	broken := map[string]sabotage{
		"info":             saying("INFO", "((name x) (mood good))"),
		"ping":             saying("PING", "pong"),
		"preview":          refusingText("PREVIEW"),
		"case of the head": refusingText("Info"),
		"white space":      refusingText("\t"),
		"unknown match":    saying("nobody", "done"),
		"nonsense":         saying("FLY", "flying"),
		"broken rules":     saying("Nobody", "ready"),
		"deep nesting":     saying("((((((((", "deep"),
		"start":            delaying("START", 2*time.Second+slow/4),
		"busy while busy":  saying(".other", "ready"),
		"first move":       refusingText("none"),
		"whole match":      moving(func(_, move string) string { return strings.Replace(move, "Bee", "Dee", 1) }),
		"turns":            moving(func(_, move string) string { return strings.Replace(move, "Noop", "(Take 1)", 1) }),
		"replaced move":    repeating(func(told, _ string) bool { return strings.Count(told, "Go") == 2 }),
		"repeated message": repeating(func(told, before string) bool { return told != before }),
		"illegal joint move": answering(func() func(string, *http.Request, func(string) string) string {
			var lost atomic.Bool
			return func(message string, _ *http.Request, play func(string) string) string {
				if strings.Contains(message, "Fly") {
					lost.Store(true)
				}
				if lost.Load() && strings.Contains(message, "PLAY") {
					return refused
				}
				return play(message)
			}
		}()),
		"stop with NIL":          refusing(func(m string, _ *http.Request) bool { return strings.Contains(m, "STOP") && strings.Contains(m, "NIL") }),
		"abort":                  saying("ABORT", "ok"),
		"again":                  onceOnly("STOP", "START"),
		"case of heads":          refusingText("Stop"),
		"upper-cased moves":      moving(shout),
		"upper case":             moving(func(_, move string) string { return strings.ToLower(move) }),
		"white space in matches": refusing(func(m string, _ *http.Request) bool { return strings.Contains(m, "PLAY \t") }),
		"rules with comments":    refusingText("\r\n(role"),
		"rules without line breaks": refusing(func(m string, _ *http.Request) bool {
			return strings.Contains(m, "START") && strings.Count(m, "\n") < 3
		}),
		"extra arguments":      refusingText("(some thing)"),
		"large rules":          refusing(func(m string, _ *http.Request) bool { return len(m) > 100_000 }),
		"play clock":           delaying("PLAY", slow),
		"info while thinking":  thinking(func(m string, play func(string) string) string { time.Sleep(slow); return play(m) }),
		"start while thinking": thinking(func(string, func(string) string) string { return "ready" }),
		"abort while thinking": thinking(func(string, func(string) string) string { return "busy" }),
		"parallel messages": answering(func() func(string, *http.Request, func(string) string) string {
			var running atomic.Int32
			return func(message string, _ *http.Request, play func(string) string) string {
				defer running.Add(-1)
				if running.Add(1) > 3 {
					return refused
				}
				time.Sleep(20 * time.Millisecond)
				return play(message)
			}
		}()),
		"broken connections": answering(func(message string, _ *http.Request, play func(string) string) string {
			if id := matchID.FindString(message); strings.Contains(message, "CUT OFF") && id != "" {
				return play("(ABORT " + id + ")")
			}
			return play(message)
		}),
		"closing early": answering(func() func(string, *http.Request, func(string) string) string {
			var lost atomic.Bool
			return func(message string, r *http.Request, play func(string) string) string {
				if strings.Contains(message, "PLAY") {
					time.Sleep(50 * time.Millisecond)
					if lost.Load() {
						return refused
					}
					lost.Store(r.Context().Err() != nil)
				}
				return play(message)
			}
		}()),
		"HTTP 1.1":             refusing(func(_ string, r *http.Request) bool { return r.ProtoAtLeast(1, 1) }),
		"no content type":      refusing(func(_ string, r *http.Request) bool { return r.Header.Get("Content-Type") == "" }),
		"any path":             refusing(func(_ string, r *http.Request) bool { return r.URL.Path != "/" }),
		"GET":                  refusing(func(_ string, r *http.Request) bool { return r.Method == http.MethodGet }),
		"OPTIONS":              refusing(func(_ string, r *http.Request) bool { return r.Method == http.MethodOptions }),
		"cross-origin headers": heading(func(h http.Header) { h.Del("Access-Control-Allow-Origin") }),
		"content type":         heading(func(h http.Header) { h.Set("Content-Type", "text/html") }),
		"content length":       heading(func(h http.Header) { h.Del("Content-Length") }),
		"no chunks":            heading(func(h http.Header) { h.Del("Content-Length") }),
		"connection":           heading(func(h http.Header) { h.Del("Connection") }),
		"ASCII":                saying("PING", "caf\u00e9"),
	}
	// The rules on every reply are checked on the replies to another check.
	with := map[string]string{
		"cross-origin headers": "info", "content type": "info", "content length": "info", "no chunks": "HTTP 1.1",
		"connection": "HTTP 1.1", "ASCII": "ping",
	}
	listeners := map[string]func(net.Listener) net.Listener{
		"half-sent requests": func(l net.Listener) net.Listener { return &fewConnections{l, make(chan struct{}, 20)} },
		"request in pieces":  func(l net.Listener) net.Listener { return oneRead{l} },
	}
	for _, c := range playerChecks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			player, l := endpoint(600*time.Millisecond), listen(t)
			switch {
			case broken[c.name] != nil:
				player = broken[c.name](player)
			case listeners[c.name] != nil:
				l = listeners[c.name](l)
			default:
				t.Fatal("nothing shows that this check can fail")
			}
			names := []string{c.name}
			if with[c.name] != "" {
				names = append(names, with[c.name])
			}
			r := check(t, l, player, time.Second, names...)[c.name]
			if r.Verdict != Fail || r.Sent == "" || r.Expected == "" || r.Got == "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

var matchID = regexp.MustCompile(`check\.[0-9]+\.[0-9]+`)

// repeating answers with the move before, whenever is says so of what the message
// and the one before tell.
func repeating(is func(told, before string) bool) sabotage {
	var mu sync.Mutex
	var told, move string
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		mu.Lock()
		defer mu.Unlock()
		answer := play(message)
		if !strings.Contains(message, "PLAY") {
			return answer
		}
		if move != "" && is(message, told) {
			answer = move
		}
		told, move = message, answer
		return answer
	})
}

// onceOnly refuses messages with a word after those with another.
func onceOnly(after, word string) sabotage {
	var refusing atomic.Bool
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, after) {
			refusing.Store(true)
		}
		if refusing.Load() && strings.Contains(message, word) {
			return refused
		}
		return play(message)
	})
}

// fewConnections takes as many connections at a time as open has room.
type fewConnections struct {
	net.Listener
	open chan struct{}
}

func (l *fewConnections) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	c, err := l.Listener.Accept()
	return &counted{Conn: c, open: l.open}, err
}

type counted struct {
	net.Conn
	once sync.Once
	open chan struct{}
}

func (c *counted) Close() error {
	c.once.Do(func() { <-c.open })
	return c.Conn.Close()
}

// oneRead is of servers that take what comes first for the request.
type oneRead struct{ net.Listener }

func (l oneRead) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &readOnce{Conn: c}, err
}

type readOnce struct {
	net.Conn
	reads int
}

func (c *readOnce) Read(p []byte) (int, error) {
	if c.reads++; c.reads > 1 {
		return 0, io.EOF
	}
	return c.Conn.Read(p)
}

func TestAPlayerThatCannotBeReachedOrIsBusyIsNotChecked(t *testing.T) {
	l := listen(t)
	l.Close()
	for _, address := range []string{"", "localhost:1", "https://x", "http://" + l.Addr().String()} {
		if report, err := (Player{URL: address}).Check(t.Context()); err == nil || report != nil {
			t.Errorf("%q: %v, %v", address, report, err)
		}
	}
	player := httptest.NewServer(saying("INFO", "busy")(endpoint(0)))
	defer player.Close()
	if _, err := (Player{URL: player.URL}).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "it is busy") {
		t.Error(err)
	}
}

func TestReportsShowWhatWasReceivedInPrintableASCII(t *testing.T) {
	player := httptest.NewServer(saying("PING", "\x1b[2J\u00e9")(endpoint(0)))
	defer player.Close()
	p := Player{URL: player.URL, StartClock: time.Second, PlayClock: time.Second}
	report, err := p.check(t.Context(), playerChecks[:3])
	if err != nil {
		t.Fatal(err)
	}
	if report.Subject != player.URL || report.Passed != 2 || report.Failed != 1 || report.Skipped != 0 {
		t.Errorf("%+v", report)
	}
	ping := report.Checks[1]
	ping.Got = regexp.MustCompile(`after 0\.\d\d s`).ReplaceAllString(ping.Got, "after 0.00 s")
	want := Result{
		Check: "ping", Rule: "PING, which older servers send, is answered by available.", Verdict: Fail,
		Sent: "( PING )", Expected: "available", Got: "status 200: ?[2J??, after 0.00 s",
	}
	if diff := cmp.Diff(want, ping); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

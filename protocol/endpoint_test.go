package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/must"

	"github.com/google/go-cmp/cmp"
)

// serve runs an endpoint with an agent on a free port and returns its address.
func serve(t *testing.T, newAgent NewAgent) string {
	t.Helper()
	return serveEndpoint(t, NewEndpoint("Tester", newAgent, zlog))
}

// raw sends bytes as they are and reads to the end of the stream.
func raw(t *testing.T, address, request string) string {
	t.Helper()
	c := must.Get(net.DialTimeout("tcp", address, time.Minute))(t)
	defer c.Close()
	must.OK(t, c.SetDeadline(time.Now().Add(time.Minute)))
	must.Get(io.WriteString(c, request))(t)
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("%v after %q", err, reply)
	}
	return string(reply)
}

// post returns a request as game servers write it.
func post(message string) string {
	return fmt.Sprintf("POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"+
		"Receiver: Tester\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n%s", len(message), message)
}

// body returns the body of a response.
func body(t *testing.T, response string) string {
	t.Helper()
	_, text, ok := strings.Cut(response, "\r\n\r\n")
	if !ok {
		t.Fatalf("no response: %q", response)
	}
	return text
}

// ask sends a message to an endpoint in process.
func ask(t testing.TB, e *Endpoint, message string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(message)))
	return w.Code, w.Body.String()
}

// expect sends a message and checks the reply.
func expect(t testing.TB, e *Endpoint, message, want string) {
	t.Helper()
	if status, got := ask(t, e, message); status != http.StatusOK || got != want {
		t.Errorf("%s: status %d, reply %q; want %q", clip(message), status, got, want)
	}
}

// expectRefusal sends an invalid message and checks the refusal.
func expectRefusal(t testing.TB, e *Endpoint, message, want string) {
	t.Helper()
	if status, got := ask(t, e, message); status != http.StatusBadRequest || got != want {
		t.Errorf("%s: status %d, %q; want %q", clip(message), status, got, want)
	}
}

// begun returns an endpoint whose agent plays Left in the match m.1.
func begun(t testing.TB, a Agent) *Endpoint {
	t.Helper()
	e := NewEndpoint("Tester", always(a), zlog)
	expect(t, e, startText("Left"), "ready")
	return e
}

func startText(role string) string { return "( START m.1 " + role + " (" + choosing + ") 10 5 )" }

func TestAWholeMatchGetsTheRepliesOfTheProtocol(t *testing.T) {
	var told []string
	agent := &fake{
		OnStart: func(_ context.Context, m Match) error {
			told = append(told, fmt.Sprintf("start %s %s %v %v %d roles", m.ID, m.Role, m.StartClock, m.PlayClock, len(m.Game.Roles)))
			return nil
		},
		OnPlay: func(_ context.Context, history [][]gdl.Term) (gdl.Term, error) {
			told = append(told, "play "+jointText(history[len(history)-1]))
			return gdl.Term{Kind: gdl.Compound, Name: "say", Args: []gdl.Term{{Name: "Yes"}}}, nil
		},
		OnStop: func(history [][]gdl.Term) {
			told = append(told, fmt.Sprintf("stop %s after %d", jointText(history[len(history)-1]), len(history)-1))
		},
	}
	e := NewEndpoint("Tester One", always(agent), zlog)
	expect(t, e, "( INFO )", "((name Tester_One) (status available))")
	expect(t, e, "(ping)", "available")
	expect(t, e, "(PREVIEW ("+choosing+") 1)", "done")
	expect(t, e, startText("Right"), "ready")
	expect(t, e, "(INFO)", "((name Tester_One) (status busy))")
	expect(t, e, "(PING)", "busy")
	expect(t, e, strings.Replace(startText("Left"), "m.1", "m.2", 1), "busy")
	expect(t, e, "(PLAY m.2 NIL)", "busy")
	expect(t, e, "(STOP m.2 NIL)", "busy")
	expect(t, e, "(ABORT m.2)", "busy")
	expect(t, e, "(PLAY m.1 NIL)", "(say Yes)")
	expect(t, e, "(PLAY M.1 ((SAY YES) PASS))", "(say Yes)")
	expect(t, e, "(STOP m.1 ((say No) pass))", "done")
	expect(t, e, "(INFO)", "((name Tester_One) (status available))")
	want := []string{"start m.1 Right 10s 5s 2 roles", "play ()", "play ((say Yes) pass)", "stop ((say No) pass) after 2"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what the agent was told (-want +got):\n%s", diff)
	}
}

func TestAMatchInUpperCaseThroughoutIsPlayedInUpperCase(t *testing.T) {
	e := NewEndpoint("Tester", drifters(t, compile(t, game(t, strings.ToUpper(choosing)))), zlog)
	expect(t, e, strings.ToUpper(startText("Left")), "ready")
	_, move := ask(t, e, "(PLAY M.1 NIL)")
	if move != "PASS" && move != "(SAY YES)" && move != "(SAY NO)" {
		t.Errorf("the move is %q", move)
	}
	expect(t, e, "(ABORT M.1)", "aborted")
}

func TestOddRequestsAreAnswered(t *testing.T) {
	address := serve(t, always(&fake{}))
	available := "((name Tester) (status available))"
	for name, c := range map[string]struct{ request, status, body string }{
		"HTTP/1.0":        {post("( INFO )"), "HTTP/1.0 200", available},
		"HTTP/1.1":        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n(INFO)", "HTTP/1.1 200", available},
		"white space":     {post("\r\n\t(\v InFo\r\n)\n\n"), "HTTP/1.0 200", available},
		"chunked":         {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n", "HTTP/1.1 200", available},
		"get":             {"GET /" + url.PathEscape("( INFO )") + " HTTP/1.0\r\n\r\n", "HTTP/1.0 200", available},
		"get, plus":       {"GET /" + url.QueryEscape("( INFO )") + " HTTP/1.0\r\n\r\n", "HTTP/1.0 200", available},
		"get, raw":        {"GET /(PLAY?x=) HTTP/1.0\r\n\r\n", "HTTP/1.0 400", "PLAY?X=: unknown command; expected INFO, START, PLAY, STOP or ABORT"},
		"get, play":       {"GET /" + url.PathEscape("( PLAY m.1 NIL )") + " HTTP/1.0\r\n\r\n", "HTTP/1.0 405", "PLAY: expected the method POST, found GET"},
		"get, start":      {"GET /" + url.PathEscape(startText("Left")) + " HTTP/1.0\r\n\r\n", "HTTP/1.0 405", "START: expected the method POST, found GET"},
		"get, stop":       {"GET /(%20sToP+m.1+NIL) HTTP/1.0\r\n\r\n", "HTTP/1.0 405", "STOP: expected the method POST, found GET"},
		"get, abort":      {"GET /(ABORT+m.1) HTTP/1.0\r\n\r\n", "HTTP/1.0 405", "ABORT: expected the method POST, found GET"},
		"options":         {"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: y\r\n\r\n", "HTTP/1.1 200", ""},
		"options, all":    {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200", ""},
		"put":             {"PUT / HTTP/1.0\r\n\r\n", "HTTP/1.0 405", "expected the method POST, found PUT"},
		"no body":         {"POST / HTTP/1.0\r\n\r\n", "HTTP/1.0 400", "expected one message in parentheses, such as (INFO)"},
		"garbage message": {post("\x00\xff\x13("), "HTTP/1.0 400", "the message ends with 1 open parentheses"},
		"large":           {post(strings.Repeat("(", 1<<20)), "HTTP/1.0 413", "expected at most 65536 bytes, found more"},
		"deep":            {post(strings.Repeat("(", 1<<15)), "HTTP/1.0 400", "expected at most 1024 nested parentheses, found more"},
		"deep move": {
			post("(PLAY m (" + strings.Repeat("(f ", 1<<13) + strings.Repeat(")", 1<<13) + "))"),
			"HTTP/1.0 400", "expected at most 1024 nested parentheses, found more",
		},
		"nested move": {
			post("(PLAY m (" + strings.Repeat("(f ", 1010) + "a" + strings.Repeat(")", 1010) + "))"),
			"HTTP/1.0 400", "PLAY: the move (f (f",
		},
		"no HTTP":       {"( INFO )\r\n\r\n", "HTTP/1.1 400", ""},
		"unknown match": {post("(PLAY nobody NIL)"), "HTTP/1.0 200", "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			got := raw(t, address, c.request)
			if !strings.HasPrefix(got, c.status) || !strings.HasPrefix(body(t, got), c.body) {
				t.Errorf("got %q, want %s and %q", got, c.status, c.body)
			}
		})
	}
}

func TestRepliesCarryTheHeadersThatReadersNeed(t *testing.T) {
	got := raw(t, serve(t, always(&fake{})), post("(INFO)"))
	for _, want := range []string{
		"\r\nContent-Type: text/acl\r\n", "\r\nContent-Length: 34\r\n", "\r\nConnection: close\r\n",
		"\r\nAccess-Control-Allow-Origin: *\r\n", "\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n",
		"\r\nAccess-Control-Allow-Headers: Content-Type\r\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestPagesOfWebsitesHoldNoMatchesUnlessTheyMay(t *testing.T) {
	named := func(e *Endpoint) { e.Origins = []string{"https://manager.example"} }
	for name, c := range map[string]struct {
		header  string
		set     func(*Endpoint)
		refused bool
	}{
		"a game server":               {"Sender: GAMESERVER", nil, false},
		"a page":                      {"Origin: https://manager.example", nil, true},
		"a page that may":             {"Origin: https://manager.example", named, false},
		"another page":                {"Origin: https://manager.example.evil", named, true},
		"a page in a sandbox":         {"Origin: null", named, true},
		"an image of a page":          {"Sec-Fetch-Site: cross-site", named, true},
		"a page, where every one may": {"Origin: https://other.example", func(e *Endpoint) { e.Origins = []string{"*"} }, false},
	} {
		e := NewEndpoint("Tester", always(&fake{}), zerolog.Nop())
		if c.set != nil {
			c.set(e)
		}
		key, value, _ := strings.Cut(c.header, ": ")
		for _, message := range []string{"(INFO)", startText("Left"), "(PLAY M.1 NIL)", "(ABORT M.1)"} {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(message))
			r.Header.Set(key, value)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if refused := w.Code == http.StatusForbidden; refused != (c.refused && message != "(INFO)") {
				t.Errorf("%s: %.8s: status %d, %s", name, message, w.Code, w.Body)
			}
			if c.refused && len(e.sessions) > 0 {
				t.Errorf("%s has begun a match", name)
			}
		}
	}
}

func TestAClientThatClosesItsSideStillGetsTheReply(t *testing.T) {
	slow := &fake{OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
		time.Sleep(50 * time.Millisecond)
		return gdl.Term{Name: "pass"}, ctx.Err()
	}}
	address := serve(t, always(slow))
	raw(t, address, post(startText("Left")))
	for name, request := range map[string]string{
		"whole":     post("(PLAY m.1 NIL)"),
		"too short": "POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n(PLAY m.1 NIL)",
	} {
		c := must.Get(net.Dial("tcp", address))(t)
		must.Get(io.WriteString(c, request))(t)
		must.OK(t, c.(*net.TCPConn).CloseWrite())
		got, err := io.ReadAll(c)
		c.Close()
		if err != nil || !strings.HasSuffix(string(got), "\r\n\r\npass") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestAnOversizedMessageIsRefused(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	status, text := ask(t, e, strings.Repeat(" ", largestMessage+1))
	if status != http.StatusRequestEntityTooLarge || text != "expected at most 16777216 bytes, found more" {
		t.Errorf("status %d, %q", status, text)
	}
}

func TestInvalidStartsAreRefusedAndLeaveThePlayerAvailable(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	for message, want := range map[string]string{
		"(START m.1 robot ((role robot)) 1 1)":                             "START: the rules are invalid: match m.1",
		"(START m.1 robot ((<= (p ?x) (q ?y))) 1 1)":                       "START: the rules are invalid: match m.1",
		strings.Replace(startText("up"), "(role Right)", "(role Down)", 1): "START: expected one of the roles Left, Down, found up",
	} {
		status, text := ask(t, e, message)
		if status != http.StatusBadRequest || !strings.HasPrefix(text, want) || strings.Contains(text, "\n") {
			t.Errorf("%s: status %d, %q; want %q", clip(message), status, text, want)
		}
		expect(t, e, "(PING)", "available")
	}
}

func TestAFailingAgentIsSurvived(t *testing.T) {
	broken := errors.New("broken")
	crash := func() error { panic("crash") }
	for name, c := range map[string]struct {
		newAgent  NewAgent
		atStart   int
		available string
	}{
		"no agent": {func() Agent { panic("none") }, 500, "available"},
		"error at start": {
			always(&fake{OnStart: func(context.Context, Match) error { return broken }}),
			500, "available",
		},
		"panic at start": {
			always(&fake{OnStart: func(context.Context, Match) error { return crash() }}),
			500, "available",
		},
		"error in play": {
			always(&fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { return gdl.Term{}, broken }}),
			200, "busy",
		},
		"panic in play": {
			always(&fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { return gdl.Term{}, crash() }}),
			200, "busy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := NewEndpoint("Tester", c.newAgent, zlog)
			if status, text := ask(t, e, startText("Left")); status != c.atStart {
				t.Errorf("START: %d %s", status, text)
			}
			expect(t, e, "(PING)", c.available)
			if c.atStart == 200 {
				for range 2 {
					expect(t, e, "(PLAY m.1 NIL)", "(say Yes)") // the first legal move of the rules
				}
				expect(t, e, "(STOP m.1 NIL)", "done")
			}
		})
	}
	stop := &fake{OnStop: func([][]gdl.Term) { _ = crash() }, OnAbort: func() { _ = crash() }}
	e := begun(t, stop)
	expect(t, e, "(STOP m.1 NIL)", "done")
	expect(t, e, startText("Left"), "ready")
	expect(t, e, "(ABORT m.1)", "aborted")
	expect(t, e, "(PING)", "available")
}

func TestAJointMoveOfTheWrongLengthIsToldAndAnswered(t *testing.T) {
	var told []int
	agent := &fake{OnPlay: func(_ context.Context, history [][]gdl.Term) (gdl.Term, error) {
		told = append(told, len(history[len(history)-1]))
		return gdl.Term{Name: "pass"}, nil
	}}
	e := begun(t, agent)
	expect(t, e, "(PLAY m.1 NIL)", "pass")
	expect(t, e, "(PLAY m.1 (pass))", "pass")
	expect(t, e, "(PLAY m.1 (pass pass pass))", "pass")
	expect(t, e, "(STOP m.1 (pass))", "done")
	if !slices.Equal(told, []int{0, 1, 3}) {
		t.Errorf("told of joint moves of %v moves", told)
	}
}

func TestInfoAndAbortAreAnsweredWhileTheAgentThinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aborted := false
		agent := &fake{
			OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
				<-ctx.Done()
				return gdl.Term{}, ctx.Err()
			},
			OnAbort: func() { aborted = true },
		}
		e := begun(t, agent)
		began := time.Now()
		go ask(t, e, "(PLAY m.1 NIL)")
		synctest.Wait()
		expect(t, e, "(INFO)", "((name Tester) (status busy))")
		expect(t, e, "(ABORT m.1)", "aborted")
		synctest.Wait()
		if !aborted || time.Since(began) != 0 {
			t.Errorf("aborted: %v, after %v", aborted, time.Since(began))
		}
		expect(t, e, "(INFO)", "((name Tester) (status available))")
	})
}

func TestASlowStartIsAnsweredBeforeTheClockEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &fake{OnStart: func(ctx context.Context, _ Match) error {
			<-ctx.Done()
			time.Sleep(3 * time.Second)
			return nil
		}}
		e := NewEndpoint("Tester", always(agent), zlog)
		began := time.Now()
		expect(t, e, startText("Left"), "ready")
		if took := time.Since(began); took != 9500*time.Millisecond {
			t.Errorf("ready after %v of 10s", took)
		}
		expect(t, e, "(PLAY m.1 NIL)", "pass")
		if took := time.Since(began); took != 13*time.Second {
			t.Errorf("the first move came after %v, though the agent was ready after 13s", took)
		}
		expect(t, e, "(STOP m.1 NIL)", "done")
	})
}

func TestALateAgentIsGivenUpAndFoundAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, running := 0, 0
		agent := &fake{OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
			if running++; running > 1 {
				t.Error("two calls at once")
			}
			defer func() { running-- }()
			if calls++; calls == 1 {
				time.Sleep(8 * time.Second)
			}
			return gdl.Term{Name: "pass"}, nil
		}}
		e := begun(t, agent)
		began := time.Now()
		expect(t, e, "(PLAY m.1 NIL)", "(say Yes)") // late, but legal
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("given up after %v, want the play clock and a second", took)
		}
		expect(t, e, "(PLAY m.1 (pass pass))", "pass")
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("the next move came after %v", took)
		}
		expect(t, e, "(STOP m.1 (pass pass))", "done")
	})
}

func TestAMatchWithoutMessagesIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aborted := false
		e := begun(t, &fake{OnAbort: func() { aborted = true }})
		time.Sleep(silence)
		expect(t, e, "(PLAY m.1 NIL)", "pass")
		time.Sleep(silence)
		expect(t, e, "(PING)", "busy")
		time.Sleep(time.Minute)
		expect(t, e, "(PING)", "available")
		synctest.Wait()
		if !aborted {
			t.Error("the agent was not told")
		}
	})
}

func TestAPortInUseIsNamed(t *testing.T) {
	l := must.Get(Listen("127.0.0.1:0"))(t)
	defer l.Close()
	_, err := Listen(l.Addr().String())
	if want := "cannot listen on " + l.Addr().String() + ": the port is in use by another program"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err = Listen("nowhere:port"); err == nil || !strings.HasPrefix(err.Error(), "cannot listen on nowhere:port: ") {
		t.Errorf("got %v", err)
	}
}

func TestServeEndsWithItsContextAndAbortsTheMatch(t *testing.T) {
	l := must.Get(Listen("127.0.0.1:0"))(t)
	thinking, aborted := make(chan struct{}), make(chan struct{})
	agent := &fake{
		OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
			close(thinking)
			<-ctx.Done()
			return gdl.Term{}, ctx.Err()
		},
		OnAbort: func() { close(aborted) },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, NewEndpoint("Tester", always(agent), zlog)) }()
	raw(t, l.Addr().String(), post(startText("Left")))
	answered := make(chan string, 1)
	go func() { answered <- raw(t, l.Addr().String(), post("(PLAY m.1 NIL)")) }()
	<-thinking
	cancel()
	<-aborted
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := <-answered; !strings.HasPrefix(got, "HTTP/1.0 ") {
		t.Errorf("the request under way was cut off: %q", got)
	}
}

// FuzzEndpoint sends messages, one on each line of the input, to a player of two
// matches, of which one runs, whose agent fails now and then.
func FuzzEndpoint(f *testing.F) {
	second := strings.ReplaceAll(strings.Replace(startText("Right"), "m.1", "m.2", 1), "\n", " ")
	for _, seed := range []string{
		"(INFO)", "(PLAY m.1 NIL)\n(PLAY m.1 (pass pass))\n(PLAY m.1 (pass (say No)))\n(STOP m.1 NIL)", "(((",
		second, second + "\n(PLAY m.2 NIL)\n(PLAY M.1 NIL)\n(PLAY m.2 (PASS (SAY yes)))\n(ABORT m.2)\n" + second,
		"(STOP m.1 (pass pass))\n" + second + "\n(START m.3 Left ((role Left)) 1 1)\n(PREVIEW () 1)\n(PING)",
		"(PLAY m.1 3 pass ())\nstart(m.3,x,[],1,1)",
	} {
		f.Add(seed)
	}
	legal := map[string]bool{"pass": true, "(say Yes)": true, "(say No)": true}
	f.Fuzz(func(t *testing.T, messages string) {
		failing := &fake{OnPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
			if len(told)%2 == 0 {
				panic("broken")
			}
			return pass, nil
		}}
		e := NewEndpoint("Tester", always(failing), zlog)
		e.Matches = 2
		expect(t, e, startText("Left"), "ready")
		first := e.find("m.1")
		for message := range strings.Lines(messages) {
			m, err := ParseMessage(message)
			known := err == nil && e.find(m.ID) == first
			status, text := ask(t, e, message)
			ends := m.Command == Stop && m.ID != ""
			if strings.ContainsAny(text, "\r\n") || status >= 500 || err != nil && !ends && status == 200 {
				t.Fatalf("%q: status %d, %q", message, status, text)
			}
			if known && m.Command == Play && status == 200 && !legal[text] {
				t.Fatalf("%q: the move is %q", message, text)
			}
		}
		e.Close()
		expect(t, e, "(INFO)", "((name Tester) (status available))")
	})
}

package conformance

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
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
	p := Player{URL: server.URL, StartClock: max(2*time.Second, clock), PlayClock: clock, Hard: hardRules}
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
	var failed []Result
	for clock := 2 * time.Second; clock < time.Minute; clock *= 2 { // on a busy machine answers are late
		failed = nil
		for _, r := range check(t, listen(t), endpoint(600*time.Millisecond), clock) {
			if r.Verdict != Pass {
				failed = append(failed, r)
			}
		}
		if len(failed) == 0 {
			return
		}
	}
	for _, r := range failed {
		t.Errorf("with a long clock, too: %+v", r)
	}
}

func TestEveryCheckOfPlayersFailsWhereItsRuleIsBroken(t *testing.T) {
	atLength(t)
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
			untilBroken(t, func() []Result {
				broken, player, l := sabotages(), endpoint(600*time.Millisecond), listen(t)
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
				if r := check(t, l, player, time.Second, names...)[c.name]; r.Verdict != Fail || r.Sent == "" || r.Expected == "" || r.Got == "" {
					return []Result{r}
				}
				return nil
			})
		})
	}
}

func TestAPlayerThatCannotBeReachedOrIsBusyIsNotChecked(t *testing.T) {
	for _, address := range []string{"", "localhost:1", "https://x", "http://127.0.0.1:1"} {
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
	ping.Got = regexp.MustCompile(`after \d+\.\d\d s`).ReplaceAllString(ping.Got, "after 0.00 s")
	want := Result{
		Check: "ping", Rule: "PING, which older servers send, is answered by available.", Verdict: Fail,
		Sent: "( PING )", Expected: "available", Got: "status 200: ?[2J??, after 0.00 s",
	}
	if diff := cmp.Diff(want, ping); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

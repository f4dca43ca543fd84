package conformance

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/wiretest"
	"stackmate/reasoner/prover"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// follower is an agent that plays the first legal move of the position that it has
// been told of, after a time of thought where that takes any.
type follower struct {
	think time.Duration // over moves of hardRules
	at    *prover.Position
	role  int
	heard int
	abort chan struct{}
}

func (f *follower) Start(ctx context.Context, m protocol.Match) (err error) {
	f.abort = make(chan struct{})
	f.at, err = prover.Begin(ctx, m.Game)
	f.role = slices.Index(f.at.Roles, m.Role)
	return err
}

func (f *follower) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	for _, terms := range told[f.heard:] {
		joint := protocol.Texts(terms)
		if fault, err := f.at.Fault(ctx, joint); fault == "" && err == nil {
			if err := f.at.Advance(ctx, joint); err != nil {
				return gdl.Term{}, err
			}
		}
	}
	f.heard = len(told)
	if slices.Contains(f.at.Facts, "hard") {
		select {
		case <-time.After(f.think):
		case <-ctx.Done():
		case <-f.abort:
		}
	}
	legal, err := f.at.Legal(ctx, f.role, 0)
	if err != nil {
		return gdl.Term{}, err
	}
	return gdl.ParseTerm(legal[0])
}

func (f *follower) Stop([][]gdl.Term) {}

func (f *follower) Abort() { close(f.abort) }

// hardRules are rules on which a follower thinks.
const hardRules = `(role me) (role you) (init hard) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r)) (next hard)
(<= (next (n ?m)) (true (n ?n)) (succ ?n ?m)) (<= terminal (true (n 7))) (<= (goal ?r 50) (role ?r))`

// endpoint returns a player that keeps all the rules.
func endpoint(think time.Duration) http.Handler {
	return protocol.NewEndpoint("Follower", func() protocol.Agent { return &follower{think: think} }, zerolog.Nop())
}

// wire is a listener that the kit can dial.
type wire interface {
	net.Listener
	Dial(ctx context.Context) (net.Conn, error)
}

// check runs the named checks, or all, on a player at a listener, with a play clock. It needs a bubble of synctest.
func check(t *testing.T, l wire, h http.Handler, clock time.Duration, names ...string) map[string]Result {
	t.Helper()
	return checkOver(t, hardRules, l, h, clock, names...)
}

// checkOver is check with the rules of the hard game.
func checkOver(t *testing.T, hard string, l wire, h http.Handler, clock time.Duration, names ...string) map[string]Result {
	t.Helper()
	server := &http.Server{Handler: h}
	go server.Serve(l)
	defer server.Close()
	p := Player{URL: "http://wire", StartClock: max(10*time.Second, clock), PlayClock: clock, Hard: hard, dial: l.Dial}
	checks := slices.DeleteFunc(slices.Clone(playerChecks), func(c leveled) bool {
		return len(names) > 0 && !slices.Contains(names, c.name)
	})
	if len(names) > 0 && len(checks) != len(names) {
		t.Fatalf("not all of %q are checks", names)
	}
	report := must.Get(p.check(t.Context(), checks))(t)
	results := make(map[string]Result)
	for _, r := range report.Checks {
		results[r.Check] = r
	}
	return results
}

func TestAPlayerThatKeepsTheRulesPassesEveryCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, r := range check(t, wiretest.NewWire(), endpoint(600*time.Millisecond), 2*time.Second) {
			if r.Verdict != Pass {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestEveryCheckOfPlayersFailsWhereItsRuleIsBroken(t *testing.T) {
	// The rules on every reply are checked on the replies to another check.
	with := map[string]string{"content length": "info", "no chunks": "info", "end of stream": "info", "ASCII": "info"}
	listeners := map[string]func(*wiretest.Wire) wire{
		"half-sent requests": func(l *wiretest.Wire) wire { return &fewConnections{l, make(chan struct{}, 20)} },
		"request in pieces":  func(l *wiretest.Wire) wire { return oneRead{l} },
	}
	for _, c := range playerChecks {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				broken, player, open := sabotages(), endpoint(600*time.Millisecond), wiretest.NewWire()
				l := wire(open)
				switch {
				case broken[c.name] != nil:
					player = broken[c.name](player)
				case listeners[c.name] != nil:
					l = listeners[c.name](open)
				default:
					t.Fatal("nothing shows that this check can fail")
				}
				names := []string{c.name}
				if with[c.name] != "" {
					names = append(names, with[c.name])
				}
				if r := check(t, l, player, time.Second, names...)[c.name]; r.Verdict != Fail || r.Sent == "" || r.Expected == "" || r.Got == "" || r.Reason == "" {
					t.Errorf("%+v", r)
				}
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

func TestAPlantedFaultFailsItsCheckAlone(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	slowly := moving(func(_, move string) string {
		if move == "a" { // of the hard game
			time.Sleep(5 * time.Second)
		}
		return move
	})
	for name, fault := range map[string]sabotage{
		"info":            saying("INFO", "((name x) (mood good))"),
		"start":           wording("ready", "ok"),
		"busy while busy": saying(".other", "ready"),
		"turns":           sabotages()["turns"],
		"replaced move":   stubborn(),
		"play clock":      slowly,
		"stop":            wording("done", "ok"),
		"stop with NIL":   sabotages()["stop with NIL"],
		"abort":           wording("aborted", "ok"),
		"no chunks":       rawly(0, inChunks),
		"end of stream":   rawly(3*time.Second, announced(0)),
		"GET":             sabotages()["GET"],
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, r := range check(t, wiretest.NewWire(), fault(endpoint(600*time.Millisecond)), 4*time.Second, upToExpected()...) {
					if (r.Verdict == Fail) != (r.Check == name || r.Check == "abort while thinking" && name == "abort") {
						t.Errorf("%+v", r)
					}
				}
			})
		})
	}
}

func upToExpected() (names []string) {
	for _, c := range playerChecks {
		if c.level != Robust {
			names = append(names, c.name)
		}
	}
	return names
}

func TestWhoDiesFailsOnce(t *testing.T) { synctest.Test(t, dieOnPing) }

func dieOnPing(t *testing.T) {
	l := wiretest.NewWire()
	mortal := answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, "PING") {
			l.Close()
			panic(http.ErrAbortHandler)
		}
		return play(message)
	})
	results := check(t, l, mortal(endpoint(0)), time.Second, "info", "ping", "GET", "HTTP 1.1")
	if ping := results["ping"]; ping.Verdict != Fail || !strings.Contains(ping.Reason, "the player has died") {
		t.Errorf("%+v", ping)
	}
	for _, name := range []string{"GET", "HTTP 1.1"} {
		if r := results[name]; r.Verdict != NotRun || r.Reason != "the player has died in the check of ping" {
			t.Errorf("%+v", r)
		}
	}
}

func TestWhoStaysBusyFailsOnce(t *testing.T) { synctest.Test(t, stayBusyAfterPing) }

func stayBusyAfterPing(t *testing.T) {
	var stuck atomic.Bool
	caught := answering(func(message string, _ *http.Request, play func(string) string) string {
		if strings.Contains(message, "PING") {
			stuck.Store(true)
			return "available"
		}
		if stuck.Load() {
			return "busy"
		}
		return play(message)
	})
	results := check(t, wiretest.NewWire(), caught(endpoint(0)), time.Second, "ping", "GET")
	if ping := results["ping"]; ping.Verdict != Fail || !strings.Contains(ping.Reason, "is not available") {
		t.Errorf("%+v", ping)
	}
	if r := results["GET"]; r.Verdict != NotRun || r.Reason != "the player has not been available since the check of ping" {
		t.Errorf("%+v", r)
	}
}

func TestEveryCheckTellsItsSource(t *testing.T) {
	for _, c := range playerChecks {
		if playerSources[c.name] == "" {
			t.Errorf("check of players: %s", c.name)
		}
	}
	for _, c := range managerChecks {
		if managerSources[c.name] == "" && !strings.HasPrefix(c.name, "move: ") {
			t.Errorf("check of managers: %s", c.name)
		}
	}
	if len(playerSources) != len(playerChecks) {
		t.Error("there are sources of no check")
	}
}

func TestInfoIsReadInAllForms(t *testing.T) {
	for reply, want := range map[string][2]string{
		"((name Stackmate) (status available))":        {"Stackmate", "available"},
		"( ( name Two Words 1.61c ) ( status busy ) )": {"Two Words 1.61c", "busy"},
		" available\r\n": {"", "available"},
		"((NAME x)(Status Available)(species alien))":       {"x", "Available"},
		"((name x) (status))":                               {"x", ""},
		"((name x) (other (status deep)) status available)": {"x", ""},
		"busy at the moment":                                {"", ""},
		"":                                                  {"", ""},
	} {
		if got := readInfo(reply); got["name"] != want[0] || got["status"] != want[1] {
			t.Errorf("%q: %v; want %q", reply, got, want)
		}
	}
}

func TestReportsShowWhatWasReceivedInPrintableASCII(t *testing.T) {
	player := httptest.NewServer(saying("PING", "\x1b[2J\u00e9")(endpoint(0)))
	defer player.Close()
	p := Player{URL: player.URL, StartClock: time.Second, PlayClock: time.Second}
	report, err := p.check(t.Context(), slices.DeleteFunc(slices.Clone(playerChecks), func(c leveled) bool {
		return !slices.Contains([]string{"info", "name", "ping"}, c.name)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if report.Subject != player.URL || report.Passed != 2 || report.Failed != 1 || report.NotRun != 0 || report.Broken != 0 {
		t.Errorf("%+v", report)
	}
	ping := report.Checks[2]
	ping.Got = regexp.MustCompile(`after \d+\.\d\d s`).ReplaceAllString(ping.Got, "after 0.00 s")
	want := Result{
		Check: "ping", Level: Expected, Rule: "PING is answered by available.", Source: "the protocol: older servers send PING for INFO",
		Verdict: Fail, Sent: "( PING )", Expected: "available, or ready", Got: "status 200: ?[2J??, after 0.00 s",
		Reason: "the status is ?[2J?? instead of available",
	}
	if diff := cmp.Diff(want, ping); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Servers compare moves with regard to case, so a player must.
func TestAMoveInAnotherCaseIsAFault(t *testing.T) {
	w := moveOf([]string{"(Go Ada Bee)"})
	for reply, want := range map[string]string{
		"( Go  Ada Bee )": "", "(go ada bee)": "is spelled (Go Ada Bee) in the rules", "(Go Ada Cee)": "is not legal here", "": "instead of one term",
	} {
		if fault := w.fault(&exchange{body: reply}); (fault == "") != (want == "") || !strings.Contains(fault, want) {
			t.Errorf("%q: %q, want %q", reply, fault, want)
		}
	}
}

package arena

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// hostile returns a player that answers every message with the same bytes.
func hostile(t *testing.T, answer string) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.Read(make([]byte, 1<<16))
				fmt.Fprint(c, answer)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestWhatPlayersSendReachesLogsAndRecordsWithoutControlCharacters(t *testing.T) {
	const evil = "\x1b[2J\x07\x9b1m\u202e"
	for name, answer := range map[string]string{
		"a move":        "HTTP/1.0 200 OK\r\n\r\n(say " + evil + ")",
		"a status line": "HTTP/1.0 500 " + evil + "\r\n\r\nno",
		"an error":      "HTTP/1.0 500 no\r\n\r\n" + evil,
		"no HTTP":       evil,
		"a header":      "HTTP/1.0 200 OK\r\n" + evil + ": x\r\n\r\npass",
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			g := game(t, choosing)
			log := zerolog.New(zerolog.ConsoleWriter{Out: &logged, NoColor: true}).Level(zerolog.WarnLevel)
			m := NewManager("test", g, compile(t, g), log)
			url := hostile(t, answer)
			playing := httpPlayer(t, func(w http.ResponseWriter, _ *http.Request) {
				relay(t, w, url)
			})
			for _, at := range []string{url, playing} {
				r := playMatch(t, m, quick, Player{Name: "evil", URL: at}, in("good", &fake{}))
				text := fmt.Sprintf("%q %+v", r.StartErrors, r.Result()) + logged.String()
				if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && (c < ' ' || c > '~') }); i >= 0 {
					t.Errorf("%q", text[max(0, i-40):min(len(text), i+40)])
				}
			}
			if logged.Len() == 0 {
				t.Error("nothing was logged")
			}
		})
	}
}

// relay answers with the bytes that a hostile player sends.
func relay(t *testing.T, w http.ResponseWriter, url string) {
	there, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Error(err)
		return
	}
	defer there.Close()
	fmt.Fprint(there, "POST / HTTP/1.0\r\n\r\n")
	var answer bytes.Buffer
	answer.ReadFrom(there)
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer here.Close()
	here.Write(answer.Bytes())
}

func TestPlayersThatAnswerWithoutEndCostTheirMovesOnly(t *testing.T) {
	endless := func(head, piece string, pause time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for text := head; ; text = piece {
				if _, err := fmt.Fprint(c, text); err != nil {
					return
				}
				time.Sleep(pause)
			}
		}
	}
	const ok = "HTTP/1.0 200 OK\r\n"
	for name, c := range map[string]struct {
		OnPlay http.HandlerFunc
		want   string
	}{
		"megabytes":            {endless(ok+"\r\n", strings.Repeat("(say Yes) ", 1<<16), 0), "IL (say Yes) "},
		"a byte now and then":  {endless(ok+"\r\n", " ", 10*time.Millisecond), "TO"},
		"megabytes of headers": {endless(ok, "X-Header: "+strings.Repeat("x", 1<<16)+"\r\n", 0), "CE"},
		"headers now and then": {endless(ok, "X-Header: x\r\n", 10*time.Millisecond), "TO"},
		"status lines":         {endless("", "HTTP/1.1 100 Continue\r\n\r\n", 0), "CE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := manager(t, choosing)
			s := quick
			if c.want == TimedOut {
				s.PlayClock = time.Millisecond
			}
			r := playMatch(t, m, s, at("odd", httpPlayer(t, c.OnPlay)), in("good", &fake{}))
			verify(t, m, r)
			for turn, errors := range r.Errors {
				if !strings.HasPrefix(errors[0], c.want) || errors[1] != "" {
					t.Errorf("turn %d: errors %q, want %s of the first", turn, errors, c.want)
				}
			}
		})
	}
}

func TestAReplyThatComesWithinTheGraceCounts(t *testing.T) {
	for grace, want := range map[time.Duration]string{0: "TO", time.Second: ""} {
		synctest.Test(t, func(t *testing.T) {
			slow := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
				time.Sleep(5500 * time.Millisecond)
				return gdl.Term{Name: "pass"}, nil
			}}
			s := quick
			s.Grace = grace
			r := playMatch(t, manager(t, choosing), s, in("slow", slow), in("good", &fake{}))
			if r.Errors[0][0] != want {
				t.Errorf("grace %v: %q, want %q", grace, r.Errors[0][0], want)
			}
		})
	}
}

// bursting is a machine that panics when it is asked for successors.
type bursting struct{ machine.Machine }

func (b bursting) NewNarrowBatch() machine.Batch { return burstingBatch{b.Machine.NewNarrowBatch()} }

type burstingBatch struct{ machine.Batch }

func (burstingBatch) Advance(int) { panic("out of range") }

func TestAMatchThatPanicsIsAbortedWithTheReason(t *testing.T) {
	g := game(t, choosing)
	m := NewManager("test", g, bursting{compile(t, g)}, zlog)
	aborted := make(chan bool, 2)
	agent := &fake{OnAbort: func() { aborted <- true }}
	r := playMatch(t, m, quick, in("a", agent), in("b", agent))
	if !r.Aborted || r.Reason != "panic: out of range" || r.Turns != 1 {
		t.Errorf("%+v", r)
	}
	<-aborted
	<-aborted
}

func TestAllPlayersThatCannotStartAreNamed(t *testing.T) {
	broken := &fake{OnStart: func(context.Context, protocol.Match) error { return errors.New("too\nhard") }}
	r := playMatch(t, manager(t, choosing), quick, in("a", broken), in("b", broken))
	if want := "player a cannot start: too; hard; player b cannot start: too; hard"; r.Reason != want {
		t.Errorf("%s, want %s", r.Reason, want)
	}
}

func TestErrorsAreCountedByKind(t *testing.T) {
	r := &Record{
		Match: "m", Roles: []string{"a", "b"}, StartErrors: []string{"TO", ""},
		Errors: [][]string{{"", "IL (mark 9 9)"}, {"CE", "IL "}, {"TO", ""}}, ReplyTimes: [][]float64{{1, 2}, {3, 0.5}},
	}
	want := Result{
		Match: "m", Goals: []int{}, Errors: []int{3, 2}, Late: []int{2, 0}, Illegal: []int{0, 2}, Failed: []int{1, 0},
		Slowest: []float64{3, 2},
	}
	if diff := cmp.Diff(want, r.Result()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAMatchWhoseRecordCannotBeSavedCountsAllTheSame(t *testing.T) {
	full := errors.New("no space left")
	m := manager(t, choosing)
	players := []Player{in("a", &fake{}), in("b", &fake{})}
	setting, begun := quick, 0
	setting.Tell = func(part *Record) error {
		if part.Match != "" {
			begun++
		}
		if begun == 2 && part.Ended() {
			return full
		}
		return nil
	}
	var last error
	var results []Result
	for r, err := range m.Series(t.Context(), "s", players, 5, setting) {
		results, last = append(results, r.Result()), err
	}
	if s := Rank(results); !errors.Is(last, full) || len(s.Results) != 2 || s.Standings[0].Matches != 2 {
		t.Errorf("%v, %+v", last, s)
	}
	// And where the disk is full in the middle of a match.
	setting.Tell = func(part *Record) error {
		if len(part.Moves) > 0 {
			return full
		}
		return nil
	}
	r, err := m.Match(t.Context(), "m", players, setting)
	if !errors.Is(err, full) || !r.Aborted || !strings.Contains(r.Reason, full.Error()) {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestEveryMatchOfASeriesIsHandedOverBeforeTheNextBegins(t *testing.T) {
	handed, begun := 0, 0
	count := &fake{OnStart: func(_ context.Context, m protocol.Match) error {
		if m.Role == "Left" {
			if begun++; handed != begun-1 {
				t.Errorf("match %d begins, and %d have been handed over", begun, handed)
			}
		}
		return nil
	}}
	players := []Player{in("a", count), in("b", count)}
	for _, err := range manager(t, choosing).Series(t.Context(), "s", players, 12, quick) {
		if handed++; err != nil {
			t.Error(err)
		}
	}
	if handed != 12 {
		t.Errorf("%d matches handed over", handed)
	}
}

func TestATournamentCanBeCountedAgainFromItsRecords(t *testing.T) {
	dir := t.TempDir()
	setting := quick
	setting.Tell = archive(t, dir).Recorder()
	players := []Player{in("a", &fake{}), in("b", &fake{}), in("c", &fake{})}
	want := hold(t, Tournament{Rounds: 2}, []*Manager{manager(t, choosing), builtIn(t, "pig-2-1")}, players, setting, nil)
	var results []Result
	for k := range want.Results {
		r := must.Get(ReadRecord(filepath.Join(dir, fmt.Sprintf("t.%d.jsonl", k))))(t)
		results = append(results, r.Result())
	}
	if diff := cmp.Diff(want, Rank(results)); diff != "" {
		t.Errorf("(-tournament +records):\n%s", diff)
	}
}

func TestInATournamentWhoCannotStartHasLost(t *testing.T) {
	m := manager(t, choosing)
	setting := quick
	setting.Forfeit = true
	fine := &fake{}
	failing := &fake{OnStart: func(context.Context, protocol.Match) error { return errors.New("too hard") }}
	for want, players := range map[string][]Player{
		"[0 100]": {in("a", failing), in("b", fine)},
		"[100 0]": {in("a", fine), {Name: "b", New: func() protocol.Agent { panic("out of order") }}},
		"[0 0]":   {in("a", failing), at("b", "http://127.0.0.1:1")},
	} {
		r := playMatch(t, m, setting, players...)
		if fmt.Sprint(r.Goals) != want || !r.Completed || r.Turns != 0 || !strings.Contains(r.Reason, "player") {
			t.Errorf("%+v, want goals %s", r, want)
		}
	}
	// A late player may catch up; a busy player has the start clock to become ready.
	begun := time.Now()
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		switch {
		case !strings.Contains(string(text), "START"):
			fmt.Fprint(w, "pass")
		case time.Since(begun) < askAgain:
			fmt.Fprint(w, "busy")
		default:
			fmt.Fprint(w, "ready")
		}
	}))
	t.Cleanup(busy.Close)
	if r := playMatch(t, m, setting, at("a", busy.URL), in("b", fine)); r.Turns != 2 || !r.Completed {
		t.Errorf("%+v", r)
	}
}

func TestFilesThatAreNoMatchRecordsAreRefused(t *testing.T) {
	r := playMatch(t, manager(t, choosing), quick, in("a", &fake{}), in("b", &fake{}))
	path := filepath.Join(t.TempDir(), "record.json")
	for want, spoil := range map[string]func(*Record){
		"no match id or no roles":  func(r *Record) { r.Aborted = true },
		"1 moves of 2 roles":       func(r *Record) { r.Moves = [][]string{{"pass"}} },
		"1 players of 2 roles":     func(r *Record) { r.Players = r.Players[:1] },
		"0 goals of 2 roles":       func(r *Record) { r.Goals = nil },
		"1 errors of 2 roles":      func(r *Record) { r.Errors[0] = r.Errors[0][:1] },
		"3 reply_times of 2 roles": func(r *Record) { r.ReplyTimes[1] = make([]float64, 3) },
		"1 explanations of 2 roles": func(r *Record) {
			r.Explanations = [][]*protocol.Explanation{nil, {{}}}
		},

		"1 players in the summary of 2 roles": func(r *Record) { r.Summary.Players = r.Players[:1] },
		"0 goals in the summary of 2 roles":   func(r *Record) { r.Summary.Goals = nil },
		"3 late in the summary of 2 roles":    func(r *Record) { r.Summary.Late = make([]int, 3) },
	} {
		bad, summary := *r, r.Result()
		bad.Summary = &summary
		bad.Errors = append([][]string{}, r.Errors...)
		bad.ReplyTimes = append([][]float64{}, r.ReplyTimes...)
		spoil(&bad)
		text := must.Get(json.Marshal(bad))(t)
		must.OK(t, os.WriteFile(path, text, 0o644))
		if _, err := ReadRecord(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	must.OK(t, os.WriteFile(path, []byte(`{"game":`), 0o644))
	if _, err := ReadRecord(path); err == nil || !strings.Contains(err.Error(), "not a match record") {
		t.Errorf("half a record: %v", err)
	}
}

package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/internal/must"

	"github.com/rs/zerolog"
)

func TestTheRunningMoveIsAnsweredWhenThePlayerIsToEnd(t *testing.T) {
	thinking := make(chan struct{})
	agent := &fake{OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
		close(thinking)
		<-ctx.Done() // the best so far, when time is up
		return pass, nil
	}}
	l := must.Get(Listen("127.0.0.1:0"))(t)
	address := l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, NewEndpoint("Tester", always(agent), zlog)) }()
	raw(t, address, post(strings.Replace(startText("Left"), "10 5", "100 100", 1)))
	strangers(t, address, 8) // they are not waited for
	var move string
	var asking sync.WaitGroup
	asking.Go(func() { move = raw(t, address, post("(PLAY m.1 NIL)")) })
	<-thinking
	began := time.Now()
	cancel()
	asking.Wait()
	if err := <-done; err != nil || time.Since(began) > closeTimeout {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if body(t, move) != "pass" {
		t.Errorf("the move under way was answered by %q", move)
	}
}

func TestNoMatchBeginsWhenThePlayerIsToEnd(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	e.finish()
	expect(t, e, startText("Left"), "busy")
	expect(t, e, "(INFO)", "((name Tester) (status busy))")
}

// page gets a page of the endpoint itself.
func page(t *testing.T, e *Endpoint, path string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestHealthTellsWhetherThePlayerServes(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	e.Matches = 2
	for _, c := range []struct {
		change func()
		status int
		text   string
	}{
		{func() {}, 200, `{"status":"available","matches":0}`},
		{func() { ask(t, e, startText("Left")) }, 200, `{"status":"available","matches":1}`},
		{func() { ask(t, e, strings.Replace(startText("Left"), "m.1", "m.2", 1)) }, 200, `{"status":"busy","matches":2}`},
		{e.finish, 503, `{"status":"closing","matches":0}`},
	} {
		c.change()
		if status, text := page(t, e, "/healthz"); status != c.status || text != c.text {
			t.Errorf("%d %s, want %d %s", status, text, c.status, c.text)
		}
	}
}

func TestMetricsCountWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &fake{OnPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
			time.Sleep(3 * time.Millisecond)
			if len(told) == 2 {
				panic("broken")
			}
			return pass, nil
		}}
		e := NewEndpoint("Tester", always(late), zlog)
		ask(t, e, strings.Replace(startText("Left"), "10 5", "10 0.001", 1))
		ask(t, e, "(PLAY m.1 NIL)")
		ask(t, e, "(PLAY m.1 (pass pass))")
		ask(t, e, "(HELLO)")
		ask(t, e, "(PLAY m.1 (pass))")
		ask(t, e, "(PLAY m.1)")
		_, text := page(t, e, "/metrics")
		for _, want := range []string{
			`stackmate_matches 1`, `stackmate_connections_waiting 0`,
			`stackmate_requests_total{command="START",status="200"} 1`,
			`stackmate_requests_total{command="PLAY",status="200"} 3`,
			`stackmate_requests_total{command="PLAY",status="400"} 1`,
			`stackmate_requests_total{command="other",status="400"} 1`,
			`stackmate_refused_total{reason="message"} 2`,
			`stackmate_joint_moves_total{kind="none"} 1`, `stackmate_joint_moves_total{kind="moves"} 1`,
			`stackmate_joint_moves_total{kind="not one move per role"} 1`,
			`stackmate_moves_total{by="agent"} 2`, `stackmate_moves_total{by="fallback"} 1`,
			`stackmate_late_moves_total 3`, `stackmate_reply_clock_ratio_count 3`,
			`go_goroutines `, `go_memstats_heap_alloc_bytes `,
		} {
			if !strings.Contains(text, "\n"+want) {
				t.Errorf("no line %s", want)
			}
		}
		ask(t, e, "(ABORT m.1)")
	})
}

func TestMetricsAndHealthAreServedBesideTheProtocol(t *testing.T) {
	address := serve(t, always(&fake{}))
	for path, want := range map[string]string{"/metrics": "stackmate_matches 0", "/healthz": `"status":"available"`} {
		got := raw(t, address, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 200") || !strings.Contains(got, want) {
			t.Errorf("%s: %.300q", path, got)
		}
	}
}

// keeping has an endpoint's notes kept in a list, which is whole when e.written is done.
func keeping(e *Endpoint, fail error) *[]string {
	var got []string
	e.Record = func(m Match) (func(Note) error, error) {
		got = append(got, "START "+m.Role)
		return func(n Note) error {
			line := string(n.Command)
			switch {
			case n.Err != nil:
				line += "failed"
			case n.Command == "":
				line += n.Move.String()
			}
			got = append(got, strings.TrimSpace(line+" "+jointText(n.Joint)+" "+n.Reason))
			return fail
		}, nil
	}
	return &got
}

func TestNotesAreTakenOfWhatArrivesAndWhatIsAnswered(t *testing.T) {
	agent := &fake{}
	e := NewEndpoint("Tester", always(agent), zlog)
	got := keeping(e, nil)
	for _, message := range []string{startText("Left"), "(PLAY m.1 NIL)", "(INFO)", "(PLAY m.1 (PASS pass))", "(STOP m.1 (pass PASS))"} {
		ask(t, e, message)
	}
	e.written.Wait() // notes of different matches are kept side by side
	ask(t, e, startText("Right"))
	ask(t, e, "(ABORT m.1)")
	e.written.Wait()
	want := []string{
		"START Left", "PLAY ()", "pass ()", "PLAY (pass pass)", "pass ()", "STOP (pass pass)",
		"START Right", "ABORT () aborted by the manager",
	}
	if strings.Join(*got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(*got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAMatchGoesOnWithoutItsRecord(t *testing.T) {
	for name, spoil := range map[string]func(*Endpoint){
		"none":     func(e *Endpoint) { e.Record = func(Match) (func(Note) error, error) { return nil, io.ErrShortWrite } },
		"broken":   func(e *Endpoint) { keeping(e, io.ErrShortWrite) },
		"panicked": func(e *Endpoint) { e.Record = func(Match) (func(Note) error, error) { panic("broken") } },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e := NewEndpoint("Tester", always(&fake{}), zerolog.New(zerolog.SyncWriter(&log)))
			spoil(e)
			expect(t, e, startText("Left"), "ready")
			expect(t, e, "(PLAY m.1 NIL)", "pass")
			expect(t, e, "(STOP m.1 NIL)", "done")
			e.written.Wait()
			if !strings.Contains(log.String(), "is not kept") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestNobodyWaitsForNotes(t *testing.T) {
	var log bytes.Buffer
	e := NewEndpoint("Tester", always(&fake{}), zerolog.New(zerolog.SyncWriter(&log)))
	stuck := make(chan struct{})
	e.Record = func(Match) (func(Note) error, error) { <-stuck; return func(Note) error { return nil }, nil }
	expect(t, e, startText("Left"), "ready")
	for range waitingNotes {
		expect(t, e, "(PLAY m.1 NIL)", "pass")
	}
	expect(t, e, "(STOP m.1 NIL)", "done")
	close(stuck)
	e.written.Wait()
	if n := strings.Count(log.String(), "parts of the record are lost"); n != 1 {
		t.Errorf("%d lines in the log: %s", n, log.String())
	}
}

// keys returns the keys of one line of a log, in order.
func keys(t *testing.T, line []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	var all []string
	must.Get(d.Token())(t)
	for d.More() {
		key := must.Get(d.Token())(t)
		all = append(all, key.(string))
		var value any
		must.OK(t, d.Decode(&value))
	}
	return all
}

func TestLinesOfTheLogAreSoundWhateverArrives(t *testing.T) {
	var log bytes.Buffer
	crash := false
	agent := &fake{
		OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
			if crash {
				panic("\x1b[31mbroken")
			}
			return pass, nil
		},
		OnStop: func([][]gdl.Term) { panic("broken") },
	}
	e := NewEndpoint("Tester", always(agent), zerolog.New(zerolog.SyncWriter(&log)))
	for _, message := range []string{
		"(INFO)", "\x1b[2J(", "(\u009b2J)", "(PLAY m\u009b.1 NIL)", "(START m.\u009b1 Left ((role \u009b2J)) 1 1)",
		"(START m.1 \u009b2J (" + choosing + ") 1 1)", startText("Left"), "(PLAY m.1 NIL)", "(PLAY m.1 (\u009b2J))", "(PLAY m.1 (\u009b2J \x07x))",
	} {
		ask(t, e, message)
	}
	crash = true
	ask(t, e, "(PLAY m.1 (pass pass))")
	ask(t, e, "(STOP m.1 NIL)")
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	if len(lines) < 10 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		seen := map[string]bool{}
		for _, key := range keys(t, line) {
			if seen[key] {
				t.Errorf("two keys %q: %s", key, line)
			}
			seen[key] = true
		}
		for _, c := range string(line) {
			if c < ' ' || c > '~' {
				t.Errorf("%q in %q", c, line)
			}
		}
		if bytes.Contains(line, []byte("m.1 ")) && !seen["match"] {
			t.Errorf("no match: %s", line)
		}
	}
}

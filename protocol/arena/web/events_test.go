package web

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"stackmate/internal/feed"
	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

func TestOtherPagesOpenNoStreams(t *testing.T) {
	open := func(url string, header http.Header, host string) int {
		t.Helper()
		options := &websocket.DialOptions{HTTPHeader: header, Host: host}
		conn, response, err := websocket.Dial(t.Context(), url+"/api/standings", options)
		if err == nil {
			_ = conn.CloseNow()
		} else if response == nil {
			t.Fatal(err)
		}
		return response.StatusCode
	}
	_, url := page(t, 0, nil)
	s, guarded := page(t, 0, func(c *Config) { c.Token = "secret" })
	const yes, no, elsewhere = http.StatusSwitchingProtocols, http.StatusForbidden, http.StatusMisdirectedRequest
	for _, x := range []struct {
		name string
		want int
		host string
		http.Header
	}{
		{name: "the page", want: yes, Header: http.Header{"Origin": {url}}},
		{name: "a program", want: yes},
		{name: "another site", want: no, Header: http.Header{"Origin": {"http://evil.example"}}},
		{name: "another port", want: no, Header: http.Header{"Origin": {"http://127.0.0.1:1"}}},
		{name: "no port", want: no, Header: http.Header{"Origin": {"http://127.0.0.1"}}},
		{name: "a sandbox", want: no, Header: http.Header{"Origin": {"null"}}},
		{name: "a longer name", want: no, Header: http.Header{"Origin": {url + ".evil.example"}}},
		{name: "a user of that name", want: no, Header: http.Header{"Origin": {url + "@evil.example"}}},
		{name: "no address", want: no, Header: http.Header{"Origin": {"http://%zz"}}},
		{name: "two origins", want: no, Header: http.Header{"Origin": {"http://evil.example", url}}},
		{name: "cross-site", want: no, Header: http.Header{"Sec-Fetch-Site": {"cross-site"}}},
		{name: "same-site", want: no, Header: http.Header{"Sec-Fetch-Site": {"same-site"}, "Sec-Fetch-Mode": {"navigate"}}},
		{"a name that points here", elsewhere, "evil.example", http.Header{"Origin": {"http://evil.example"}}},
	} {
		if status := open(url, x.Header, x.host); status != x.want {
			t.Errorf("%s: status %d, want %d", x.name, status, x.want)
		}
	}
	for name, header := range map[string]http.Header{
		"no token":               {"Origin": {guarded}},
		"another token":          {"Cookie": {s.cookie() + "=secre"}},
		"a token in the referer": {"Origin": {guarded}, "Referer": {guarded + "/?token=secret"}},
	} {
		if status := open(guarded, header, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, status)
		}
	}
	for origin, want := range map[string]int{"http://evil.example": no, guarded: yes} {
		if status := open(guarded, http.Header{"Origin": {origin}, "Cookie": {s.cookie() + "=secret"}}, ""); status != want {
			t.Errorf("the cookie from %s: status %d, want %d", origin, status, want)
		}
	}
}

func TestRequestsThatAreNoHandshakesAreExplained(t *testing.T) {
	_, url := page(t, 0, nil)
	for name, change := range map[string]func(http.Header){
		"a plain request":  func(h http.Header) { clear(h) },
		"no key":           func(h http.Header) { h.Del("Sec-Websocket-Key") },
		"an old version":   func(h http.Header) { h.Set("Sec-Websocket-Version", "8") },
		"another protocol": func(h http.Header) { h.Set("Upgrade", "h2c") },
	} {
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/standings", nil))(t)
		r.Header = handshake()
		change(r.Header)
		response := must.Get(http.DefaultClient.Do(r))(t)
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode/100 != 4 || !strings.Contains(strings.ToLower(string(text)), "websocket") {
			t.Errorf("%s: %s: %s", name, response.Status, text)
		}
	}
}

// handshake returns the headers of a request for a stream.
func handshake() http.Header {
	return http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
	}
}

func TestStreamsAreBoundedInNumber(t *testing.T) {
	s, url := page(t, 0, nil)
	s.streams = newRoom("watchers", 3, 0)
	var first *websocket.Conn
	for range 3 {
		first = dial(t, url+"/api/standings")
		if kind, _ := hear(t, first); kind != "standings" {
			t.Fatalf("a stream begins with %s", kind)
		}
	}
	if text := refusal(t, url+"/api/standings"); !strings.Contains(text, "too many watchers") {
		t.Errorf("a stream too many: %q", text)
	}
	_ = first.CloseNow()
	for text := "x"; text != ""; time.Sleep(time.Millisecond) { // until the server has heard of it
		text = refusal(t, url+"/api/standings")
	}
}

// reader is the far end of a stream, in the time of a bubble.
type reader struct {
	net.Conn
	gone chan struct{} // closed when the server has left
}

// hijacked is a response on a connection in memory.
type hijacked struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// joined opens a stream of a feed.
func joined(ctx context.Context, story *feed.Feed[[]byte]) reader {
	ours, theirs := net.Pipe()
	s := &Server{Config: Config{Archive: &arena.Archive{}}, streams: newRoom("watchers", 1, 0)}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	r.Header = handshake()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.events(func(e *stream, _ *http.Request) error { return e.follow(story) })(hijacked{httptest.NewRecorder(), theirs}, r)
	}()
	return reader{ours, gone}
}

// wait returns how long the server takes to leave, at most a day.
func (r reader) wait() time.Duration {
	began := time.Now()
	select {
	case <-r.gone:
	case <-time.After(24 * time.Hour):
	}
	return time.Since(began)
}

// answer reads, and answers pings until an end.
func (r reader) answer(end time.Time) {
	frame := make([]byte, 2)
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			return
		}
		payload := make([]byte, frame[1])
		if _, err := io.ReadFull(r, payload); err != nil {
			return
		}
		if frame[0] == 0x89 && time.Now().Before(end) {
			_, _ = r.Write(append([]byte{0x8a, 0x80 | frame[1], 0, 0, 0, 0}, payload...))
		}
	}
}

func TestReadersWhoDoNotReadOrAnswerAreDropped(t *testing.T) {
	for name, x := range map[string]struct {
		behave func(r reader)
		within time.Duration
	}{
		"reads nothing":             {func(reader) {}, patience},
		"reads one byte":            {func(r reader) { _, _ = r.Read(make([]byte, 1)) }, patience},
		"reads, answers no ping":    {func(r reader) { _, _ = io.Copy(io.Discard, r) }, beat + patience},
		"answers pings for an hour": {func(r reader) { r.answer(time.Now().Add(time.Hour)) }, time.Hour + beat + patience},
		"sends a message":           {func(r reader) { go r.answer(time.Now()); _, _ = r.Write([]byte{0x81, 0x80, 0, 0, 0, 0}) }, 0},
		"leaves":                    {func(r reader) { _ = r.Close() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var story feed.Feed[[]byte]
				for at := time.Duration(0); at < 2*time.Hour; at += time.Second { // a turn a second
					time.AfterFunc(at, func() { story.Add(event("part", at)) })
				}
				r := joined(ctx, &story)
				defer r.Close()
				go x.behave(r)
				took := r.wait()
				if took > x.within || x.within > time.Hour && took < time.Hour {
					t.Errorf("dropped after %v, want %v", took, x.within)
				}
			})
		})
	}
}

func TestFramesThatAreNoneEndTheConnection(t *testing.T) {
	for name, frame := range map[string][]byte{
		"a reserved opcode":         {0x83, 0x80, 0, 0, 0, 0},
		"reserved bits":             {0xf1, 0x80, 0, 0, 0, 0},
		"no mask":                   {0x81, 0x01, 'x'},
		"a fragmented ping":         {0x09, 0x80, 0, 0, 0, 0},
		"a long ping":               append([]byte{0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0}, make([]byte, 256)...),
		"a negative length":         {0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"a continuation of nothing": {0x80, 0x80, 0, 0, 0, 0},
		"a fragment":                {0x01, 0x81, 0, 0, 0, 0, 'x'},
		"a close of one byte":       {0x88, 0x81, 0, 0, 0, 0, 'x'},
		"a close with no such code": {0x88, 0x82, 0, 0, 0, 0, 0xff, 0xff},
		"a close":                   {0x88, 0x80, 0, 0, 0, 0},
		"a request":                 []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"half a frame":              {0x81},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				var story feed.Feed[[]byte]
				r := joined(ctx, &story)
				go func() { _, _ = io.Copy(io.Discard, r) }()
				_, _ = r.Write(frame)
				if took := r.wait(); took > beat+patience {
					t.Errorf("it ends after %v", took)
				}
				r.Close()
			})
		})
	}
}

func TestAFloodOfPingsThatReadsNoAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var story feed.Feed[[]byte]
		r := joined(ctx, &story)
		go func() {
			for {
				if _, err := r.Write([]byte{0x89, 0x80, 0, 0, 0, 0}); err != nil {
					return
				}
			}
		}()
		if took := r.wait(); took > patience {
			t.Errorf("it ends after %v", took)
		}
		r.Close()
	})
}

func TestLostReadersLeaveNothingBehind(t *testing.T) {
	s, url := page(t, 0, nil)
	before := runtime.NumGoroutine()
	for i := range 200 {
		conn := must.Get(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
		text := "GET /api/standings HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
		_, _ = io.WriteString(conn, text[:min(len(text), i*len(text)/100)]) // every other is whole
		_ = conn.Close()
	}
	for range 3000 {
		s.streams.mu.Lock()
		inside := s.streams.inside
		s.streams.mu.Unlock()
		if inside == 0 && runtime.NumGoroutine() < before+10 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// An event "failed" would keep the window from coming back.
func TestAServerThatStopsTellsItsReadersNothing(t *testing.T) {
	for range 300 {
		ctx, stop := context.WithCancel(t.Context())
		var story feed.Feed[[]byte]
		story.Add(event("part", 1))
		r := joined(ctx, &story)
		go stop()
		text, _ := io.ReadAll(r)
		if <-r.gone; strings.Contains(string(text), "failed") {
			t.Fatalf("the last event: %q", text)
		}
		r.Close()
	}
}

func TestMessagesOfReadersAreNotRead(t *testing.T) {
	for name, size := range map[string]uint64{"small": 1, "of a gigabyte": 1 << 30, "of all numbers": 1<<63 - 1} {
		var story feed.Feed[[]byte]
		r := joined(t.Context(), &story)
		go func() {
			head := binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, size)
			_, _ = r.Write(append(head, 0, 0, 0, 0))
			for range 16 {
				if _, err := r.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
			t.Errorf("a message %s: 16 kB of it are read", name)
		}()
		_, _ = io.Copy(io.Discard, r)
		<-r.gone
		r.Close()
	}
}

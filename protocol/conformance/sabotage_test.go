package conformance

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/protocol/wiretest"
)

// sabotage makes a player break a rule.
type sabotage func(player http.Handler) http.Handler

// refused stands for a refusal where an answer is expected.
const refused = "400"

// answering replaces the player's replies: f gets every message, and the player's reply to any message.
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
			for name, values := range said(player, r, "( INFO )").Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			if answer == refused {
				http.Error(w, "no", http.StatusBadRequest)
				return
			}
			fmt.Fprint(w, answer)
		})
	}
}

// said returns the player's reply to a message instead of the request's.
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

// wording says another word than the player.
func wording(right, wrong string) sabotage {
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		if reply := play(message); reply != right {
			return reply
		}
		return wrong
	})
}

// rawly writes the bytes of every response, and keeps the connection open for a while.
func rawly(open time.Duration, response func(header, body string) string) sabotage {
	return func(player http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			message, _ := io.ReadAll(r.Body)
			answer := said(player, r, string(message))
			answer.Header().Del("Content-Length")
			var header strings.Builder
			_ = answer.Header().Write(&header)
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			start := fmt.Sprintf("HTTP/1.1 %d x\r\n", answer.Code)
			_, _ = io.WriteString(c, start+response(header.String(), answer.Body.String()))
			time.AfterFunc(open, func() { c.Close() })
		})
	}
}

// announced returns a response that says it has more bytes than it has.
func announced(more int) func(header, body string) string {
	return func(header, body string) string {
		return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", header, len(body)+more, body)
	}
}

func inChunks(header, body string) string {
	return fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", header, len(body), body)
}

// refusing refuses the messages for which is reports true.
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

// sabotages breaks the rules of all checks, except checks that depend on the listener, by the names of the checks.
func sabotages() map[string]sabotage {
	const slow = 1200 * time.Millisecond
	shout := func(_, move string) string { return strings.ToUpper(move) }
	return map[string]sabotage{
		"info":             saying("INFO", "((name x) (mood good))"),
		"ping":             saying("PING", "pong"),
		"preview":          refusingText("PREVIEW"),
		"name":             saying("INFO", "available"),
		"busy":             saying("INFO", "((name x) (status available))"),
		"white space":      refusingText("\t"),
		"unknown match":    saying("nobody", "done"),
		"nonsense":         saying("FLY", "flying"),
		"broken rules":     saying("Nobody", "ready"),
		"deep nesting":     saying("((((((((", "deep"),
		"start":            wording("ready", "ok"),
		"start clock":      delaying("START", 10*time.Second+slow/4),
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
		"stop with NIL": refusing(func(m string, _ *http.Request) bool {
			return strings.Contains(m, "STOP check") && strings.Contains(m, "NIL")
		}),
		"abort":                wording("aborted", "ok"),
		"stop":                 wording("done", "ok"),
		"case of heads":        refusingText("iNfO"),
		"upper-cased moves":    moving(shout),
		"upper case":           moving(func(_, move string) string { return strings.ToLower(move) }),
		"extra arguments":      refusingText("(some thing)"),
		"large rules":          refusing(func(m string, _ *http.Request) bool { return len(m) > 90_000 }),
		"play clock":           delaying("PLAY", slow),
		"info while thinking":  thinking(func(m string, play func(string) string) string { time.Sleep(slow); return play(m) }),
		"abort while thinking": thinking(func(string, func(string) string) string { return "busy" }),
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
		"GET":                  refusing(func(_ string, r *http.Request) bool { return r.Method == http.MethodGet }),
		"cross-origin headers": heading(func(h http.Header) { h.Del("Access-Control-Allow-Origin") }),
		"content length":       rawly(0, announced(9)),
		"no chunks":            rawly(0, inChunks),
		"end of stream":        rawly(3*time.Second, announced(0)),
		"ASCII": answering(func(message string, _ *http.Request, play func(string) string) string {
			return strings.Replace(play(message), "Follower", "caf\u00e9", 1)
		}),
	}
}

var matchID = regexp.MustCompile(`check\.[0-9]+\.[0-9]+`)

// repeating answers with the previous move if is reports true for the joint moves of this and the previous message.
func repeating(is func(told, before string) bool) sabotage {
	var mu sync.Mutex
	var told, move string
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		answer := play(message)
		mu.Lock()
		defer mu.Unlock()
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

// stubborn goes on from its own move where the joint move has another one of its role.
func stubborn() sabotage {
	var mu sync.Mutex
	own := make(map[string]string) // by match
	return answering(func(message string, _ *http.Request, play func(string) string) string {
		id := matchID.FindString(message)
		mu.Lock()
		if told := firstMove.FindString(message); told != "" && own[id] != "" && strings.Contains(message, "PLAY") {
			message = strings.Replace(message, told, "("+own[id]+" ", 1)
		}
		mu.Unlock()
		reply := play(message)
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(message, "START "+id+" Left") {
			own[id] = "nothing yet"
		} else if own[id] != "" && strings.Contains(message, "PLAY") {
			own[id] = reply
		}
		return reply
	})
}

var firstMove = regexp.MustCompile(`\(\( Go [^)]*\)`)

// fewConnections takes as many connections at a time as open has room.
type fewConnections struct {
	*wiretest.Wire
	open chan struct{}
}

func (l *fewConnections) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	c, err := l.Wire.Accept()
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

// oneRead models servers that take the first read for the request.
type oneRead struct{ *wiretest.Wire }

func (l oneRead) Accept() (net.Conn, error) {
	c, err := l.Wire.Accept()
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

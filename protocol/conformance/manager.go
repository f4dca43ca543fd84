package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/internal/guard"
	"stackmate/protocol"
	"stackmate/reasoner/prover"
)

// Manager holds the parameters of a check of a game manager. The kit is a player for the manager to use. It answers
// the first turns well, then in all ways in which players fail, one a turn, over several matches if needed.
type Manager struct {
	Listener net.Listener  // address of the kit; closed at the end
	Wait     time.Duration // time limit for the matches
	Level    Level         // the last level to check
}

// errNoMatch: the manager has sent no START.
var errNoMatch = errors.New("no START was received")

// Check waits until all manners have been used or the time limit, and then judges the requests. The error is ctx's,
// or errNoMatch.
func (m Manager) Check(ctx context.Context) (*Report, error) {
	h := &host{ctx: ctx, manners: upTo(m.Level, manners, func(m manner) Level { return m.level }), seated: make(map[string]*seated), done: make(chan struct{})}
	server := &http.Server{Handler: h, ReadHeaderTimeout: connectLimit, ErrorLog: stdlog.New(io.Discard, "", 0)}
	failed := make(chan error, 1)
	go func() { failed <- guard.Do(func() error { return server.Serve(m.Listener) }) }()
	wait, cancel := context.WithTimeout(ctx, m.Wait)
	defer cancel()
	select {
	case <-h.done:
	case <-wait.Done():
	case err := <-failed:
		return nil, err
	}
	farewell, cancelFarewell := context.WithTimeout(context.WithoutCancel(ctx), infoLimit)
	defer cancelFarewell()
	if server.Shutdown(farewell) != nil {
		_ = server.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.matches) == 0 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w within %v", errNoMatch, m.Wait)
	}
	report := &Report{Subject: "the manager of " + shown(h.matches[0].id)}
	for _, c := range upTo(m.Level, managerChecks, func(c managerCheck) Level { return c.level }) {
		report.add(c.judge(&h.log))
	}
	return report, ctx.Err()
}

// request is a message of a manager as received.
type request struct {
	arrived, answered time.Time
	method            string
	length            int64 // announced Content-Length, or -1
	body              string
	message           protocol.Message
	err               error // of parsing the message
}

// log holds all requests of a manager.
type log struct {
	all     []*request
	strays  []*request // outside of running matches
	matches []*seated  // in order of START
}

// seated is a match that the kit plays.
type seated struct {
	id       string
	role     int // -1 if the role of START is not in the rules
	at       *prover.Position
	start    *request
	startErr error // of its rules or role
	turns    []*turn
	end      *request // STOP or ABORT
	last     *turn    // the turn of STOP, with the last joint move
}

// turn is a PLAY, or the STOP with the last joint move.
type turn struct {
	*request
	joint    []string // joint move of the previous turn, from the message
	fault    string   // error in joint
	terminal bool     // of the position after joint
	legal    []string // moves of the kit's role after joint
	manner   *manner  // of the kit's answer
	move     string   // the move in the kit's answer
}

// host is the kit's player. It is safe for concurrent use.
type host struct {
	ctx context.Context // limits the evaluation of the rules
	mu  sync.Mutex
	log
	seated  map[string]*seated
	manners []manner // to use
	next    int      // index into manners
	done    chan struct{}
	closed  bool // done is closed
}

// maxRequest limits the messages of a manager, in bytes.
const maxRequest = 16 << 20

// ServeHTTP implements http.Handler.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &request{arrived: time.Now(), method: r.Method, length: r.ContentLength}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	q.body = string(body)
	if q.message, q.err = protocol.ParseMessage(q.body); err != nil {
		q.err = err
	}
	answer := h.hear(q)
	stamped := &stampedWriter{ResponseWriter: w}
	defer h.answered(q, stamped)
	answer(stamped, r)
}

// stampedWriter records the time of the first byte of an answer.
type stampedWriter struct {
	http.ResponseWriter
	first time.Time
}

// Write implements http.ResponseWriter.
func (w *stampedWriter) Write(p []byte) (int, error) {
	if w.first.IsZero() {
		w.first = time.Now()
	}
	return w.ResponseWriter.Write(p)
}

// answered records the time of an answer, or of its failure, and ends the check once all manners have been used.
func (h *host) answered(q *request, w *stampedWriter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if q.answered = w.first; q.answered.IsZero() {
		q.answered = time.Now()
	}
	if h.next >= len(h.manners) && !h.closed && h.idle() {
		h.closed = true
		close(h.done)
	}
}

// idle reports whether no match is running.
func (h *host) idle() bool {
	return !slices.ContainsFunc(h.matches, func(s *seated) bool { return s.end == nil })
}

// answer writes the reply to a request.
type answer func(w http.ResponseWriter, r *http.Request)

// hear logs a message and returns the answer.
func (h *host) hear(q *request) answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, q)
	m := q.message
	if q.err != nil {
		return status400(q.err)
	}
	switch m.Command {
	case protocol.Info, protocol.Ping:
		return text("((name check) (status %s))", map[bool]string{true: "available", false: "busy"}[h.idle()])
	case protocol.Preview:
		return text("done")
	case protocol.Start:
		return h.begin(q)
	}
	s := h.seated[strings.ToLower(m.ID)]
	if s == nil || s.end != nil {
		h.strays = append(h.strays, q)
		return text("busy")
	}
	t := &turn{request: q}
	switch m.Command {
	case protocol.Play:
		s.turns = append(s.turns, t)
		s.follow(h.ctx, t)
		return h.reply(s, t)
	case protocol.Stop:
		s.end, s.last = q, t
		s.follow(h.ctx, t)
		return text("done")
	default:
		s.end = q
		return text("aborted")
	}
}

// readyDelay delays the answer to START, to test whether the manager waits for it.
const readyDelay = 300 * time.Millisecond

// begin starts a match, if none is running.
func (h *host) begin(q *request) answer {
	if !h.idle() {
		return text("busy") // the kit plays one match at a time
	}
	s := &seated{id: q.message.ID, role: -1, start: q}
	if s.at, s.startErr = newPosition(h.ctx, q.message.Rules); s.startErr == nil {
		for r, name := range s.at.Roles {
			if strings.EqualFold(name, q.message.Role) {
				s.role = r
			}
		}
	}
	if s.startErr == nil && s.role < 0 {
		s.startErr = fmt.Errorf("expected one of the roles %[2]s, found %[1]s", q.message.Role, few(s.at.Roles))
	}
	h.matches = append(h.matches, s)
	h.seated[strings.ToLower(s.id)] = s
	if s.startErr != nil {
		s.end = q
		return status400(s.startErr)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(min(readyDelay, q.message.StartClock/4))
		text("ready")(w, r)
	}
}

// follow makes the joint move of a message and evaluates the position.
func (s *seated) follow(ctx context.Context, t *turn) {
	t.joint = protocol.Texts(t.message.Joint)
	fault, err := "", error(nil)
	if t.joint != nil {
		if fault, err = s.at.Fault(ctx, t.joint); fault == "" && err == nil {
			err = s.at.Advance(ctx, t.joint)
		}
	}
	if err == nil {
		t.terminal, err = s.at.IsOver(ctx)
	}
	if err == nil && !t.terminal {
		t.legal, err = s.at.Legal(ctx, s.role, 0)
	}
	if t.fault = fault; err != nil {
		t.fault = err.Error()
	}
}

// reply chooses the manner of the answer to a PLAY.
func (h *host) reply(s *seated, t *turn) answer {
	if len(t.legal) == 0 {
		return text("busy")
	}
	t.manner, t.move = &h.manners[0], t.legal[len(s.turns)%len(t.legal)]
	if h.next < len(h.manners) {
		t.manner = &h.manners[h.next]
		h.next++
	}
	return t.manner.answer(t.move, s.start.message.PlayClock)
}

// text returns a plain answer with status 200.
func text(format string, args ...any) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/acl")
		w.Header().Set("Connection", "close")
		fmt.Fprintf(w, format, args...)
	}
}

func status400(err error) answer {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, shown(err.Error()), http.StatusBadRequest) }
}

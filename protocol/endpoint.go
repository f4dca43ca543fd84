package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// maxMessage bounds a request, in bytes. The largest known rulesheets have
	// less than 1 MiB.
	maxMessage = 16 << 20
	// maxRequests bounds the requests served at once, and with maxMessage the
	// memory that they hold.
	maxRequests = 16
)

// Endpoint is a player as game servers see it: an http.Handler that plays one
// match at a time, with an agent made for it. It is safe for concurrent use.
// What the agent does wrong (panics, delays, errors) is logged and answered; it
// never takes the endpoint down.
type Endpoint struct {
	name     string
	newAgent NewAgent
	log      zerolog.Logger
	slots    chan struct{}

	mu      sync.Mutex
	current *session // nil while no match runs
}

var _ http.Handler = (*Endpoint)(nil)

// NewEndpoint makes an endpoint. The name is what INFO tells; bytes that cannot
// stand in a symbol become underscores.
func NewEndpoint(name string, newAgent NewAgent, log zerolog.Logger) *Endpoint {
	symbol := strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' || strings.ContainsRune("();?", c) {
			return '_'
		}
		return c
	}, name)
	return &Endpoint{name: symbol, newAgent: newAgent, log: log, slots: make(chan struct{}, maxRequests)}
}

// ServeHTTP answers one message: the body of a POST, or the path of a GET.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	defer func() {
		if v := recover(); v != nil {
			e.log.Error().Interface("panic", v).Msg("a request failed")
			reply(w, http.StatusInternalServerError, "internal error")
		}
	}()
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	default:
		reply(w, http.StatusServiceUnavailable, "too many requests at once")
		return
	}
	text, status, err := readMessage(w, r)
	if err != nil {
		e.log.Warn().Err(err).Str("from", r.RemoteAddr).Msg("unreadable request")
		reply(w, status, oneLine(err))
		return
	}
	if r.Method == http.MethodOptions {
		reply(w, http.StatusOK, "")
		return
	}
	answer, err := e.answer(r.Context(), text, arrived)
	switch {
	case err == nil:
		e.log.Debug().Str("message", clip(text)).Str("reply", answer).Msg("answered")
		reply(w, http.StatusOK, answer)
	case errors.Is(err, errAgent):
		reply(w, http.StatusInternalServerError, oneLine(err))
	default:
		e.log.Warn().Str("message", clip(text)).Err(err).Str("from", r.RemoteAddr).Msg("refused")
		reply(w, http.StatusBadRequest, oneLine(err))
	}
}

// readMessage takes the message out of a request. A body that ends before its
// announced length is taken as it is.
func readMessage(w http.ResponseWriter, r *http.Request) (text string, status int, err error) {
	switch r.Method {
	case http.MethodOptions:
		return "", 0, nil
	case http.MethodGet:
		text, err := url.PathUnescape(strings.TrimPrefix(r.RequestURI, "/"))
		return text, http.StatusBadRequest, err
	case http.MethodPost:
	default:
		w.Header().Set("Allow", allowedMethods)
		return "", http.StatusMethodNotAllowed, fmt.Errorf("expected the method POST, found %s", clip(r.Method))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return "", http.StatusRequestEntityTooLarge, fmt.Errorf("expected at most %d bytes, found more", maxMessage)
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", http.StatusBadRequest, err
	}
	return string(body), 0, nil
}

const allowedMethods = "POST, GET, OPTIONS"

// reply writes a complete response. Readers in use know neither chunks nor
// connections that stay open.
func reply(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/acl")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Connection", "close")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	w.WriteHeader(status)
	// A client that is gone cannot be told.
	_, _ = io.WriteString(w, text)
}

// maxReason bounds the reason in a refusal, in bytes.
const maxReason = 300

// oneLine writes an error as one line of ASCII.
func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return Printable(text, maxReason)
}

// answer is the reply to one message that arrived at the given time.
func (e *Endpoint) answer(ctx context.Context, text string, arrived time.Time) (string, error) {
	m, err := ParseMessage(text)
	if err != nil {
		return "", err
	}
	switch m.Command {
	case Info:
		return fmt.Sprintf("((name %s) (status %s))", e.name, e.status()), nil
	case Ping:
		return e.status(), nil
	case Preview:
		return "done", nil
	case Start:
		return e.start(ctx, m, arrived)
	}
	s := e.find(m.ID)
	if s == nil {
		e.log.Warn().Str("match", clip(m.ID)).Str("command", string(m.Command)).Msg("unknown match")
		return "busy", nil
	}
	switch m.Command {
	case Play:
		return s.move(m, arrived)
	case Stop:
		e.release(s)
		s.log.Info().Msg("the match is over")
		return s.end(m), nil
	default: // Abort
		e.release(s)
		s.log.Info().Msg("the match was aborted")
		s.drop()
		return "aborted", nil
	}
}

func (e *Endpoint) status() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current != nil {
		return "busy"
	}
	return "available"
}

// start begins a match unless one runs.
func (e *Endpoint) start(ctx context.Context, m Message, arrived time.Time) (string, error) {
	if e.status() == "busy" {
		return "busy", nil
	}
	s, err := newSession(ctx, m, arrived, e.newAgent, e.log)
	if err != nil {
		return "", err
	}
	if !e.claim(s) {
		s.cancel()
		return "busy", nil
	}
	s.log.Info().Str("role", s.match.Role).
		Dur("startclock", m.StartClock).Dur("playclock", m.PlayClock).Msg("a match begins")
	answer, err := s.begin()
	if err != nil {
		e.release(s)
		s.drop()
	}
	return answer, err
}

// claim makes s the running match unless there is one.
func (e *Endpoint) claim(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current != nil {
		return false
	}
	e.current = s
	s.expiry = time.AfterFunc(s.patience(), func() {
		if e.release(s) {
			s.log.Warn().Msg("no message for too long: the match is given up")
			s.drop()
		}
	})
	return true
}

// release makes the endpoint available if s is the running match.
func (e *Endpoint) release(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current != s {
		return false
	}
	s.expiry.Stop()
	e.current = nil
	return true
}

// find is the running match if it has this id, in any case, since some servers
// send START as it is and later messages in upper case.
func (e *Endpoint) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == nil || !strings.EqualFold(e.current.match.ID, id) {
		return nil
	}
	e.current.expiry.Reset(e.current.patience())
	return e.current
}

// Close aborts the running match, if any.
func (e *Endpoint) Close() {
	e.mu.Lock()
	s := e.current
	e.mu.Unlock()
	if s != nil && e.release(s) {
		s.log.Info().Msg("the match was aborted: the player is closing")
		s.drop()
	}
}

package protocol

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stackmate/internal/guard"

	"github.com/rs/zerolog"
)

const (
	// maxParsed limits the rulesheets that are parsed concurrently.
	maxParsed = 4
	// maxStrangerLines limits the log lines a second for requests outside of matches.
	maxStrangerLines = 10
	// writeTimeout limits the time in which a client must read a reply.
	writeTimeout = 5 * time.Second
)

// Endpoint is the HTTP handler of a player: it plays matches for game servers, each with a new agent. It is safe for
// concurrent use. Panics, delays and errors of an agent are logged and answered; they never stop the endpoint. Set
// the exported fields before the first request.
type Endpoint struct {
	// Matches is the number of concurrent matches; 0 means one.
	Matches int
	// Allow lists the addresses that are served, besides loopback addresses; if empty, all addresses are.
	Allow []netip.Prefix
	// Origins lists the websites, such as https://example.org, whose pages may send messages of matches from a
	// browser; "*" allows every website. By default no website may: game servers are not browsers. Any page may send
	// INFO.
	Origins []string
	// Record, if not nil, is called at the beginning of each match. It returns a function that receives the notes of
	// the match, in order, until its first error. It runs in the background.
	Record func(m Match) (keep func(Note) error, err error)
	// MaxMessage limits a message, in bytes; 0 means 16 MiB. The largest known rulesheets have less than 100 kB.
	MaxMessage int64
	// Version is the program version in replies to INFO and /healthz; "" omits it.
	Version string

	name      string
	newAgent  NewAgent
	log       zerolog.Logger
	strangers zerolog.Logger // rate-limited log for requests outside of matches
	counters  *counters
	admission admission
	parsing   chan struct{}  // holds a token for each rulesheet being parsed
	written   sync.WaitGroup // recorders of matches

	mu       sync.Mutex
	sessions map[string]*session // by id in lower case
	closing  bool
}

var _ http.Handler = (*Endpoint)(nil)

// NewEndpoint returns an endpoint. The name appears in replies to INFO; bytes that cannot occur in a symbol become
// underscores.
func NewEndpoint(name string, newAgent NewAgent, log zerolog.Logger) *Endpoint {
	e := &Endpoint{
		name: symbol(name), newAgent: newAgent, log: log,
		strangers: log.Sample(&zerolog.BurstSampler{Burst: maxStrangerLines, Period: time.Second}),
		parsing:   make(chan struct{}, maxParsed),
		sessions:  make(map[string]*session),
	}
	e.counters = newCounters(e)
	e.admission.open = make(map[net.Conn]*visitor)
	e.admission.sources = make(map[netip.Addr]*list.List)
	e.admission.closed = func(source netip.Addr, reason string) {
		e.counters.refuse("too many " + reason)
		e.strangers.Warn().Stringer("from", source).Msg("a connection was closed: too many " + reason)
	}
	return e
}

// symbol replaces the bytes of text that cannot occur in a symbol by underscores.
func symbol(text string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' || strings.ContainsRune("();?", c) {
			return '_'
		}
		return c
	}, text)
}

// exchange is a request and its reply.
type exchange struct {
	arrived time.Time
	client  context.Context // ends when the client closes its connection
	from    string
	request string
	message Message
	reply   string
	// heard is called as soon as the joint move of a PLAY or STOP has been added to the history: it releases the
	// requests that wait behind it.
	heard func()
}

// ServeHTTP answers one message: the body of a POST or, for INFO and PING, the path of a GET. The paths /metrics and
// /healthz describe the endpoint itself.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := visitorOf(r.Context())
	defer e.admission.done(v)
	x := &exchange{arrived: v.sent(), client: r.Context(), from: r.RemoteAddr}
	status := http.StatusOK
	err := guard.Do(func() error { return e.route(w, r, v, x) })
	switch {
	case errors.Is(err, errWritten):
		return
	case err != nil:
		status, x.reply = e.refused(x, err)
	}
	e.counters.request(x.message.Command, status)
	reply(w, status, x.reply)
}

// errWritten: the response has been written.
var errWritten = errors.New("written")

func (e *Endpoint) route(w http.ResponseWriter, r *http.Request, v *visitor, x *exchange) error {
	if !e.allowed(r.RemoteAddr) {
		return refuse(http.StatusForbidden, "address", "this player does not serve your address")
	}
	own := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.Method == http.MethodOptions:
		return nil
	case own && r.URL.Path == "/metrics":
		e.admission.arrived(v)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Header().Set("Connection", "close")
		e.counters.write(w)
		return errWritten
	case own && r.URL.Path == "/healthz":
		return e.health(w)
	}
	request, err := e.read(w, r, v)
	x.heard = func() { e.admission.arrived(v) }
	defer x.heard()
	if c := commandOf(request); c == Play || c == Stop {
		e.admission.queue(v)
	} else {
		x.heard()
	}
	if errors.Is(err, errNoRoom) {
		x.message.Command, x.reply = Start, "busy"
		return nil
	}
	if err != nil {
		return err
	}
	x.request = request
	if x.message, err = ParseMessage(request); err != nil {
		if x.message.Command != Stop || x.message.ID == "" {
			return err
		}
		x.name(e.strangers.Warn()).Str("error", Printable(err.Error(), maxFinding)).Msg("unreadable joint move: the match ends without it")
	}
	if c := x.message.Command; c != Info && c != Ping && !e.trusts(r.Header) {
		return refuse(http.StatusForbidden, "origin", "messages of matches from websites are refused; to allow a website, start the player with --allow-origin")
	}
	err = e.answer(x)
	if err == nil {
		x.name(e.log.Debug()).Str("reply", Printable(x.reply, maxFinding)).Msg("answered")
	}
	return err
}

// allowed reports whether Allow admits an address.
func (e *Endpoint) allowed(remote string) bool {
	a := address(remote)
	if len(e.Allow) == 0 || a.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(e.Allow, func(p netip.Prefix) bool { return p.Contains(a) })
}

// trusts reports whether a request comes from a game server or from a page of an allowed website. Browsers send the
// website, or at least that the request comes from a page.
func (e *Endpoint) trusts(h http.Header) bool {
	origin, site := h.Get("Origin"), h.Get("Sec-Fetch-Site")
	return origin == "" && site == "" || slices.Contains(e.Origins, "*") || origin != "" && slices.Contains(e.Origins, origin)
}

// health writes the status and the number of matches as JSON. The HTTP status is 503 while the endpoint shuts down.
func (e *Endpoint) health(w http.ResponseWriter) error {
	code := http.StatusOK
	matches, status := e.occupancy()
	if status == closingStatus {
		code = http.StatusServiceUnavailable
	}
	text, err := json.Marshal(struct {
		Status  string `json:"status"`
		Matches int    `json:"matches"`
		Version string `json:"version,omitempty"`
	}{status, matches, e.Version})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Connection", "close")
	w.WriteHeader(code)
	_, _ = w.Write(text) // the error of a closed connection is of no use
	return errWritten
}

// refused logs and counts a refused request, and returns the status and reason of the reply.
func (e *Endpoint) refused(x *exchange, err error) (status int, reason string) {
	status, kind := http.StatusBadRequest, "message"
	r, isRefusal := errors.AsType[*refusal](err)
	if isRefusal {
		status, kind = r.status, r.reason
	}
	reason = oneLine(err)
	event := e.strangers.Warn()
	if p, ok := errors.AsType[*guard.Panic](err); ok && !isRefusal {
		status, kind, reason = http.StatusInternalServerError, "panic", "internal error"
		event = e.log.Error().Bytes("stack", p.Stack)
	}
	e.counters.refuse(kind)
	x.name(event).Str("error", Printable(err.Error(), maxFinding)).Msg("refused")
	return status, reason
}

// name adds the match, sender and request of an exchange to a log line.
func (x *exchange) name(event *zerolog.Event) *zerolog.Event {
	if x.message.ID != "" {
		event = event.Str("match", clip(x.message.ID))
	}
	return event.Str("from", x.from).Str("request", clip(x.request))
}

// reply writes a complete response. Some clients support neither chunks nor persistent connections.
func reply(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/acl")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Connection", "close")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	// Slow readers are cut off; httptest recorders have no deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.WriteHeader(status)
	// The error of a closed connection is of no use.
	_, _ = io.WriteString(w, text)
}

// maxReason limits the reason in a refusal, in bytes.
const maxReason = 300

// oneLine returns the first line of an error, as ASCII.
func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return Printable(text, maxReason)
}

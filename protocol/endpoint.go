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
	// maxParsed bounds how many rulesheets are read at once.
	maxParsed = 4
	// maxStrangerLines bounds the lines that requests outside of matches put into
	// the log in a second.
	maxStrangerLines = 10
	// writeTimeout bounds how long a client may take to read a reply.
	writeTimeout = 5 * time.Second
)

// Endpoint is a player as game servers see it: an http.Handler that plays matches,
// each with an agent made for it. It is safe for concurrent use. What the agent does
// wrong (panics, delays, errors) is logged and answered; it never takes the endpoint
// down. The exported fields are for whoever makes it, before the first request.
type Endpoint struct {
	// Matches is how many matches are played at a time; 0 means one.
	Matches int
	// Allow are the addresses that are served, besides those of this machine; none
	// means all.
	Allow []netip.Prefix
	// Origins are the websites, such as https://example.org, whose pages may send messages of
	// matches from the browser of whoever looks at them; "*" is every website. None may by
	// default: a game server is no page in a browser. Any page may ask for INFO.
	Origins []string
	// Record, if not nil, is told of each match that begins, and returns what keeps the notes of it, one
	// after another until its first error. They may take their time.
	Record func(m Match) (keep func(Note) error, err error)
	// MaxMessage bounds a message, in bytes; 0 means 16 MiB. The largest known
	// rulesheets have less than 100 kB.
	MaxMessage int64
	// Version is what INFO and /healthz tell of the program; "" means nothing.
	Version string

	name      string
	newAgent  NewAgent
	log       zerolog.Logger
	strangers zerolog.Logger // for what is no part of a match: of limited frequency
	counters  *counters
	admission admission
	parsing   chan struct{}  // holds a token for each rulesheet that is being read
	written   sync.WaitGroup // notes of matches

	mu       sync.Mutex
	sessions map[string]*session // by id in lower case
	closing  bool
}

var _ http.Handler = (*Endpoint)(nil)

// NewEndpoint makes an endpoint. The name is what INFO tells; bytes that cannot
// stand in a symbol become underscores.
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

// symbol makes a text one that INFO may tell.
func symbol(text string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' || strings.ContainsRune("();?", c) {
			return '_'
		}
		return c
	}, text)
}

// exchange is one request and its answer.
type exchange struct {
	arrived time.Time
	client  context.Context // ends when the client closes its connection
	from    string
	request string
	message Message
	reply   string
	// heard is called as soon as what a PLAY or STOP tells has been kept: those that
	// came after it wait for that.
	heard func()
}

// ServeHTTP answers one message: the body of a POST or, for INFO and PING, the path of a GET. The paths
// /metrics and /healthz are about the endpoint itself.
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

// errWritten says that the response has been written.
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
		return err
	}
	if c := x.message.Command; c != Info && c != Ping && !e.trusts(r.Header) {
		return refuse(http.StatusForbidden, "origin", "this player takes no matches from websites (--allow-origin names those from which it does)")
	}
	err = e.answer(x)
	if err == nil {
		x.name(e.log.Debug()).Str("reply", Printable(x.reply, maxFinding)).Msg("answered")
	}
	return err
}

// allowed tells whether an address is served.
func (e *Endpoint) allowed(remote string) bool {
	a := address(remote)
	if len(e.Allow) == 0 || a.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(e.Allow, func(p netip.Prefix) bool { return p.Contains(a) })
}

// trusts tells whether a request was sent by a game server, or by a page of a website that may. Browsers name the
// website, or say at least that there is one.
func (e *Endpoint) trusts(h http.Header) bool {
	origin, site := h.Get("Origin"), h.Get("Sec-Fetch-Site")
	return origin == "" && site == "" || slices.Contains(e.Origins, "*") || origin != "" && slices.Contains(e.Origins, origin)
}

// health says in JSON that the endpoint serves, and how busy it is. The status is 503
// when it is about to end.
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
	_, _ = w.Write(text) // a client that is gone cannot be told
	return errWritten
}

// refused logs and counts a request that is not answered as it wished, and returns
// what to reply.
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

// name says in a line of the log which exchange it is about.
func (x *exchange) name(event *zerolog.Event) *zerolog.Event {
	if x.message.ID != "" {
		event = event.Str("match", clip(x.message.ID))
	}
	return event.Str("from", x.from).Str("request", clip(x.request))
}

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
	// Who doesn't read is not waited for; there is no deadline without a network.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
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

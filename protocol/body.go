package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// smallMessage is the size limit of messages without rules, in bytes: a joint move of a hundred roles has a few
	// kB.
	smallMessage = 64 << 10
	// largestMessage is the default of Endpoint.MaxMessage.
	largestMessage = 16 << 20
	// bodyGrace is the time limit for sending a message. Its length extends the limit at minRate, in bytes per
	// second.
	bodyGrace = 5 * time.Second
	minRate   = 64 << 10
)

// refusal is an error that refuses a request: the HTTP status and reason for the sender, and the label of the
// counter.
type refusal struct {
	status int
	reason string // label of the counter; has few values
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

func refuse(status int, reason, format string, args ...any) *refusal {
	return &refusal{status, reason, fmt.Errorf(format, args...)}
}

// errNoRoom: admission has no bytes left for a large message.
var errNoRoom = errors.New("no room for the message")

const allowedMethods = "POST, GET, OPTIONS"

// read returns the message of a request: the body of a POST or, for INFO and PING, the path of a GET. Messages of a
// match must come by POST: a page of any website can make a browser send a GET without naming its origin.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request, v *visitor) (string, error) {
	switch r.Method {
	case http.MethodGet:
		text, err := url.QueryUnescape(strings.TrimPrefix(r.RequestURI, "/")) // blanks as + or %20
		if err != nil {
			return "", &refusal{http.StatusBadRequest, "path", err}
		}
		if c := commandOf(text); slices.Contains(commands, c) && c != Info && c != Ping {
			w.Header().Set("Allow", allowedMethods)
			return "", refuse(http.StatusMethodNotAllowed, "method", "%s: expected the method POST, found GET", c)
		}
		return text, nil
	case http.MethodPost:
	default:
		w.Header().Set("Allow", allowedMethods)
		return "", refuse(http.StatusMethodNotAllowed, "method", "expected the method POST, found %s", clip(r.Method))
	}
	body := &paced{body: r.Body, control: http.NewResponseController(w), began: time.Now()}
	defer body.relax()
	text, err := e.readBody(body, r.ContentLength, v)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = refuse(http.StatusRequestTimeout, "slow", "the message did not arrive in time: %d bytes in %v", body.bytes, body.allowed())
	}
	return text, err
}

// readBody reads a message. Its command decides the size limit; large messages are reserved in admission before
// memory is allocated. A body that ends before its announced length is accepted.
func (e *Endpoint) readBody(body io.Reader, announced int64, v *visitor) (string, error) {
	limit := cmp.Or(e.MaxMessage, largestMessage)
	if announced > limit {
		return discard(body, limit, tooLarge(limit))
	}
	small := min(smallMessage, limit)
	head, err := io.ReadAll(io.LimitReader(body, small+1))
	if err != nil || int64(len(head)) <= small {
		return string(head), err
	}
	command := commandOf(string(head))
	if command != Start && command != Preview {
		return discard(body, limit, tooLarge(small))
	}
	size := announced
	if size < 0 {
		size = limit
	}
	if command == Start && e.status() == busyStatus || !e.admission.reserve(v, size, maxLarge*limit) {
		return discard(body, limit, errNoRoom)
	}
	var text strings.Builder
	text.Grow(int(size))
	text.Write(head)
	_, err = io.Copy(&text, io.LimitReader(body, limit+1-int64(len(head))))
	if int64(text.Len()) > limit {
		return discard(body, limit, tooLarge(limit))
	}
	return text.String(), err
}

// discard drains the body before a refusal: some clients do not read the reply while they send.
func discard(body io.Reader, limit int64, reason error) (string, error) {
	if _, err := io.Copy(io.Discard, io.LimitReader(body, limit)); err != nil {
		return "", err
	}
	return "", reason
}

func tooLarge(limit int64) error {
	return refuse(http.StatusRequestEntityTooLarge, "size", "expected at most %d bytes, found more", limit)
}

// paced is a reader of a body whose deadline advances as bytes arrive.
type paced struct {
	body    io.Reader
	control *http.ResponseController
	began   time.Time
	bytes   int64
}

func (p *paced) Read(b []byte) (int, error) {
	// The call fails without a network (in tests).
	_ = p.control.SetReadDeadline(p.began.Add(p.allowed()))
	n, err := p.body.Read(b)
	p.bytes += int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// allowed returns the time limit for the bytes received so far.
func (p *paced) allowed() time.Duration {
	return bodyGrace + time.Duration(p.bytes)*time.Second/minRate
}

// relax removes the deadline: the server goes on reading to notice a closed connection.
func (p *paced) relax() { _ = p.control.SetReadDeadline(time.Time{}) }

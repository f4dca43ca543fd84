package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"stackmate/protocol"
)

const (
	// connectLimit is the shortest time that servers in use take to give up
	// connecting.
	connectLimit = 2 * time.Second
	// infoLimit is how long servers wait for the replies to INFO and ABORT.
	infoLimit = time.Second
	// overtime is how long past its limit a reply is waited for, to tell a late one
	// from none.
	overtime = 2 * time.Second
	// maxReply bounds a reply, in bytes.
	maxReply = 1 << 20
	// maxShown is how much of a text reports show, in bytes.
	maxShown = 200
)

// exchange is one request to a player and what came back.
type exchange struct {
	request string // as sent
	message string // the message in it, or the request if there is none
	limit   time.Duration
	began   time.Time

	raw     []byte // what came
	status  int
	header  http.Header
	body    string
	chunked bool
	closes  bool          // the header says that the connection ends
	took    time.Duration // until all had come, and the connection was closed
	err     error         // no reply, half a reply, or one that is no HTTP
}

// post is the request of a game server with a message.
func post(message string) string {
	return fmt.Sprintf("POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"+
		"Receiver: player\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n%s", len(message), message)
}

// send sends a request in the given pieces and reads to the end of the stream,
// as the simplest readers in use do.
func send(ctx context.Context, address string, limit time.Duration, pieces ...string) *exchange {
	x := &exchange{request: strings.Join(pieces, ""), limit: limit, began: time.Now()}
	x.message = x.request
	if head, body, ok := strings.Cut(x.request, "\r\n\r\n"); ok && strings.HasPrefix(head, "POST") {
		x.message = body
	}
	x.err = x.talk(ctx, address, pieces)
	x.took = time.Since(x.began)
	if len(x.raw) > 0 {
		if err := x.parse(); err != nil {
			x.err = errors.Join(x.err, err)
		}
	}
	return x
}

// pieceDelay lies between the pieces of a request.
const pieceDelay = 50 * time.Millisecond

func (x *exchange) talk(ctx context.Context, address string, pieces []string) error {
	c, err := (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if err := c.SetDeadline(x.began.Add(x.limit + overtime)); err != nil {
		return err
	}
	for i, piece := range pieces {
		if i > 0 {
			time.Sleep(pieceDelay)
		}
		if _, err := io.WriteString(c, piece); err != nil {
			return err
		}
	}
	x.raw, err = io.ReadAll(io.LimitReader(c, maxReply))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errOpen
	}
	return err
}

// errOpen says that the end of the stream has not come.
var errOpen = errors.New("the connection was not closed")

// parse reads the response.
func (x *exchange) parse() error {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(x.raw)), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	x.status, x.header = response.StatusCode, response.Header
	x.chunked, x.closes = len(response.TransferEncoding) > 0, response.Close
	body, err := io.ReadAll(response.Body)
	x.body = string(body)
	return err
}

// open tells whether the connection stayed open after the reply.
func (x *exchange) open() bool { return errors.Is(x.err, errOpen) }

// late tells whether the reply took longer than it may.
func (x *exchange) late() bool { return x.took > x.limit }

// word is the reply without white space around it, in lower case.
func (x *exchange) word() string { return strings.ToLower(strings.TrimSpace(x.body)) }

// String shows what came.
func (x *exchange) String() string {
	seconds := fmt.Sprintf("after %.2f s", x.took.Seconds())
	switch {
	case x.status == 0 && x.err != nil:
		return fmt.Sprintf("%s: %s, %s", shown(string(x.raw)), shown(x.err.Error()), seconds)
	case x.err != nil:
		return fmt.Sprintf("status %d: %s, %s: %s", x.status, shown(x.body), seconds, shown(x.err.Error()))
	}
	return fmt.Sprintf("status %d: %s, %s", x.status, shown(x.body), seconds)
}

// shown makes a text fit for reports.
func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	return protocol.Printable(strings.NewReplacer("\r", `\r`, "\n", `\n`, "\t", `\t`).Replace(text), maxShown)
}

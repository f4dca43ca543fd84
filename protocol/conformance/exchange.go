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
	// connectLimit is the shortest connection timeout of known servers.
	connectLimit = 2 * time.Second
	// infoLimit is the time limit of servers for replies to INFO and ABORT.
	infoLimit = time.Second
	// overtime is the wait past the time limit, to distinguish late replies from missing ones.
	overtime = 2 * time.Second
	// closeLimit is the time in which a player must close the connection after its reply.
	closeLimit = 500 * time.Millisecond
	// maxReply limits a reply, in bytes.
	maxReply = 1 << 20
	// maxShown limits the texts in reports, in bytes.
	maxShown = 200
)

// exchange is a request to a player and its reply.
type exchange struct {
	request string // as sent
	message string // the message in it, or the request if it has none
	limit   time.Duration
	toClose time.Duration // wait for the end of the connection after a whole reply
	began   time.Time

	raw         []byte // the received bytes
	status      int
	header      http.Header
	body        string
	chunked     bool
	ended       bool          // the player has closed the connection
	unreachable bool          // the connection failed
	took        time.Duration // until the end of the reply
	err         error         // no reply, a partial reply, or invalid HTTP
}

// dialer opens a connection to the player.
type dialer func(ctx context.Context) (net.Conn, error)

// dialTCP returns a dialer of an address.
func dialTCP(address string) dialer {
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", address)
	}
}

// post returns the HTTP request of a game server with a message.
func post(message string) string {
	return fmt.Sprintf("POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"+
		"Receiver: player\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n%s", len(message), message)
}

// send sends a request in pieces and reads the reply to the end of the stream, as the simplest clients do. After a
// whole reply it waits toClose for the end.
func send(ctx context.Context, dial dialer, limit, toClose time.Duration, pieces ...string) *exchange {
	x := &exchange{request: strings.Join(pieces, ""), limit: limit, toClose: toClose, began: time.Now()}
	x.message = x.request
	if head, body, ok := strings.Cut(x.request, "\r\n\r\n"); ok && strings.HasPrefix(head, "POST") {
		x.message = body
	}
	x.err = x.talk(ctx, dial, pieces)
	if x.took == 0 {
		x.took = time.Since(x.began)
	}
	if _, err := x.parse(); len(x.raw) > 0 {
		x.err = errors.Join(x.err, err)
	}
	return x
}

// pieceDelay is the time between the pieces of a request.
const pieceDelay = 50 * time.Millisecond

func (x *exchange) talk(ctx context.Context, dial dialer, pieces []string) error {
	c, err := dial(ctx)
	if err != nil {
		x.unreachable = true
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
	return x.read(c)
}

// read reads until the player closes the connection, or for toClose after a whole reply.
func (x *exchange) read(c net.Conn) error {
	buffer := make([]byte, 8192)
	whole := false
	for len(x.raw) < maxReply {
		n, err := c.Read(buffer)
		x.raw = append(x.raw, buffer[:n]...)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !whole:
			return fmt.Errorf("no whole reply in %v, and the connection was left open", x.limit+overtime)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case errors.Is(err, io.EOF) && len(x.raw) == 0:
			return errors.New("the player closed the connection without a reply")
		case errors.Is(err, io.EOF) || err != nil && whole:
			x.ended = true
			return nil
		case err != nil:
			return err
		case whole:
			continue
		}
		if whole, _ = x.parse(); whole {
			x.took = time.Since(x.began)
			if err := c.SetDeadline(time.Now().Add(x.toClose)); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the reply has more than %d bytes", maxReply)
}

// parse parses the response so far. Whole reports whether the response announces its end and has reached it.
func (x *exchange) parse() (whole bool, err error) {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(x.raw)), nil)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	x.status, x.header = response.StatusCode, response.Header
	x.chunked = len(response.TransferEncoding) > 0
	body, err := io.ReadAll(response.Body)
	x.body = string(body)
	return err == nil && (x.chunked || response.ContentLength >= 0), err
}

// word returns the reply in lower case, without surrounding white space.
func (x *exchange) word() string { return strings.ToLower(strings.TrimSpace(x.body)) }

// String describes the reply.
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

// shown returns a printable form of text for reports.
func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	return protocol.Printable(strings.NewReplacer("\r", `\r`, "\n", `\n`, "\t", `\t`).Replace(text), maxShown)
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// wireChecks are the rules on HTTP. Those on every reply come last: they look at
// all replies to all checks.
var wireChecks = []playerCheck{
	{"HTTP 1.1", "Requests of HTTP 1.1 are answered like those of HTTP 1.0.", func(t *trial) {
		t.info("POST / HTTP/1.1\r\nHost: " + t.address + "\r\nContent-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )")
	}},
	{"request in pieces", "A request may arrive in pieces.", func(t *trial) {
		t.info("POST / HT", "TP/1.0\r\nContent-Le", "ngth: 8\r\n", "\r\n", "( IN", "FO )")
	}},
	{"no content type", "A request needs no other header than its length.", func(t *trial) {
		t.info("POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )")
	}},
	{"any path", "The path of a POST does not matter.", func(t *trial) {
		t.info("POST /player/1?x=y HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )")
	}},
	{"GET", "A message may also come as the escaped path of a GET.", func(t *trial) {
		t.info("GET /" + url.PathEscape("( INFO )") + " HTTP/1.0\r\n\r\n")
	}},
	{"OPTIONS", "OPTIONS, which browsers send before a POST, is answered with the headers that allow it.", func(t *trial) {
		x := t.send(infoLimit, "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nAccess-Control-Request-Method: POST\r\n\r\n")
		if fault := crossOrigin(x); x.status/100 != 2 || fault != "" {
			t.fail(x, "status 200 and the Access-Control-Allow headers; "+fault)
			return
		}
		t.show(x, "status 200 and the Access-Control-Allow headers")
	}},
	{"cross-origin headers", "Every reply allows browsers to read it: Access-Control-Allow-Origin, -Methods, -Headers.", everyReply(crossOrigin)},
	{"content type", "Every reply has the Content-Type text/acl.", everyReply(func(x *exchange) string {
		if found := x.header.Get("Content-Type"); !strings.HasPrefix(found, "text/acl") {
			return fmt.Sprintf("Content-Type: text/acl, found %q", found)
		}
		return ""
	})},
	{"content length", "Every reply has a Content-Length, and as many bytes.", everyReply(func(x *exchange) string {
		found := x.header.Get("Content-Length")
		if n, err := strconv.Atoi(found); err != nil || n != len(x.body) || errors.Is(x.err, io.ErrUnexpectedEOF) {
			return fmt.Sprintf("the Content-Length of %d bytes, found %q", len(x.body), found)
		}
		return ""
	})},
	{"no chunks", "No reply is sent in chunks, which readers in use do not understand.", everyReply(func(x *exchange) string {
		if x.chunked {
			return "no Transfer-Encoding"
		}
		return ""
	})},
	{"connection", "Every reply is followed by the end of the connection, and says so: Connection: close.", everyReply(func(x *exchange) string {
		switch {
		case x.open():
			return "the end of the stream"
		case !x.closes:
			return "Connection: close"
		}
		return ""
	})},
	{"ASCII", "Every reply is ASCII, without control characters but white space.", everyReply(func(x *exchange) string {
		if strings.ContainsFunc(x.body, func(c rune) bool { return c > '~' || c < ' ' && !strings.ContainsRune("\t\r\n", c) }) {
			return "ASCII"
		}
		return ""
	})},
}

// info sends a request in pieces and expects the reply to INFO.
func (t *trial) info(pieces ...string) {
	x := t.send(infoLimit, pieces...)
	t.expect(x, "a status that is available", func(x *exchange) bool { return status(x) == "available" })
}

// everyReply checks all replies so far with a function that tells what was
// expected of one, or "".
func everyReply(fault func(x *exchange) string) func(t *trial) {
	return func(t *trial) {
		seen := 0
		for _, x := range t.all {
			if x.status == 0 {
				continue
			}
			seen++
			if expected := fault(x); expected != "" {
				t.fail(x, expected)
				return
			}
		}
		if seen == 0 {
			t.skip("there was no reply")
		}
	}
}

// crossOrigin tells which header is missing for browsers, or "".
func crossOrigin(x *exchange) string {
	for name, value := range map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Methods": http.MethodPost,
		"Access-Control-Allow-Headers": "Content-Type",
	} {
		if found := x.header.Get(name); !strings.Contains(strings.ToLower(found), strings.ToLower(value)) {
			return fmt.Sprintf("%s: %s, found %q", name, value, found)
		}
	}
	return ""
}

// halfSend opens connections and sends the beginning of a request on each. Close
// ends them all.
func halfSend(ctx context.Context, address string, n int, half string) (closeAll func(), err error) {
	var open []net.Conn
	closeAll = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for range n {
		c, err := (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", address)
		if err != nil {
			return closeAll, err
		}
		open = append(open, c)
		if _, err := io.WriteString(c, half); err != nil {
			return closeAll, err
		}
	}
	return closeAll, nil
}

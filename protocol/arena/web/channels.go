package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A browser opens at most six connections to a server, for all its windows. So the windows share one connection,
// which carries the events of all their streams, each under a number that the browser chooses.

// maxChannels bounds the streams of one connection.
const maxChannels = 256

// connection is the shared connection of one browser.
type connection struct {
	*stream
	mu       sync.Mutex
	ctx      context.Context
	channels map[int]context.CancelFunc
}

// connect opens the connection of a browser. Its first event has its name.
func (s *Server) connect(e *stream, r *http.Request) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &connection{stream: e, ctx: ctx, channels: make(map[int]context.CancelFunc)}
	id := rand.Text()
	s.connected.Store(id, c)
	defer func() {
		s.connected.Delete(id)
		c.mu.Lock() // wait for writers: w is invalid after return
		c.ctx = nil
		c.mu.Unlock()
	}()
	for text := event("connection", id); ; text = stillHere {
		if err := c.write(text); err != nil {
			return err
		}
		select {
		case <-time.After(beat):
		case <-ctx.Done():
			return nil
		}
	}
}

// write sends events of one of the channels.
func (c *connection) write(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		return context.Canceled
	}
	return c.send(text)
}

// follow begins or ends a channel of a connection: the stream at a path of the API.
func (s *Server) follow(mux *http.ServeMux) func(r *http.Request) (struct{}, error) {
	return func(r *http.Request) (done struct{}, err error) {
		var q struct {
			Channel int    `json:"channel"`
			Path    string `json:"path"` // "" to end it
		}
		if err := readJSON(r, &q); err != nil {
			return done, err
		}
		c, ok := s.connected.Load(r.PathValue("id"))
		if !ok {
			return done, faulty(http.StatusNotFound, "there is no such connection (any longer)")
		}
		return done, s.channel(c.(*connection), mux, q.Channel, q.Path)
	}
}

func (s *Server) channel(c *connection, mux *http.ServeMux, number int, path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end := c.channels[number]; end != nil {
		end()
		delete(c.channels, number)
	}
	if path == "" || c.ctx == nil {
		return nil
	}
	if len(c.channels) >= maxChannels {
		return faulty(http.StatusServiceUnavailable, "this browser follows too much at a time")
	}
	ctx, cancel := context.WithCancel(c.ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/api/"+strings.TrimPrefix(path, "api/"), nil)
	if err != nil || strings.HasPrefix(r.URL.Path, "/api/connection") {
		cancel()
		return faulty(http.StatusBadRequest, "expected the path of a stream")
	}
	c.channels[number] = cancel
	s.safely("a channel", func() {
		defer cancel()
		w := &channel{connection: c, number: number, header: make(http.Header)}
		mux.ServeHTTP(w, r)
		w.finish()
	})
	return nil
}

// channel is the response of a stream within a connection.
type channel struct {
	*connection
	number int
	header http.Header
	fault  bytes.Buffer // an error instead of a stream
}

func (w *channel) Header() http.Header { return w.header }
func (w *channel) WriteHeader(int)     {}
func (w *channel) Flush()              {}

// Write passes events on, under the number of the channel.
func (w *channel) Write(text []byte) (int, error) {
	if w.header.Get("Content-Type") != "text/event-stream" {
		return w.fault.Write(text)
	}
	kind, isEvent := bytes.CutPrefix(text, []byte("event: "))
	if !isEvent {
		return len(text), nil // the connection says itself that it is there
	}
	return len(text), w.write(fmt.Appendf(nil, "event: %d %s", w.number, kind))
}

// finish tells why there was no stream, and that there is no more of it.
func (w *channel) finish() {
	if w.fault.Len() > 0 {
		var refused struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(w.fault.Bytes(), &refused) != nil || refused.Error == "" {
			refused.Error = "there is no stream at this path"
		}
		_ = w.write(event(fmt.Sprint(w.number, " failed"), refused.Error)) // nobody reads if it fails
	}
	_ = w.write(event(fmt.Sprint(w.number, " closed"), ""))
}

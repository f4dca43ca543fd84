package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"stackmate/internal/feed"
)

// A stream is a WebSocket that carries events, each a pair of its kind and its value in JSON. WebSockets do not count
// among the six connections that a browser opens to a server. An event is encoded once, in a feed, for all its readers;
// a reader who comes back reads the feed from its beginning.

const (
	// beat is the time between two pings.
	beat = 15 * time.Second
	// patience is how long a reader may take for one event, or for the answer to a ping.
	patience = 30 * time.Second
)

// event returns an event as it is sent.
func event(kind string, value any) []byte {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false) // a drawing is half as long
	if err := out.Encode([]any{kind, value}); err != nil {
		return event("failed", err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// stream is a connection to one reader of events.
type stream struct {
	*websocket.Conn
	ctx context.Context // ends when the reader leaves
	due time.Time       // of the next ping
}

// events makes a handler of a function that sends events until its reader leaves. An error is the last event; the
// reader closes the connection after it, and after an end. Readers send nothing: a message ends the connection unread.
func (s *Server) events(tell func(e *stream, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // it has been answered
		}
		defer func() { _ = conn.CloseNow() }() // it may be closed
		ctx, leave := context.WithCancel(r.Context())
		go func() {
			defer leave()
			_, _, _ = conn.Reader(ctx) // answers pings and close frames
		}()
		e := &stream{conn, ctx, time.Now().Add(beat)}
		done, err := s.streams.enter(ctx, nil)
		if err == nil {
			defer done()
			err = tell(e, r.WithContext(ctx))
		}
		if err != nil && ctx.Err() == nil { // a reader who is cut off comes back, one who fails does not
			_ = e.send(event("failed", s.told(err)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(patience):
		}
	}
}

// send sends events. An error means that the reader has left, or does not read.
func (e *stream) send(events ...[]byte) error {
	for _, event := range events {
		writing, cancel := context.WithTimeout(e.ctx, patience)
		err := e.Write(writing, websocket.MessageText, event)
		if cancel(); err != nil {
			return err
		}
	}
	return nil
}

// follow sends a feed until it ends or the reader leaves.
func (e *stream) follow(s *feed.Feed[[]byte]) error {
	for seen := 0; ; {
		news, now, over, fresh := s.After(seen)
		if err := e.send(news...); err != nil || over {
			return err
		}
		seen = now
		if err := awaitNews(e, fresh); err != nil {
			return err
		}
	}
}

// awaitNews waits for news and pings the reader meanwhile. An error means that the reader has left, or does not answer.
func awaitNews[T any](e *stream, news <-chan T) error {
	for {
		select {
		case <-news:
			return nil
		case <-time.After(time.Until(e.due)):
		case <-e.ctx.Done():
			return e.ctx.Err()
		}
		answering, cancel := context.WithTimeout(e.ctx, patience)
		err := e.Ping(answering)
		if cancel(); err != nil {
			_ = e.CloseNow() // the reader may have closed it
			return err
		}
		e.due = time.Now().Add(beat)
	}
}

package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"stackmate/internal/feed"
)

// Streams are server-sent events: one line of JSON each, and now and then a comment that keeps the connection. An
// event is encoded once, in a feed, for all its readers.

const (
	// beat is the time after which a silent stream says that it is there.
	beat = 15 * time.Second
	// patience is how long a reader may take for one event.
	patience = 30 * time.Second
)

var stillHere = []byte(": still here\n\n")

// event returns an event as it is sent.
func event(kind string, value any) []byte {
	text := bytes.NewBufferString("event: " + kind + "\ndata: ")
	out := json.NewEncoder(text)
	out.SetEscapeHTML(false) // a drawing is half as long
	if err := out.Encode(value); err != nil {
		return event("failed", err.Error())
	}
	text.WriteByte('\n')
	return text.Bytes()
}

// stream is a connection to one reader of events.
type stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool
}

// events makes a handler of a function that sends events until its reader leaves. An error before the first event is the answer.
func (s *Server) events(tell func(e *stream, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e := &stream{w: w, rc: http.NewResponseController(w)}
		done, err := s.streams.enter(r.Context(), nil)
		if err == nil {
			defer done()
			err = tell(e, r)
		}
		if err != nil && !e.begun {
			s.writeJSON(w, nil, err)
		}
	}
}

// send sends events. An error means that the reader has left.
func (e *stream) send(events ...[]byte) error {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-store")
	}
	_ = e.rc.SetWriteDeadline(time.Now().Add(patience)) // not of all writers
	for _, event := range events {
		if _, err := e.w.Write(event); err != nil {
			return err
		}
	}
	return e.rc.Flush()
}

// follow sends a feed until it ends or the reader leaves.
func (e *stream) follow(r *http.Request, s *feed.Feed[[]byte]) error {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for seen := 0; ; {
		news, now, over, fresh := s.After(seen)
		var err error
		if seen = now; len(news) > 0 {
			err = e.send(news...)
		}
		if err != nil || over {
			return err
		}
		select {
		case <-fresh:
		case <-tick.C:
			if err := e.send(stillHere); err != nil {
				return err
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

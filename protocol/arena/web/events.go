package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Whoever looks at something that changes is sent server-sent events: one line of JSON
// each, and now and then a comment that keeps the connection.

const (
	// beat is the time after which a silent stream says that it is there.
	beat = 15 * time.Second
	// patience is how long a reader may take for one event.
	patience = 30 * time.Second
)

// stream is one reader of events.
type stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	done func()
}

// open begins a stream of events.
func (s *Server) open(w http.ResponseWriter) (*stream, error) {
	done, err := take(s.streams, "watchers")
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	return &stream{w, http.NewResponseController(w), done}, nil
}

// send sends an event. The error says that nobody reads.
func (e *stream) send(kind string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, text))
}

func (e *stream) write(text string) error {
	_ = e.rc.SetWriteDeadline(time.Now().Add(patience)) // not of all writers
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.rc.Flush()
}

// topic is something that changes: its readers want the latest, not all there was.
type topic struct {
	mu      sync.Mutex
	version int
	latest  any
	over    bool
	fresh   chan struct{}
}

// set tells the latest. It is nil that ends the topic.
func (t *topic) set(latest any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.version++
	if latest == nil {
		t.over = true
	} else {
		t.latest = latest
	}
	if t.fresh != nil {
		close(t.fresh)
		t.fresh = nil
	}
}

// after is the latest, if it is later than a version, and a channel that is closed when
// there is something newer.
func (t *topic) after(version int) (latest any, now int, over bool, fresh <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fresh == nil {
		t.fresh = make(chan struct{})
	}
	if t.version > version {
		latest = t.latest
	}
	return latest, t.version, t.over, t.fresh
}

// follow sends a topic until it ends or nobody reads.
func (e *stream) follow(r *http.Request, t *topic, kind string) {
	defer e.done()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for version := 0; ; {
		latest, now, over, fresh := t.after(version)
		if latest != nil {
			if e.send(kind, latest) != nil {
				return
			}
		}
		if version = now; over {
			_ = e.send("end", nil)
			return
		}
		select {
		case <-fresh:
		case <-tick.C:
			if e.write(": still here\n\n") != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

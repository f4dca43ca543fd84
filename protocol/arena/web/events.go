package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Whoever looks at something that changes is sent server-sent events: one line of JSON
// each, and now and then a comment that keeps the connection. An event is written once,
// as a story, however many follow it.

const (
	// beat is the time after which a silent stream says that it is there.
	beat = 15 * time.Second
	// patience is how long a reader may take for one event.
	patience = 30 * time.Second
)

var stillHere = []byte(": still here\n\n")

// event writes an event.
func event(kind string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		kind, text = "failed", fmt.Appendf(nil, "%q", err)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, text)
}

// story is something that changes.
type story struct {
	mu     sync.Mutex
	told   int      // events so far
	events [][]byte // the last of them: those that a new reader needs
	over   bool
	fresh  chan struct{} // closed when there is more; nil while nobody waits
}

// add tells what comes after all that was told.
func (s *story) add(event []byte) { s.tell(false, false, event) }

// replace tells the latest: nobody needs what was told before.
func (s *story) replace(event []byte) { s.tell(true, false, event) }

// end tells that there is no more, with a note why, or "".
func (s *story) end(note string) { s.tell(false, true, event("end", note)) }

func (s *story) tell(alone, last bool, event []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if alone {
		s.events = nil
	}
	s.events, s.told, s.over = append(s.events, event), s.told+1, last
	if s.fresh != nil {
		close(s.fresh)
		s.fresh = nil
	}
}

// after is what a reader of so many events needs, the number of events with it, whether
// they are all, and a channel that is closed when there are more.
func (s *story) after(seen int) (news [][]byte, now int, over bool, fresh <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fresh == nil {
		s.fresh = make(chan struct{})
	}
	return s.events[max(0, len(s.events)-(s.told-seen)):], s.told, s.over, s.fresh
}

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

// send sends events. The error says that nobody reads.
func (e *stream) send(events ...[]byte) error {
	_ = e.rc.SetWriteDeadline(time.Now().Add(patience)) // not of all writers
	for _, event := range events {
		if _, err := e.w.Write(event); err != nil {
			return err
		}
	}
	return e.rc.Flush()
}

// follow sends a story until it ends or nobody reads.
func (e *stream) follow(r *http.Request, s *story) {
	defer e.done()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for seen := 0; ; {
		news, now, over, fresh := s.after(seen)
		if seen = now; len(news) > 0 && e.send(news...) != nil || over {
			return
		}
		select {
		case <-fresh:
		case <-tick.C:
			if e.send(stillHere) != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

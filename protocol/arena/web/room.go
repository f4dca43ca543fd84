package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// room has a few places for heavy work, and a bounded queue in order of arrival.
type room struct {
	work           string // in the plural
	places, queued int    // at most

	mu      sync.Mutex
	inside  int
	queue   []*int        // one pointer for each request
	changed chan struct{} // closed when the queue advances
}

func newRoom(work string, places, queued int) *room {
	return &room{work: work, places: places, queued: queued, changed: make(chan struct{})}
}

// enter waits for a place as long as ctx lasts; leave gives it back. The place in the queue, from 1, is passed to
// waiting (nil: nobody asks) at first and whenever it changes. The error says that the queue is full, or that ctx has ended.
func (r *room) enter(ctx context.Context, waiting func(place int)) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inside >= r.places && len(r.queue) >= r.queued {
		return nil, faulty(http.StatusServiceUnavailable, fmt.Sprintf("too many %s: %d run and %d wait; try again later", r.work, r.inside, len(r.queue)))
	}
	me, told := new(int), -1
	r.queue = append(r.queue, me)
	for ctx.Err() == nil {
		i := slices.Index(r.queue, me)
		if i == 0 && r.inside < r.places {
			r.inside++
			r.advance(me)
			return sync.OnceFunc(func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.inside--
				r.advance(nil)
			}), nil
		}
		changed := r.changed
		r.mu.Unlock()
		if told != i && waiting != nil {
			waiting(i + 1)
		}
		told = i
		select {
		case <-changed:
		case <-ctx.Done():
		}
		r.mu.Lock()
	}
	r.advance(me)
	return nil, ctx.Err()
}

// advance removes a request from the queue and wakes the others.
func (r *room) advance(gone *int) {
	r.queue = slices.DeleteFunc(r.queue, func(p *int) bool { return p == gone })
	close(r.changed)
	r.changed = make(chan struct{})
}

package player

import (
	"context"
	"time"
)

// Where several play, exact and sampling search share the threads: the exact one takes
// time away that would make the estimates better, and in most positions of most games
// it gets nowhere. So it rests for more of the time whenever a move has been made
// without its help, and works all the time again as soon as it finds something: a
// value, or a mistake not to make.

const (
	// leastWork is the part of the time in which the exact search keeps on working, to
	// find out when it is of use.
	leastWork = 1. / 8
	// leastRest is the shortest rest that is worth the trouble of waking up.
	leastRest = 2 * time.Millisecond
)

// shares tells whether the exact search gives time back.
func (t *thinker) shares() bool { return t.class.Players > 1 && t.has(sharing) }

// worthwhile takes note of whether exact searches have helped with a move.
func (t *thinker) worthwhile(r *root) {
	if t.exactWork = max(leastWork, t.exactWork/2); r.helped {
		t.exactWork = 1
	}
}

// sparing is a context for a search that is to work for a share of the time only: it
// rests where it looks at the context. It is for one goroutine.
type sparing struct {
	context.Context
	share  float64
	began  time.Time
	rested time.Duration
}

func newSparing(ctx context.Context, share float64) *sparing {
	return &sparing{Context: ctx, share: share, began: time.Now()}
}

// Err implements context.Context.
func (s *sparing) Err() error {
	elapsed := time.Since(s.began)
	worked := elapsed - s.rested
	if rest := time.Duration(float64(worked)/s.share) - elapsed; rest > leastRest {
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
		case <-s.Done():
			timer.Stop()
		}
		s.rested = time.Since(s.began) - worked
	}
	return s.Context.Err()
}

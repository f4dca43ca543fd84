package player

import (
	"context"
	"sync"
	"time"
)

const (
	// readyMargin is what is left of the start clock at Start's end: nothing
	// depends on its last second but the whole match on being ready.
	readyMargin = time.Second
	// readyShare bounds it to this part of a short clock.
	readyShare = 0.25
	// unlimitedThinking is the time for a move where the clock has no limit.
	unlimitedThinking = 10 * time.Second
	// unlimitedPreparing is the time for Start where the clock has no limit.
	unlimitedPreparing = 10 * time.Second
)

// The defaults of Options.MinMargin and Options.MaxMargin: a reply crosses a
// network and is scheduled on the way at both ends; nobody can be asked to wait
// for long because of one bad second.
const (
	DefaultMinMargin = 150 * time.Millisecond
	DefaultMaxMargin = 3 * time.Second
)

const (
	// firstMargin is kept in reserve before anything has been measured.
	firstMargin = 300 * time.Millisecond
	// leastShare bounds the margin from below to this part of a short clock,
	// firstShare the one before anything has been measured, and mostShare every
	// margin from above.
	leastShare = 0.15
	firstShare = 0.25
	mostShare  = 0.6
	// forgetting is the part of what was measured that lasts from one move to the
	// next: after 20 moves half of it is forgotten.
	forgetting = 0.966
	// trusting is the same for firstMargin: a dozen moves are experience enough.
	trusting = 0.8
	// stopFactor is how much longer than before a search may take to stop.
	stopFactor = 1.25
	// firstPenalty is added when the server has replaced a move of ours, and
	// doubled when it does so again.
	firstPenalty = 250 * time.Millisecond
	// watchEvery is how often the lateness of timers is measured while we think.
	watchEvery = 10 * time.Millisecond
	// unwinding is the part of the margin that searches have to return; one that
	// takes longer is left behind.
	unwinding = 0.5
	// unwindingShare is the part of that until the searches are left behind; the
	// rest is for choosing by what has come back.
	unwindingShare = 0.8
)

// Margins learn how much of a play clock must be kept in reserve: from how late
// this machine lets goroutines run, how late searches stop and decisions come, how
// long messages took to reach us, and from moves that the server replaced. They are
// safe for concurrent use; players of one process may share them.
type Margins struct {
	least, most time.Duration

	mu      sync.Mutex
	prior   float64 // of firstMargin that still counts
	jitter  time.Duration
	overrun time.Duration
	delay   time.Duration
	stop    time.Duration
	penalty time.Duration
}

// NewMargins makes margins without experience, within bounds; 0 means the default.
func NewMargins(least, most time.Duration) *Margins {
	if least <= 0 {
		least = DefaultMinMargin
	}
	if most <= 0 {
		most = max(DefaultMaxMargin, least)
	}
	return &Margins{least: least, most: max(least, most), prior: 1}
}

// reserve is the time to keep of a clock.
func (m *Margins) reserve(clock time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A goroutine is woken twice on the way to the reply: when the clock is up and
	// when the searches have returned. Messages go out as slowly as they come in.
	need := max(2*m.jitter, 3*m.overrun/2) + 2*m.delay + m.penalty
	if stop := scaled(stopFactor/(unwinding*unwindingShare), m.stop); stop <= scaled(mostShare, clock) {
		need = max(need, stop) // otherwise it is no use to wait for the searches
	}
	need = max(need, scaled(m.prior, min(firstMargin, scaled(firstShare, clock))))
	need = max(need, min(m.least, scaled(leastShare, clock)))
	return min(need, m.most, scaled(mostShare, clock))
}

func scaled(by float64, d time.Duration) time.Duration { return time.Duration(by * float64(d)) }

// moved takes note of a move for which the time was used up: how long after its
// arrival the message reached us, and how long after the margin began the move was
// there.
func (m *Margins) moved(delay, overrun time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prior *= trusting
	m.jitter = scaled(forgetting, m.jitter)
	m.penalty = scaled(forgetting, m.penalty)
	m.stop = scaled(forgetting, m.stop)
	m.delay = max(delay, scaled(forgetting, m.delay))
	m.overrun = max(overrun, scaled(forgetting, m.overrun))
}

// late takes note of how late a goroutine ran.
func (m *Margins) late(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jitter = max(m.jitter, by)
}

// stopped takes note of how long a search took to come back when its time was up.
func (m *Margins) stopped(after time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stop = max(m.stop, after)
}

// replaced takes note that the server has replaced a move that was sent in time,
// as far as we could see.
func (m *Margins) replaced() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.penalty = min(m.most, max(firstPenalty, 2*m.penalty))
}

// watch measures how late timers are until ctx is done.
func (m *Margins) watch(ctx context.Context) {
	due := time.Now().Add(watchEvery)
	timer := time.NewTimer(watchEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		m.late(time.Since(due))
		due = time.Now().Add(watchEvery)
		timer.Reset(watchEvery)
	}
}

// schedule is when a move is due.
type schedule struct {
	arrived time.Time
	think   time.Time // searches are told to stop
	give    time.Time // searches that have not come back are left behind
	last    time.Time // the end of the clock
}

// scheduled divides the time until the deadline of ctx.
func (m *Margins) scheduled(ctx context.Context, now time.Time) schedule {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = now.Add(unlimitedThinking)
	}
	margin := m.reserve(deadline.Sub(now))
	think := deadline.Add(-margin)
	return schedule{arrived: now, think: think, give: think.Add(scaled(unwinding, margin)), last: deadline}
}

// beforeReady is ctx, done a margin before the end of the start clock.
func beforeReady(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithDeadline(ctx, now.Add(unlimitedPreparing))
	}
	margin := min(readyMargin, scaled(readyShare, deadline.Sub(now)))
	return context.WithDeadline(ctx, deadline.Add(-margin))
}

// timeLeft is the time until the deadline of ctx.
func timeLeft(ctx context.Context, now time.Time) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Sub(now)
	}
	return unlimitedPreparing
}

package player

import (
	"context"
	"sync"
	"time"
)

const (
	// readyMargin is the time between the end of preparing and the end of the start clock. The last second
	// gains little, and a late READY loses the match.
	readyMargin = time.Second
	// readyShare bounds readyMargin to this share of a short clock.
	readyShare = 0.25
	// unlimitedThinking is the time for a move without a clock.
	unlimitedThinking = 10 * time.Second
	// unlimitedPreparing is the time for Start without a clock.
	unlimitedPreparing = 10 * time.Second
)

// The defaults of Options.MinMargin and Options.MaxMargin. A reply needs time on the network and
// in the schedulers of both machines; the upper bound limits the cost of a single outlier.
const (
	DefaultMinMargin = 150 * time.Millisecond
	DefaultMaxMargin = 3 * time.Second
)

const (
	// firstMargin is the margin before the first measurement.
	firstMargin = 300 * time.Millisecond
	// leastShare bounds the margin from below to this share of a short clock, firstShare bounds firstMargin,
	// and mostShare bounds every margin from above.
	leastShare = 0.15
	firstShare = 0.25
	mostShare  = 0.6
	// forgetting is the decay of the measured maxima with each move: they halve in 20 moves.
	forgetting = 0.966
	// trusting is the decay of firstMargin with each move: a dozen moves replace it by measurements.
	trusting = 0.8
	// stopFactor is the safety factor on the longest time that a search took to stop.
	stopFactor = 1.25
	// firstPenalty is the addition to the margin after the server has replaced a move; it doubles with each
	// further replaced move.
	firstPenalty = 250 * time.Millisecond
	// watchEvery is the interval at which the lateness of timers is measured during a search.
	watchEvery = 10 * time.Millisecond
	// unwinding is the share of the margin within which searches must return; a slower search is abandoned.
	unwinding = 0.5
	// unwindingShare is the share of this time before searches are abandoned. The remainder is for the
	// decision by the results at hand.
	unwindingShare = 0.8
)

// Margins learns how much of a play clock to keep in reserve. It measures the latency of the scheduler,
// of searches that stop, of decisions and of messages, and counts moves that the server replaced.
// It is safe for concurrent use; the players of a process may share it.
type Margins struct {
	least, most time.Duration

	mu      sync.Mutex
	prior   float64 // weight of firstMargin, from 1 to 0
	jitter  time.Duration
	overrun time.Duration
	delay   time.Duration
	stop    time.Duration
	penalty time.Duration
}

// NewMargins returns margins without measurements, bounded by least and most; 0 stands for the default.
func NewMargins(least, most time.Duration) *Margins {
	if least <= 0 {
		least = DefaultMinMargin
	}
	if most <= 0 {
		most = max(DefaultMaxMargin, least)
	}
	return &Margins{least: least, most: max(least, most), prior: 1}
}

// reserve returns the time to keep in reserve of a clock.
func (m *Margins) reserve(clock time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The reply waits for the scheduler twice: when the time is up and when the searches have returned. Messages
	// are sent as slowly as they are received.
	need := max(2*m.jitter, 3*m.overrun/2) + 2*m.delay + m.penalty
	if stop := scaled(stopFactor/(unwinding*unwindingShare), m.stop); stop <= scaled(mostShare, clock) {
		need = max(need, stop) // a longer stop is not worth the wait
	}
	need = max(need, scaled(m.prior, min(firstMargin, scaled(firstShare, clock))))
	need = max(need, min(m.least, scaled(leastShare, clock)))
	return min(need, m.most, scaled(mostShare, clock))
}

func scaled(by float64, d time.Duration) time.Duration { return time.Duration(by * float64(d)) }

// moved records a move that used its whole time: delay is the time from the arrival of the message to Play,
// overrun the time from the start of the margin to the decision.
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

// late records the latency of the scheduler.
func (m *Margins) late(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jitter = max(m.jitter, by)
}

// stopped records the time that a search took to return after its deadline.
func (m *Margins) stopped(after time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stop = max(m.stop, after)
}

// replaced records that the server has replaced a move that this player sent in time by its own clock.
func (m *Margins) replaced() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.penalty = min(m.most, max(firstPenalty, 2*m.penalty))
}

// watch measures the lateness of timers until ctx is done.
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

// schedule holds the deadlines of a move.
type schedule struct {
	arrived time.Time
	think   time.Time // searches are interrupted
	give    time.Time // searches that have not returned are abandoned
	last    time.Time // the end of the clock
}

// scheduled returns the schedule for the time until the deadline of ctx.
func (m *Margins) scheduled(ctx context.Context, now time.Time) schedule {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = now.Add(unlimitedThinking)
	}
	margin := m.reserve(deadline.Sub(now))
	think := deadline.Add(-margin)
	return schedule{arrived: now, think: think, give: think.Add(scaled(unwinding, margin)), last: deadline}
}

// beforeReady returns ctx with a deadline that lies a margin before the end of the start clock.
func beforeReady(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithDeadline(ctx, now.Add(unlimitedPreparing))
	}
	margin := min(readyMargin, scaled(readyShare, deadline.Sub(now)))
	return context.WithDeadline(ctx, deadline.Add(-margin))
}

// timeLeft returns the time until the deadline of ctx.
func timeLeft(ctx context.Context, now time.Time) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Sub(now)
	}
	return unlimitedPreparing
}

package player

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// policy is the decision procedure of a kind of player. It belongs to one match and is called
// by one goroutine at a time.
type policy interface {
	// begin uses the time between the start of a match and its first move.
	begin(ctx context.Context, at position)
	// choose returns one of the legal moves of the position before ctx is done. The position has
	// at least two.
	choose(ctx context.Context, at position) choice
	// ponder thinks about the next move until ctx is done.
	ponder(ctx context.Context, at position)
}

// setting holds the arguments of a policy.
type setting struct {
	spec
	seed  uint64
	clock time.Duration // for each move; 0 means no limit
	// ponders: ponder is called between the moves
	ponders bool
	log     zerolog.Logger
	memory  *memory
	margins *Margins
	// knowledge locates the stored evaluation of the game.
	knowledge knowledge
	// experience passes the results of a replaced policy to its successor; nil means none.
	experience *experience
}

// position is a position in which the player has to move.
type position struct {
	machine machine.Machine
	state   machine.State
	role    machine.Role
	legal   []machine.Move // of role
	give    time.Time      // deadline of the policy, whether or not its searches have returned; zero means the deadline of its context
}

// extended returns ctx or, if ctx is done, a context with half of the time until give.
func (p position) extended(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), time.Until(p.give)/2)
}

// choice is a move and the reason for it.
type choice struct {
	move machine.Move
	verdict
	root *root // root of the decision; nil without a search
}

// decider is the source of a decision.
type decider string

const (
	byExact    decider = "exact"
	bySampling decider = "sampled"
	byPlan     decider = "plan"
	byFallback decider = "fallback" // any legal move: no search has returned in time
	byOutdated decider = "outdated" // a legal move of an earlier position: the present position is not known
	byRules    decider = "only move"
	byKind     decider = "kind" // players that do not search
)

// maxAbandoned bounds the abandoned calls of policies that still run.
const maxAbandoned = 3

var errAbandoned = errors.New("too many abandoned searches still run: no new search is started")

// worker runs the calls of a policy for a match, each in its own goroutine. If a call does not return in time,
// its goroutine is abandoned: the next call waits for a while and then goes to a new policy, up to maxAbandoned
// abandoned calls. A policy that has panicked is replaced. One goroutine calls the methods of a worker.
type worker struct {
	setting
	*slot
	make          func(setting) policy
	stopPondering context.CancelFunc
	abandoned     atomic.Int32
}

// slot holds a policy and the token for its calls.
type slot struct {
	policy policy
	free   chan struct{} // holds a token while no call of the policy runs
	broken atomic.Bool   // the policy has panicked
}

func newWorker(s setting, make func(setting) policy) *worker {
	s.experience = new(experience)
	w := &worker{setting: s, make: make, stopPondering: func() {}}
	w.renew()
	return w
}

// renew replaces the policy.
func (w *worker) renew() {
	w.slot = &slot{policy: w.make(w.setting), free: make(chan struct{}, 1)}
	w.free <- struct{}{}
}

// interrupt cancels pondering without waiting for its end.
func (w *worker) interrupt() { w.stopPondering() }

// run calls f on the policy of a slot. The caller has taken its token.
func (w *worker) run(s *slot, f func(policy)) error {
	defer func() { s.free <- struct{}{} }()
	err := guard.Do(func() error { f(s.policy); return nil })
	if err != nil {
		guard.Log(w.log.Error(), err).Msg("a search panicked")
		s.broken.Store(true)
	}
	return err
}

// call runs f on the policy after earlier calls have returned, or on a new policy when wait fires. The channel
// receives the error if f panics, else nil.
func (w *worker) call(wait <-chan time.Time, f func(policy)) (<-chan error, error) {
	_, ok := first(w.free, wait)
	switch {
	case ok && w.broken.Load():
		w.renew()
		<-w.free
	case !ok:
		if w.abandoned.Load() >= maxAbandoned {
			return nil, errAbandoned
		}
		w.log.Warn().Msg("a search did not stop in time and is abandoned")
		held := searches * w.memory.share() / 2 // estimate: the abandoned searches may hold less
		w.abandoned.Add(1)
		w.memory.lose(held)
		go func(free chan struct{}) {
			<-free
			w.abandoned.Add(-1)
			w.memory.lose(-held)
		}(w.free)
		w.renew()
		<-w.free
	}
	s, done := w.slot, make(chan error, 1)
	go func() { done <- w.run(s, f) }()
	return done, nil
}

// begin passes the start clock to the policy, until ctx is done.
func (w *worker) begin(ctx context.Context, at position) {
	if done, err := w.call(nil, func(p policy) { p.begin(ctx, at) }); err == nil {
		select {
		case err := <-done:
			_ = err // run has logged it
		case <-ctx.Done():
		}
	}
}

// waitShare is the share of a move's time for which a call waits for an earlier call to return.
const waitShare = 0.25

// choose returns the move of the policy. It returns at.give at the latest.
func (w *worker) choose(ctx context.Context, at position) (choice, error) {
	w.interrupt()
	patient := time.NewTimer(scaled(waitShare, timeLeft(ctx, time.Now())))
	defer patient.Stop()
	found := make(chan choice, 1)
	done, err := w.call(patient.C, func(p policy) { found <- p.choose(ctx, at) })
	if err != nil {
		return choice{}, err
	}
	give := time.NewTimer(time.Until(at.give))
	defer give.Stop()
	err, ok := first(done, give.C)
	switch {
	case !ok:
		return choice{}, context.DeadlineExceeded
	case err != nil:
		return choice{}, err
	}
	return <-found, nil
}

// first returns the next value of a channel; ok is false if the timer fires before. If the whole machine has paused,
// both can be ready: then the value counts.
func first[T any](from <-chan T, up <-chan time.Time) (value T, ok bool) {
	select {
	case value = <-from:
		return value, true
	case <-up:
	}
	select {
	case value = <-from:
		return value, true
	default:
		return value, false
	}
}

// ponder lets the policy ponder after its earlier call has returned, until the next call of interrupt or until
// ctx is done.
func (w *worker) ponder(ctx context.Context, at position) {
	ctx, w.stopPondering = context.WithCancel(ctx)
	s := w.slot
	if s.broken.Load() {
		return
	}
	go func() {
		select {
		case <-s.free:
			_ = w.run(s, func(p policy) { p.ponder(ctx, at) })
		case <-ctx.Done():
		}
	}()
}

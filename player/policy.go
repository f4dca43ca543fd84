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

// policy is how a kind of player decides. It belongs to one match, and is called
// by one goroutine at a time.
type policy interface {
	// begin uses time between the start of a match and its first move.
	begin(ctx context.Context, at position)
	// choose returns one of the legal moves of the position before ctx is done.
	// There are at least two.
	choose(ctx context.Context, at position) choice
	// ponder uses the time until the next move: it returns when ctx is done.
	ponder(ctx context.Context, at position)
}

// setting is what a policy is made with.
type setting struct {
	spec
	seed  uint64
	clock time.Duration // for each move; 0 means no limit
	// textbook tells to sample as textbooks do, and to do nothing else.
	textbook bool
	log      zerolog.Logger
	memory   *memory
	margins  *Margins
	// knowledge is what was learnt of the game before, if anything was.
	knowledge knowledge
	// experience is what policies of this match leave to those that take their places; nil means nothing.
	experience *experience
}

// position is where the player has to move.
type position struct {
	machine machine.Machine
	state   machine.State
	role    machine.Role
	legal   []machine.Move // of role
	give    time.Time      // when a policy returns at the latest, whatever has come back; zero means with its context
}

// choice is a move and why it was made.
type choice struct {
	move machine.Move
	verdict
	root *root // that it was decided by; nil where nothing was searched
}

// decider is who has decided on a move.
type decider string

const (
	byExact    decider = "exact"
	bySampling decider = "sampled"
	byPlan     decider = "plan"
	byFallback decider = "fallback" // any legal move: nobody knew better in time
	byOutdated decider = "outdated" // a move that was legal before: nothing else is known
	byRules    decider = "only move"
	byKind     decider = "kind" // players that don't think
)

// maxHung bounds the calls of policies that were left behind and still run.
const maxHung = 3

var errHung = errors.New("earlier searches have not come back: no new one is begun")

// desk is where the policy of a match works. Each call has a goroutine of its own,
// which is left behind if it does not return in time: the next call waits for it
// for a while and is then made to a new policy, as long as not too many hang. A policy
// that has panicked is not used again. The methods of a desk are called by one goroutine.
type desk struct {
	setting
	*seat
	make func(setting) policy
	wake context.CancelFunc
	hung atomic.Int32
}

// seat is where one policy works.
type seat struct {
	policy policy
	free   chan struct{} // holds a token while no call of policy runs
	broken atomic.Bool   // policy has panicked
}

func newDesk(s setting, make func(setting) policy) *desk {
	s.experience = new(experience)
	d := &desk{setting: s, make: make, wake: func() {}}
	d.renew()
	return d
}

// renew puts a new policy in the place of the present one.
func (d *desk) renew() {
	d.seat = &seat{policy: d.make(d.setting), free: make(chan struct{}, 1)}
	d.free <- struct{}{}
}

// disturb ends resting. It does not wait.
func (d *desk) disturb() { d.wake() }

// run calls f on the policy of a seat, whose token has been taken.
func (d *desk) run(s *seat, f func(policy)) error {
	defer func() { s.free <- struct{}{} }()
	err := guard.Do(func() error { f(s.policy); return nil })
	if err != nil {
		guard.Log(d.log.Error(), err).Msg("searching failed")
		s.broken.Store(true)
	}
	return err
}

// call runs f on the policy, when the calls before it have returned. The channel
// gets the error if f panics, else nil. Waiting for earlier calls ends with wait.
func (d *desk) call(wait <-chan time.Time, f func(policy)) (<-chan error, error) {
	_, ok := first(d.free, wait)
	switch {
	case ok && d.broken.Load():
		d.renew()
		<-d.free
	case !ok:
		if d.hung.Load() >= maxHung {
			return nil, errHung
		}
		d.log.Warn().Msg("a search does not stop in time and is left behind")
		held := searches * d.memory.share() / 2 // about: it may hold less, or nothing at all
		d.hung.Add(1)
		d.memory.lose(held)
		go func(free chan struct{}) {
			<-free
			d.hung.Add(-1)
			d.memory.lose(-held)
		}(d.free)
		d.renew()
		<-d.free
	}
	s, done := d.seat, make(chan error, 1)
	go func() { done <- d.run(s, f) }()
	return done, nil
}

// begin gives the time until ctx is done to the policy.
func (d *desk) begin(ctx context.Context, at position) {
	if done, err := d.call(nil, func(p policy) { p.begin(ctx, at) }); err == nil {
		select {
		case err := <-done:
			_ = err // it is in the log
		case <-ctx.Done():
		}
	}
}

// waitShare is the part of the time for a move that may be spent on waiting for an
// earlier call to return.
const waitShare = 0.25

// choose asks the policy for a move. It returns at.give at the latest.
func (d *desk) choose(ctx context.Context, at position) (choice, error) {
	d.disturb()
	patient := time.NewTimer(scaled(waitShare, timeLeft(ctx, time.Now())))
	defer patient.Stop()
	found := make(chan choice, 1)
	done, err := d.call(patient.C, func(p policy) { found <- p.choose(ctx, at) })
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

// first is what comes from a channel before the time is up; false if nothing does. After a pause of the whole
// machine both may be there: then it has come.
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

// ponder lets the policy think on, when the call before has returned, until it is
// disturbed or ctx is done.
func (d *desk) ponder(ctx context.Context, at position) {
	ctx, d.wake = context.WithCancel(ctx)
	s := d.seat
	if s.broken.Load() {
		return
	}
	go func() {
		select {
		case <-s.free:
			_ = d.run(s, func(p policy) { p.ponder(ctx, at) })
		case <-ctx.Done():
		}
	}()
}

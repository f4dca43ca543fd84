package protocol

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// ErrLate says that an agent has not returned in time. Its call may still run.
var ErrLate = errors.New("the agent did not return in time")

// Seat guards one agent on behalf of an endpoint or a manager: one call at a
// time, no panic comes out, and nobody waits for longer than it wants to. Its
// methods wait until the calls before have returned, but no longer than wait;
// then they return ErrLate, and a call that has begun goes on by itself.
type Seat struct {
	agent Agent
	free  chan struct{} // holds a token while no call runs
}

// NewSeat makes an agent and its seat. The error is a panic of newAgent.
func NewSeat(newAgent NewAgent) (*Seat, error) {
	s := &Seat{free: make(chan struct{}, 1)}
	s.free <- struct{}{}
	return s, guard.Do(func() error { s.agent = newAgent(); return nil })
}

// call runs f when the calls before it have returned. It waits until wait is
// done at most and then returns ErrLate; f, once begun, goes on by itself. A free
// seat is taken even if wait is done already.
func (s *Seat) call(wait context.Context, f func() error) error {
	if !s.take(wait) {
		return ErrLate
	}
	done := make(chan error, 1)
	go func() {
		defer s.leave()
		done <- guard.Do(f)
	}()
	select {
	case err := <-done:
		return err
	case <-wait.Done():
	}
	select {
	case err := <-done: // both were so far: what is there counts
		return err
	default:
		return ErrLate
	}
}

// take takes the seat if it is free before wait is done.
func (s *Seat) take(wait context.Context) bool {
	select {
	case <-s.free:
		return true
	default:
	}
	select {
	case <-s.free:
		return true
	case <-wait.Done():
		return false
	}
}

func (s *Seat) leave() { s.free <- struct{}{} }

// vacant tells whether the calls before have returned when wait is done, or sooner.
func (s *Seat) vacant(wait context.Context) bool {
	free := s.take(wait)
	if free {
		s.leave()
	}
	return free
}

// Start tells the agent of a match. The agent's deadline is the start clock of m,
// within life.
func (s *Seat) Start(wait, life context.Context, m Match) error {
	return s.call(wait, func() error {
		clock, cancel := WithClock(life, m.Start, m.StartClock)
		defer cancel()
		return s.agent.Start(clock, m)
	})
}

// Play asks the agent for its move, with what has been told when its turn has
// come, and why it made it, if it is an Explainer. The agent's own deadline is in clock.
func (s *Seat) Play(wait, clock context.Context, told func() [][]gdl.Term) (gdl.Term, *Explanation, error) {
	type reply struct {
		move gdl.Term
		why  *Explanation
	}
	replies := make(chan reply, 1)
	err := s.call(wait, func() error {
		move, err := s.agent.Play(clock, told())
		if err != nil {
			return err
		}
		r := reply{move: move}
		if e, ok := s.agent.(Explainer); ok {
			r.why = e.Explain()
		}
		replies <- r
		return nil
	})
	if err != nil {
		return gdl.Term{}, nil, err
	}
	r := <-replies
	return r.move, r.why, nil
}

// Stop tells the agent that the match is over.
func (s *Seat) Stop(wait context.Context, told func() [][]gdl.Term) error {
	return s.call(wait, func() error {
		s.agent.Stop(told())
		return nil
	})
}

// Abort ends the match, also while another call runs. It does not wait.
func (s *Seat) Abort() {
	go func() { _ = guard.Do(func() error { s.agent.Abort(); return nil }) }()
}

// WithClock is a context that ends clock after start, or only with its parent if
// clock is 0: no limit.
func WithClock(parent context.Context, start time.Time, clock time.Duration) (context.Context, context.CancelFunc) {
	if clock == 0 {
		return context.WithCancel(parent)
	}
	return context.WithDeadline(parent, start.Add(clock))
}

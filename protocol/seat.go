package protocol

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// ErrLate is returned where an agent has not returned in time. Its call may still run.
var ErrLate = errors.New("the player did not return in time")

// Seat serialises the calls of one agent, for an endpoint or a manager, recovers its panics and limits the waiting
// time. A method waits for the calls before it, until wait is done; then it returns ErrLate, and a call that has
// begun continues in its goroutine.
type Seat struct {
	agent Agent
	free  chan struct{} // holds a token while no call runs
}

// NewSeat creates an agent and its seat. The error is a panic of newAgent.
func NewSeat(newAgent NewAgent) (*Seat, error) {
	s := &Seat{free: make(chan struct{}, 1)}
	s.free <- struct{}{}
	return s, guard.Do(func() error { s.agent = newAgent(); return nil })
}

// call runs f after the calls before it. When wait is done first, it returns ErrLate; a call that has begun continues
// in its goroutine. A free seat is taken even if wait is done already.
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
	case err := <-done: // both channels were ready: the result wins
		return err
	default:
		return ErrLate
	}
}

// take reports whether it took the seat before wait was done.
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

// vacant reports whether the calls before have returned before wait is done.
func (s *Seat) vacant(wait context.Context) bool {
	free := s.take(wait)
	if free {
		s.leave()
	}
	return free
}

// Start begins a match. The agent's deadline is the start clock of m, within life.
func (s *Seat) Start(wait, life context.Context, m Match) error {
	return s.call(wait, func() error {
		clock, cancel := WithClock(life, m.Start, m.StartClock)
		defer cancel()
		return s.agent.Start(clock, m)
	})
}

// Play returns the agent's move and, if it is an Explainer, its explanation. It calls told once the seat is free. The
// agent's deadline is clock's.
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

// Stop ends the match of the agent.
func (s *Seat) Stop(wait context.Context, told func() [][]gdl.Term) error {
	return s.call(wait, func() error {
		s.agent.Stop(told())
		return nil
	})
}

// Abort ends the match, also during another call. It does not wait.
func (s *Seat) Abort() {
	go func() { _ = guard.Do(func() error { s.agent.Abort(); return nil }) }()
}

// WithClock returns a context that ends clock after start. With clock 0 it ends only with its parent.
func WithClock(parent context.Context, start time.Time, clock time.Duration) (context.Context, context.CancelFunc) {
	if clock == 0 {
		return context.WithCancel(parent)
	}
	return context.WithDeadline(parent, start.Add(clock))
}

package protocol

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// errLate says that an agent has not returned in time. Its call may still run.
var errLate = errors.New("the agent did not return in time")

// seat guards one agent on behalf of an endpoint or a manager: one call at a
// time, no panic comes out, and nobody waits for longer than it wants to.
type seat struct {
	agent Agent
	free  chan struct{} // holds a token while no call runs
}

func newSeat(a Agent) *seat {
	s := &seat{agent: a, free: make(chan struct{}, 1)}
	s.free <- struct{}{}
	return s
}

// call runs f when the calls before it have returned. It waits until wait is
// done at most and then returns errLate; f, once begun, goes on by itself.
func (s *seat) call(wait context.Context, f func() error) error {
	select {
	case <-s.free:
	case <-wait.Done():
		return errLate
	}
	done := make(chan error, 1)
	go func() {
		defer func() { s.free <- struct{}{} }()
		done <- guard.Do(f)
	}()
	select {
	case err := <-done:
		return err
	case <-wait.Done():
		return errLate
	}
}

// play asks the agent for its move, with what has been told when its turn has
// come. The agent's own deadline is in clock.
func (s *seat) play(wait, clock context.Context, told func() [][]gdl.Term) (gdl.Term, error) {
	moves := make(chan gdl.Term, 1)
	err := s.call(wait, func() error {
		move, err := s.agent.Play(clock, told())
		if err == nil {
			moves <- move
		}
		return err
	})
	if err != nil {
		return gdl.Term{}, err
	}
	return <-moves, nil
}

// stop tells the agent that the match is over.
func (s *seat) stop(wait context.Context, told func() [][]gdl.Term) error {
	return s.call(wait, func() error {
		s.agent.Stop(told())
		return nil
	})
}

// abort ends the match, also while another call runs. It does not wait.
func (s *seat) abort() {
	go func() { _ = guard.Do(func() error { s.agent.Abort(); return nil }) }()
}

// within is a context that ends clock after start, or only with its parent if
// clock is 0: no limit.
func within(parent context.Context, start time.Time, clock time.Duration) (context.Context, context.CancelFunc) {
	if clock == 0 {
		return context.WithCancel(parent)
	}
	return context.WithDeadline(parent, start.Add(clock))
}

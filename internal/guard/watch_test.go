package guard_test

import (
	"context"
	"errors"
	"testing"

	"stackmate/internal/guard"
)

// count does the given steps of work.
func count(ctx context.Context, steps int, end error) (done int, err error) {
	defer guard.Stopped(&err)
	w := guard.NewWatch(ctx, "counting")
	for ; done < steps; done++ {
		w.Step()
	}
	if end != nil {
		guard.Stop(end)
	}
	return done, nil
}

func TestWatchedWorkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if done, err := count(ctx, 10_000, nil); done != 10_000 || err != nil {
		t.Errorf("%d steps, error %v, with a context that is not done", done, err)
	}
	cancel()
	done, err := count(ctx, 10_000, nil)
	if done == 10_000 || !errors.Is(err, context.Canceled) || err.Error() != "counting stopped: context canceled" {
		t.Errorf("%d steps, error %v, with a context that is done", done, err)
	}
}

func TestWatchedWorkEndsWithTheErrorThatStopsIt(t *testing.T) {
	want := errors.New("too much")
	if _, err := count(t.Context(), 1, want); err != want { //nolint:errorlint // the very same
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestAFaultInWatchedWorkStaysAPanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v, want broken", p)
		}
	}()
	var err error
	defer guard.Stopped(&err)
	panic("broken")
}

package reasoner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

const (
	// fallbackDelay is the time after which compilation with a fallback engine begins: the first engine compiles most
	// games sooner. It is at most fallbackShare of the time in which some machine is wanted.
	fallbackDelay = 1 * time.Second
	fallbackShare = 0.2
)

// Attempt is the result of compiling with one engine: a machine or an error.
type Attempt struct {
	Engine  string
	Best    bool // the first engine: no better machine will follow
	Machine machine.Machine
	Err     error
}

// Compilation compiles a game with several engines, for some machine soon and the best machine later.
type Compilation struct {
	compile func(ctx context.Context, o Options) (machine.Machine, error)
	report  func(Attempt)
	done    chan struct{}

	mu    sync.Mutex
	found bool
	errs  []error
}

// Begin starts to compile a game with all engines and returns immediately. The first engine begins. The other
// engines follow, in parallel with it and in their order, if it fails or takes more than a share of soon.
// They are tried until an engine works. soon is the time in which some machine is wanted.
//
// Each engine has the whole of o.Budget and a share of o.Memory. Begin calls report for each attempt that was
// not cancelled, from other goroutines, possibly two at a time. A panic of an engine is an error. Everything
// stops when ctx is done.
func Begin(ctx context.Context, g *gdl.Game, o Options, soon time.Duration, report func(Attempt)) *Compilation {
	return begin(ctx, o, soon, report, func(ctx context.Context, o Options) (machine.Machine, error) {
		return New(ctx, g, o)
	})
}

func begin(ctx context.Context, o Options, soon time.Duration, report func(Attempt),
	compile func(context.Context, Options) (machine.Machine, error),
) *Compilation {
	c := &Compilation{compile: compile, report: report, done: make(chan struct{})}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	fallbacks, needless := context.WithCancel(ctx)
	failed := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if c.try(ctx, 0, o) {
			needless()
		} else {
			close(failed)
		}
	})
	group.Go(func() {
		select {
		case <-fallbacks.Done():
			return
		case <-failed:
		case <-time.After(min(fallbackDelay, time.Duration(fallbackShare*float64(soon)))):
		}
		for i := 1; i < len(engines); i++ {
			if fallbacks.Err() != nil || c.try(fallbacks, i, o) {
				return
			}
		}
	})
	go func() {
		group.Wait()
		needless()
		close(c.done)
	}()
	return c
}

// try compiles with an engine of the table and reports whether that worked.
func (c *Compilation) try(ctx context.Context, i int, o Options) bool {
	a := Attempt{Engine: engines[i].name, Best: i == 0}
	o.Engine, o.Memory = a.Engine, int64(engines[i].memory*float64(o.Memory))
	a.Err = guard.Do(func() (err error) {
		a.Machine, err = c.compile(ctx, o)
		return err
	})
	c.mu.Lock()
	if a.Err == nil {
		c.found = true
	} else {
		c.errs = append(c.errs, fmt.Errorf("engine %s: %w", a.Engine, a.Err))
	}
	c.mu.Unlock()
	if a.Err == nil || ctx.Err() == nil {
		c.report(a)
	}
	return a.Err == nil
}

// Done returns a channel that is closed after the last report.
func (c *Compilation) Done() <-chan struct{} { return c.done }

// Err returns the errors of all engines if none could compile the game. It is nil until the compilation is done.
func (c *Compilation) Err() error {
	select {
	case <-c.done:
	default:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found {
		return nil
	}
	return errors.Join(c.errs...)
}

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
	// fallbackDelay is how long the best engine has to itself before work on a
	// fallback begins: most games are compiled by then. It is bounded to
	// fallbackShare of the time in which some machine is wanted.
	fallbackDelay = 1 * time.Second
	fallbackShare = 0.2
)

// Attempt is what came of compiling with one engine: a machine or an error.
type Attempt struct {
	Engine  string
	Best    bool // it is the best engine: no better machine will come
	Machine machine.Machine
	Err     error
}

// Compilation is a game that is being compiled with several engines, so that there
// is some machine soon and the best one later.
type Compilation struct {
	compile func(ctx context.Context, o Options) (machine.Machine, error)
	report  func(Attempt)
	done    chan struct{}

	mu    sync.Mutex
	found bool
	errs  []error
}

// Begin starts to compile a game with all engines that o.Engine may name, and
// returns at once. The best engine begins immediately. If it fails, or takes more
// than a part of soon, the time in which some machine is wanted, the others are
// tried beside it, one after the other until one works or the best one has.
//
// Each engine has the whole of o.Budget, and a part of o.Memory; together they stay
// within it. The function report is told of each attempt that was not called off, from
// other goroutines, possibly two at once. A panic of an engine is an error. When
// ctx is done, everything stops.
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

// try compiles with an engine of the table and tells whether that worked.
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

// Done is closed when all machines that will come have been reported.
func (c *Compilation) Done() <-chan struct{} { return c.done }

// Err says why no engine could compile the game. It is nil before the compilation
// is done, and if there is a machine.
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

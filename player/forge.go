package player

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// errNoMachine says that nothing can be said of the position yet.
var errNoMachine = errors.New("the rules are not compiled yet")

const (
	// compileBudget bounds compiling, which may go on behind a match.
	compileBudget = 10 * time.Minute
	// fallbackDelay is how long the fast engine has to itself before work on a
	// fallback begins: most games are compiled by then. Bounded to
	// fallbackShare of the start clock.
	fallbackDelay = 1 * time.Second
	fallbackShare = 0.2
)

// compiler makes a machine with the named engine of package reasoner.
type compiler func(ctx context.Context, g *gdl.Game, engine string, memory int64) (machine.Machine, error)

func compileGame(ctx context.Context, g *gdl.Game, engine string, memory int64) (machine.Machine, error) {
	return reasoner.New(ctx, g, reasoner.Options{Engine: engine, Budget: compileBudget, Memory: memory})
}

// The engine to play with, and those that are ready sooner.
const fastEngine = "circuit"

var fallbackEngines = []string{"datalog", "reference"}

// forge compiles a game with several engines, so that there is some machine
// soon and a fast one later.
type forge struct {
	some  chan struct{} // closed when there is a machine, or none will come
	final chan struct{} // closed when no better machine will come

	mu      sync.Mutex
	machine machine.Machine
	errs    []error
}

// newForge starts compiling; start is the length of the start clock.
func newForge(ctx context.Context, compile compiler, g *gdl.Game, memory int64, start time.Duration) *forge {
	f := &forge{some: make(chan struct{}), final: make(chan struct{})}
	try := func(ctx context.Context, engine string) bool {
		m, err := compile(ctx, g, engine, memory)
		f.publish(engine, m, err)
		return err == nil
	}
	slow, needless := context.WithCancel(ctx)
	failed := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if try(ctx, fastEngine) {
			needless()
		} else {
			close(failed)
		}
	})
	group.Go(func() {
		delay := min(fallbackDelay, time.Duration(fallbackShare*float64(start)))
		select {
		case <-slow.Done():
			return
		case <-failed:
		case <-time.After(delay):
		}
		for _, engine := range fallbackEngines {
			if slow.Err() != nil || try(slow, engine) {
				return
			}
		}
	})
	go func() {
		group.Wait()
		needless()
		f.close()
	}()
	return f
}

// publish makes m the machine if it is the first or the fast one.
func (f *forge) publish(engine string, m machine.Machine, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("engine %s: %w", engine, err))
		return
	}
	if f.machine == nil {
		f.machine = m
		close(f.some)
	}
	if engine == fastEngine {
		f.machine = m
		close(f.final)
	}
}

// close ends the waiting for machines that will not come.
func (f *forge) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range []chan struct{}{f.some, f.final} {
		select {
		case <-c:
		default:
			close(c)
		}
	}
}

// best is the best machine so far, or nil.
func (f *forge) best() machine.Machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.machine
}

// wait waits until there is a machine (the best if final is set) or ctx is
// done; that is no error. It is one if no engine can compile the game.
func (f *forge) wait(ctx context.Context, final bool) error {
	c := f.some
	if final {
		c = f.final
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.some:
		if f.machine == nil {
			return errors.Join(f.errs...)
		}
	default:
	}
	return nil
}

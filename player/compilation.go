package player

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

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

// compilation compiles a game with several engines, so that there is some machine
// soon and a fast one later.
type compilation struct {
	compile compiler
	game    *gdl.Game
	memory  *memory
	publish func(m machine.Machine, fast bool) // told of every machine
	log     zerolog.Logger
	done    chan struct{} // closed when no better machine will come

	mu   sync.Mutex
	errs []error
}

// begin starts compiling; start is the length of the start clock.
func (c *compilation) begin(ctx context.Context, start time.Duration) {
	c.done = make(chan struct{})
	slow, needless := context.WithCancel(ctx)
	failed := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if c.try(ctx, fastEngine) {
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
			if slow.Err() != nil || c.try(slow, engine) {
				return
			}
		}
	})
	go func() {
		group.Wait()
		needless()
		c.memory.compiled()
		close(c.done)
	}()
}

// compiledAlready is the compilation of a game of which there is a machine.
func compiledAlready(m machine.Machine, memory *memory, publish func(m machine.Machine, fast bool)) *compilation {
	c := &compilation{done: make(chan struct{})}
	memory.machine(m)
	memory.compiled()
	publish(m, true)
	close(c.done)
	return c
}

// try compiles with one engine and tells whether that worked.
func (c *compilation) try(ctx context.Context, engine string) bool {
	var m machine.Machine
	err := guard.Do(func() (err error) {
		m, err = c.compile(ctx, c.game, engine, c.memory.forCompiling(engine))
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			fault(c.log.Warn(), err).Str("engine", engine).Msg("the rules are not compiled")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errs = append(c.errs, fmt.Errorf("engine %s: %w", engine, err))
		return false
	}
	c.memory.machine(m)
	c.publish(m, engine == fastEngine)
	return true
}

// err says why engines could not compile the game.
func (c *compilation) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.errs...)
}

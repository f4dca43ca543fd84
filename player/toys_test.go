package player

import (
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/internal/toys"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// newSubtraction returns a game of turns in which one to three counters are taken.
func newSubtraction(start int) machine.Machine { return subtraction(start).Machine() }

func subtraction(start int) toys.Subtraction {
	return toys.Subtraction{Roles: []string{"left", "right"}, Start: start, Most: 3}
}

// newShot returns a game of one joint move with the goals of both roles by their moves.
func newShot(goals [][][2]int32) machine.Machine { return toys.Bimatrix(goals).Machine() }

func newLock(depth int) machine.Machine { return toys.Lock{Depth: depth}.Machine() }

// coming is an attempt at compiling that ends some time after it has begun.
type coming struct {
	after   time.Duration
	attempt reasoner.Attempt
}

// arriving returns a compiler whose attempts end as given, deaf to its context.
func arriving(comings ...coming) compiler {
	return func(_ context.Context, _ *gdl.Game, _ reasoner.Options, _ time.Duration, report func(reasoner.Attempt)) compilation {
		p := pending{make(chan struct{})}
		go func() {
			began := time.Now()
			for _, a := range comings {
				time.Sleep(a.after - time.Since(began))
				report(a.attempt)
			}
			close(p.done)
		}()
		return p
	}
}

// pending is a compilation that brings a machine.
type pending struct{ done chan struct{} }

func (p pending) Done() <-chan struct{} { return p.done }

func (pending) Err() error { return nil }

// failed is a compilation that has ended without a machine.
type failed struct {
	finished
	err error
}

func (f failed) Err() error { return f.err }

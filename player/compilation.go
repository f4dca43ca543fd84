package player

import (
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/player/tracking"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// compileBudget bounds compiling, which may go on behind a match.
const compileBudget = 10 * time.Minute

// compilation is a game that is being compiled (reasoner.Compilation).
type compilation interface {
	Done() <-chan struct{} // closed when no better machine will come
	Err() error            // why there is no machine
}

// compiler is reasoner.Begin, or what tests put in its place.
type compiler func(ctx context.Context, g *gdl.Game, o reasoner.Options, soon time.Duration, report func(reasoner.Attempt)) compilation

func compileGame(ctx context.Context, g *gdl.Game, o reasoner.Options, soon time.Duration, report func(reasoner.Attempt)) compilation {
	return reasoner.Begin(ctx, g, o, soon, report)
}

// proveGame is what answers from the rules alone, or tests put something in its place.
func proveGame(g *gdl.Game, memory int64) tracking.Prover {
	p := prover.New(g)
	p.MaxBytes = memory
	return p
}

// given is a compiler for a game of which there is a machine.
func given(m machine.Machine) compiler {
	return func(_ context.Context, _ *gdl.Game, _ reasoner.Options, _ time.Duration, report func(reasoner.Attempt)) compilation {
		report(reasoner.Attempt{Best: true, Machine: m})
		return finished{}
	}
}

// finished is a compilation that is over; err says why there is no machine.
type finished struct{ err error }

func (finished) Done() <-chan struct{} { return closed }

func (f finished) Err() error { return f.err }

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

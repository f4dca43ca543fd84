package player

import (
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
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

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

// compileBudget bounds the time to compile, which may continue during the match.
const compileBudget = 10 * time.Minute

// compilation is a running compilation of a game (reasoner.Compilation).
type compilation interface {
	Done() <-chan struct{} // closed when the best machine is there, or no engine is left
	Err() error            // reason why no engine has compiled the game
}

// compiler starts a compilation: reasoner.Begin, except in tests.
type compiler func(ctx context.Context, g *gdl.Game, o reasoner.Options, soon time.Duration, report func(reasoner.Attempt)) compilation

func compileGame(ctx context.Context, g *gdl.Game, o reasoner.Options, soon time.Duration, report func(reasoner.Attempt)) compilation {
	return reasoner.Begin(ctx, g, o, soon, report)
}

// proveGame returns a prover that answers from the rules without compilation, except in tests.
func proveGame(g *gdl.Game, memory int64) tracking.Prover {
	p := prover.New(g)
	p.MaxBytes = memory
	return p
}

// given returns a compiler that reports an existing machine of the game.
func given(m machine.Machine) compiler {
	return func(_ context.Context, _ *gdl.Game, _ reasoner.Options, _ time.Duration, report func(reasoner.Attempt)) compilation {
		report(reasoner.Attempt{Best: true, Machine: m})
		return finished{}
	}
}

// finished is a compilation that has ended with a machine.
type finished struct{}

func (finished) Done() <-chan struct{} { return closed }

func (finished) Err() error { return nil }

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

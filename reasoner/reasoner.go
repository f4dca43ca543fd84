// Package reasoner is the front door of the compiler: checked rules in, state
// machine out. It chooses the engine (engines.go) and owns the order of the stages;
// the engines live in the packages below. New gives one machine, Begin (compilation.go)
// some machine soon and the best one later.
package reasoner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine"
)

// Options steer New. The zero value is right for nearly everyone.
type Options struct {
	Engine  string         // one of Engines; "" means "auto"
	Budget  time.Duration  // time that compiling may take; 0 means DefaultBudget
	Memory  int64          // bytes that compiling may take, and eight batches; 0 means DefaultMemory
	Kernel  string         // of the circuit: one of kernel.Families, "" or kernel.Auto for the quickest here
	Without []string       // names of circuit passes to leave out
	Trace   func(PassInfo) // told of the circuit after each pass, if not nil
	Cache   *Cache         // of circuits, nil for none; with Trace it is not asked
}

// isAuto tells whether the engine is left to the compiler.
func (o Options) isAuto() bool { return o.Engine == "" || o.Engine == auto }

// PassInfo describes the circuit after a rewriting pass.
type PassInfo = circuit.PassInfo

// The defaults of Options.
const (
	DefaultBudget = 60 * time.Second
	DefaultMemory = 4 << 30
)

// batchShare is the part of the memory that one batch of a circuit may take. Each
// search thread has two or three.
const batchShare = 8

// New compiles a game into a state machine. With engine "auto" that is the
// circuit, or the Datalog machine where the circuit does not fit the budget;
// Info().Reason says why. The error says of each engine tried what it ran out of,
// and where.
func New(ctx context.Context, g *gdl.Game, o Options) (machine.Machine, error) {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	m, err := compile(ctx, g, o)
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("compiling takes longer than the budget of %v; give it more time: %w", o.Budget, err)
	}
	if errors.Is(err, datalog.ErrLimit) {
		return nil, fmt.Errorf("compiling needs more than the %d MiB of its budget or than any machine can take; "+
			"give it more memory: %w", o.Memory>>20, err)
	}
	return m, err
}

func compile(ctx context.Context, g *gdl.Game, o Options) (machine.Machine, error) {
	if o.isAuto() {
		return first(ctx, engines, g, o)
	}
	for _, e := range engines {
		if e.name == o.Engine {
			ctx, cancel := context.WithTimeout(ctx, o.Budget)
			defer cancel()
			return e.make(ctx, g, o, "asked for")
		}
	}
	return nil, fmt.Errorf("no engine %q: it is one of %q", o.Engine, Engines)
}

// leastShare is the share of the budget that an engine has at least, if the engines before it took more than theirs.
const leastShare = 0.1

// first returns the machine of the first engine that works. Each engine has a share of the time left, the last engine
// all of it.
func first(ctx context.Context, engines []engine, g *gdl.Game, o Options) (machine.Machine, error) {
	end := time.Now().Add(o.Budget)
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		end = d
	}
	var failed []error
	var stages machine.Stages
	for _, e := range engines {
		began := time.Now()
		share, cancel := context.WithTimeout(ctx, max(time.Duration(e.time*float64(end.Sub(began))), time.Duration(leastShare*float64(o.Budget))))
		m, err := e.make(share, g, o, "fits the budget")
		cancel()
		if err == nil {
			if len(failed) == 0 {
				return m, nil
			}
			reason := "no " + errors.Join(failed...).Error()
			return &described{m, reason, append(stages, m.Info().Stages...)}, nil
		}
		stages.Add(e.name+", in vain", time.Since(began))
		failed = append(failed, fmt.Errorf("%s: %w", e.name, err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failed...)
}

// nodeBytes is the memory that an atom, a rule or a literal of the ground program
// takes in the circuit while passes rewrite it, about.
const nodeBytes = 50

// Circuit grounds a game and optimises its circuit: New without the last step,
// for those who want to look at it.
func Circuit(ctx context.Context, g *gdl.Game, o Options) (*circuit.Game, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	game, _, err := optimised(ctx, g, o)
	return game, err
}

// optimised is the circuit of a game, with the stages that led to it.
func optimised(ctx context.Context, g *gdl.Game, o Options) (*circuit.Game, machine.Stages, error) {
	if o.Cache != nil && o.Trace == nil {
		return o.Cache.circuit(g, o, func() (*circuit.Game, machine.Stages, error) { return makeCircuit(ctx, g, o) })
	}
	return makeCircuit(ctx, g, o)
}

// makeCircuit grounds and optimises a game.
func makeCircuit(ctx context.Context, g *gdl.Game, o Options) (*circuit.Game, machine.Stages, error) {
	program, err := ground(ctx, g, o.Memory)
	if err != nil {
		return nil, nil, err
	}
	if need := nodeBytes * (int64(program.Signals) + int64(len(program.Head)+len(program.Body))); need > o.Memory {
		return nil, nil, fmt.Errorf("%w: %d MiB of circuit, %d MiB are allowed", datalog.ErrLimit, need>>20, o.Memory>>20)
	}
	clock := machine.NewStopwatch()
	game, err := lower(ctx, program)
	if err != nil {
		return nil, nil, err
	}
	clock.Done("lower")
	game, err = circuit.Optimise(ctx, game, circuit.PassOptions{
		Without: o.Without, Trace: o.Trace, Done: func(pass string) { clock.Done("pass " + pass) },
	})
	return game, append(program.Stages, clock.Stages...), err
}

func newCircuit(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error) {
	game, stages, err := optimised(ctx, g, o)
	if err != nil {
		return nil, err
	}
	clock := machine.NewStopwatch()
	options := circuit.Options{Kernel: o.Kernel, Memory: o.Memory / batchShare}
	m, err := circuit.Compile(ctx, game, options)
	if err != nil {
		return nil, err
	}
	clock.Done("programs")
	return &decider{Machine: &described{m, reason, append(stages, clock.Stages...)}, game: game, options: options}, nil
}

// described is a machine that says why it was chosen, and how it was made. It is a pointer wherever
// it is a Machine: searches compare machines to know whether their tables are of the same game.
type described struct {
	machine.Machine
	reason string
	stages machine.Stages
}

// Info implements machine.Machine.
func (d *described) Info() machine.Info {
	info := d.Machine.Info()
	info.Reason, info.Stages = d.reason, d.stages
	return info
}

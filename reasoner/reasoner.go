// Package reasoner compiles checked rules into state machines. It chooses the engine (engines.go) and orders
// the stages; the engines are packages of their own. New returns one machine, Begin (compilation.go) some
// machine soon and the best machine later.
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

// Options configure New. The zero value suits nearly all callers.
type Options struct {
	Engine  string         // one of Engines; "" means "auto"
	Budget  time.Duration  // limit of the compilation; 0 means DefaultBudget
	Memory  int64          // limit in bytes of the compilation, and of eight batches; 0 means DefaultMemory
	Kernel  string         // kernel of the circuit: one of kernel.Families; "" or kernel.Auto for the fastest here
	Without []string       // names of circuit passes to leave out
	Trace   func(PassInfo) // called with the circuit after each pass, if not nil
	Cache   *Cache         // of circuits, nil for none; unused with Trace
}

// isAuto reports whether New chooses the engine.
func (o Options) isAuto() bool { return o.Engine == "" || o.Engine == auto }

// PassInfo describes the circuit after a rewriting pass.
type PassInfo = circuit.PassInfo

// The defaults of Options.
const (
	DefaultBudget = 60 * time.Second
	DefaultMemory = 4 << 30
)

// batchShare divides Options.Memory: the limit of one batch of a circuit. A search thread has two or three batches.
const batchShare = 8

// New compiles a game into a state machine. With engine "auto" the machine is the first of the table that fits the
// budget; Info().Reason says why. The error names, for each engine, the exceeded limit and the place.
func New(ctx context.Context, g *gdl.Game, o Options) (machine.Machine, error) {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	m, err := compile(ctx, g, o)
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("compiling takes longer than the budget of %v; raise the budget: %w", o.Budget, err)
	}
	if errors.Is(err, datalog.ErrLimit) {
		return nil, fmt.Errorf("compiling exceeds the memory limit of %d MiB or a fixed limit; "+
			"raise the memory limit: %w", o.Memory>>20, err)
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
			return e.make(ctx, g, o, "requested")
		}
	}
	return nil, fmt.Errorf("no engine %q: it is one of %q", o.Engine, Engines)
}

// leastShare is the share of the budget that an engine has at least, if the engines before it took more than theirs.
const leastShare = 0.1

// first returns the machine of the first engine that works. Each engine gets a share of the remaining time,
// the last engine the whole remaining time.
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
		stages.Add(e.name+", failed", time.Since(began))
		failed = append(failed, fmt.Errorf("%s: %w", e.name, err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failed...)
}

// nodeBytes estimates the memory for an atom, a rule or a literal of the ground program while passes rewrite the circuit.
const nodeBytes = 50

// Circuit grounds a game and optimises its circuit: New without the last step.
func Circuit(ctx context.Context, g *gdl.Game, o Options) (*circuit.Optimised, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	game, _, _, err := fittingCircuit(ctx, g, o)
	return game, err
}

// fittingCircuit returns the circuit of a game. If it exceeds a limit, it returns the circuit of the game's
// slice without the fluents on which no legal move, goal or end depends (Names.LeftOut). It reports whether
// it used the slice.
func fittingCircuit(ctx context.Context, g *gdl.Game, o Options) (game *circuit.Optimised, stages machine.Stages, sliced bool, err error) {
	game, stages, err = optimised(ctx, g, o)
	if slice, smaller := observable(g); smaller && errors.Is(err, datalog.ErrLimit) {
		if game, stages, err = optimised(ctx, slice, o); err == nil {
			leaveOut(game.Names, g, slice)
		}
		return game, stages, true, err
	}
	return game, stages, false, err
}

// observable returns the rules on which legal moves, goals and the end depend, and reports whether they are fewer than all.
func observable(g *gdl.Game) (slice *gdl.Game, smaller bool) {
	return g.Slice("legal", "goal", "terminal")
}

// leaveOut enters the fluents of g that a machine of its slice leaves out.
func leaveOut(names *machine.Names, g, slice *gdl.Game) {
	leftOut := g.LeftOut(slice)
	names.LeftOut = func(fluent string) bool {
		t, err := gdl.ParseTerm(fluent)
		return err == nil && leftOut(t)
	}
}

// withSlice returns the reason for a machine of the slice.
func withSlice(reason string) string {
	return reason + ", without fluents on which no legal move, goal or end depends: there are too many"
}

// optimised returns the optimised circuit of a game, from the cache if possible, and the stages of its compilation.
func optimised(ctx context.Context, g *gdl.Game, o Options) (*circuit.Optimised, machine.Stages, error) {
	if o.Cache != nil && o.Trace == nil {
		return o.Cache.circuit(g, o, func() (*circuit.Optimised, machine.Stages, error) { return makeCircuit(ctx, g, o) })
	}
	return makeCircuit(ctx, g, o)
}

// makeCircuit grounds and optimises a game.
func makeCircuit(ctx context.Context, g *gdl.Game, o Options) (*circuit.Optimised, machine.Stages, error) {
	program, err := groundProgram(ctx, g, o.Memory)
	if err != nil {
		return nil, nil, err
	}
	if need := nodeBytes * (int64(program.Atoms) + int64(len(program.Head)+len(program.Body))); need > o.Memory {
		return nil, nil, fmt.Errorf("%w: %d MiB of circuit, %d MiB are allowed", datalog.ErrLimit, need>>20, o.Memory>>20)
	}
	clock := machine.NewStopwatch()
	lowered, err := lower(ctx, program)
	if err != nil {
		return nil, nil, err
	}
	clock.Done("lower")
	game, err := circuit.Optimise(ctx, lowered, circuit.PassOptions{
		Without: o.Without, Trace: o.Trace, Done: func(pass string) { clock.Done("pass " + pass) },
	})
	return game, append(program.Stages, clock.Stages...), err
}

func newCircuit(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error) {
	game, stages, sliced, err := fittingCircuit(ctx, g, o)
	if err != nil {
		return nil, err
	}
	if sliced {
		reason = withSlice(reason)
	}
	clock := machine.NewStopwatch()
	options := circuit.Options{Kernel: o.Kernel, Memory: o.Memory / batchShare}
	m, err := game.Compile(ctx, options)
	if err != nil {
		return nil, err
	}
	clock.Done("programs")
	return &circuitMachine{Machine: &described{m, reason, append(stages, clock.Stages...)}, game: game, options: options}, nil
}

// described adds the reason of the choice and the stages to a machine. It implements Machine as a pointer: searches
// compare machines to recognise tables of the same game.
type described struct {
	machine.Machine
	reason string
	stages machine.Stages
}

// Unwrap implements machine.Wrapper.
func (d *described) Unwrap() machine.Machine { return d.Machine }

// Info implements machine.Machine.
func (d *described) Info() machine.Info {
	info := d.Machine.Info()
	info.Reason, info.Stages = d.reason, d.stages
	return info
}

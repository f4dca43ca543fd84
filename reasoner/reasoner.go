// Package reasoner is the front door of the compiler: checked rules in, state
// machine out. It chooses the engine and owns the order of the stages; the
// engines live in the packages below.
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
	"stackmate/reasoner/reference"
)

// Options steer New. The zero value is right for nearly everyone.
type Options struct {
	Engine  string         // one of Engines; "" means "auto"
	Budget  time.Duration  // time that compiling may take; 0 means DefaultBudget
	Memory  int64          // bytes that compiling may take; 0 means DefaultMemory
	Lanes   int            // of the circuit: 64, 256 or 512; 0 means the widest kernel
	Without []string       // names of circuit passes to leave out
	Trace   func(PassInfo) // told of the circuit after each pass, if not nil
}

// PassInfo describes the circuit after a rewriting pass.
type PassInfo = circuit.PassInfo

// Engines are the names that Options.Engine takes.
var Engines = []string{"auto", "circuit", "datalog", "reference"}

// The defaults of Options.
const (
	DefaultBudget = 60 * time.Second
	DefaultMemory = 4 << 30
)

// circuitShare is the part of the budget after which "auto" gives up grounding;
// the rest is left to the fallback machine, which needs far less.
const circuitShare = 0.7

// batchShare is the part of the memory that one batch of a circuit may take. Each
// search thread has two or three.
const batchShare = 8

// New compiles a game into a state machine. With engine "auto" that is the
// circuit, or the Datalog machine where the circuit does not fit the budget;
// Info().Reason says why.
func New(ctx context.Context, g *gdl.Game, o Options) (machine.Machine, error) {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	limits := datalog.Limits{MaxBytes: o.Memory}
	ctx, cancel := context.WithTimeout(ctx, o.Budget)
	defer cancel()
	switch o.Engine {
	case "", "auto":
		return auto(ctx, g, o, limits)
	case "circuit":
		return newCircuit(ctx, g, o, "asked for")
	case "datalog":
		return datalog.NewMachine(ctx, g, limits)
	case "reference":
		return reference.New(ctx, g)
	}
	return nil, fmt.Errorf("no engine %q: it is one of %q", o.Engine, Engines)
}

func auto(ctx context.Context, g *gdl.Game, o Options, limits datalog.Limits) (machine.Machine, error) {
	share, cancel := context.WithTimeout(ctx, time.Duration(float64(o.Budget)*circuitShare))
	defer cancel()
	m, err := newCircuit(share, g, o, "fits the budget")
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	fallback, errFallback := datalog.NewMachine(ctx, g, limits)
	if errFallback != nil {
		return nil, errors.Join(err, errFallback)
	}
	return because(fallback, "no circuit: "+err.Error()), nil
}

// Circuit grounds a game and optimises its circuit: New without the last step,
// for those who want to look at it.
func Circuit(ctx context.Context, g *gdl.Game, o Options) (*circuit.Game, error) {
	program, err := datalog.Ground(ctx, g, datalog.Limits{MaxBytes: o.Memory})
	if err != nil {
		return nil, err
	}
	game, err := lower(ctx, program)
	if err != nil {
		return nil, err
	}
	return circuit.Optimise(ctx, game, circuit.PassOptions{Without: o.Without, Trace: o.Trace})
}

func newCircuit(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error) {
	game, err := Circuit(ctx, g, o)
	if err != nil {
		return nil, err
	}
	m, err := circuit.Compile(ctx, game, circuit.Options{Lanes: o.Lanes, Memory: o.Memory / batchShare})
	if err != nil {
		return nil, err
	}
	return because(m, reason), nil
}

// reasoned is a machine that says why it was chosen.
type reasoned struct {
	machine.Machine
	reason string
}

func because(m machine.Machine, reason string) machine.Machine { return reasoned{m, reason} }

// Info implements machine.Machine.
func (r reasoned) Info() machine.Info {
	info := r.Machine.Info()
	info.Reason = r.reason
	return info
}

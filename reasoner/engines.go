package reasoner

import (
	"context"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// engine is one way to make a machine of a game.
type engine struct {
	name string
	// time is the part of the time that is left which New gives this engine before
	// it tries the next one.
	time float64
	// memory is the part of Options.Memory for this engine where Begin compiles with
	// two at a time: with the first, and with one of the others.
	memory float64
	// make compiles a game; reason is why this engine was chosen.
	make func(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error)
}

// engines is the table of all engines, the best machines first. Which one is chosen:
//
//   - the one that Options.Engine names, if it names one;
//   - else the first that works within its part of the time and the memory (New), and one of the
//     others besides, where the first takes long (Begin).
var engines = []engine{
	// The ground game as a Boolean circuit: thousands of times as fast as the others,
	// for games whose ground rules fit the memory and the time.
	{name: "circuit", time: 0.7, memory: 2.0 / 3, make: newCircuit},
	// The rules evaluated anew in every position: needs far less of both, is ready
	// at once, and numbers fluents and moves as it meets them, so that it takes
	// whatever can be played at all.
	{name: "datalog", time: 0.8, memory: 1.0 / 3, make: newDatalog},
	// The interpreter: slow, for rules that even translating makes too many of.
	{name: "reference", time: 1, memory: 1.0 / 3, make: newReference},
}

// Kernels are the names that Options.Kernel takes.
func Kernels() []string {
	names := []string{kernel.Auto}
	for _, f := range kernel.Families {
		names = append(names, f.Name)
	}
	return names
}

// CheckKernel says why Options.Kernel cannot be a name on this machine, if it cannot.
func CheckKernel(name string) error {
	_, err := kernel.From(name)
	return err
}

// Engines are the names that Options.Engine takes.
var Engines = engineNames()

func engineNames() []string {
	names := []string{auto}
	for _, e := range engines {
		names = append(names, e.name)
	}
	return names
}

// auto stands for the first engine that works.
const auto = "auto"

const (
	// plainInstances is the number of rule instances from which on it is worth the time to look
	// for fewer, by thorough grounding; mostInstances how many there may be then. All but a handful
	// of games have fewer than either.
	plainInstances = 2_500_000
	mostInstances  = 10_000_000
)

// ground returns the ground program of a game. A game that exceeds a limit is grounded again, thoroughly.
func ground(ctx context.Context, g *gdl.Game, memory int64) (p *datalog.Program, err error) {
	var stages machine.Stages
	for _, lim := range []datalog.Limits{{MaxInstances: plainInstances}, {MaxInstances: mostInstances, Thorough: true}} {
		began := time.Now()
		lim.MaxBytes = memory
		if p, err = datalog.Ground(ctx, g, lim); err == nil {
			p.Stages = append(stages, p.Stages...)
			return p, nil
		}
		if !errors.Is(err, datalog.ErrLimit) {
			break
		}
		stages.Add("grounding, in vain", time.Since(began))
	}
	return nil, err
}

func newDatalog(ctx context.Context, g *gdl.Game, o Options, _ string) (machine.Machine, error) {
	return datalog.NewMachine(ctx, g, datalog.Limits{MaxBytes: o.Memory})
}

func newReference(ctx context.Context, g *gdl.Game, _ Options, _ string) (machine.Machine, error) {
	return reference.New(ctx, g)
}

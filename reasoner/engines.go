package reasoner

import (
	"context"
	"errors"

	"stackmate/gdl"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/interpret"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// engine compiles games in one way.
type engine struct {
	name string
	// time is the engine's share of the time left when New tries it.
	time float64
	// memory is the engine's share of Options.Memory when Begin compiles with two engines at a time.
	memory float64
	// make compiles a game; reason says why the engine was chosen.
	make func(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error)
}

// engines lists all engines, the fastest machines first. The engine of a game is:
//
//   - the engine that Options.Engine names, if it names one;
//   - else the first engine that works within its share of time and memory (New); Begin also compiles with a later
//     engine if the first engine takes long.
var engines = []engine{
	// The ground game as a Boolean circuit: thousands of times as fast as the other engines, for games whose ground
	// rules fit memory and time.
	{name: "circuit", time: 0.7, memory: 2.0 / 3, make: newCircuit},
	// The rules evaluated anew in every position: needs far less memory and time. It numbers fluents and moves at their
	// first occurrence, so the size of a game is unlimited.
	{name: "datalog", time: 0.8, memory: 1.0 / 3, make: newDatalog},
	// Queries of the prover in every position: slow, for rules whose translation exceeds the memory.
	{name: "reference", time: 1, memory: 1.0 / 3, make: newReference},
}

// Kernels returns the names that Options.Kernel accepts.
func Kernels() []string {
	names := []string{kernel.Auto}
	for _, f := range kernel.Families {
		names = append(names, f.Name)
	}
	return names
}

// CheckKernel returns an error if this processor or system lacks the named kernel.
func CheckKernel(name string) error {
	_, err := kernel.From(name)
	return err
}

// Engines lists the names that Options.Engine accepts.
var Engines = engineNames()

func engineNames() []string {
	names := []string{auto}
	for _, e := range engines {
		names = append(names, e.name)
	}
	return names
}

// auto selects the first engine that works.
const auto = "auto"

// newDatalog returns the Datalog machine of a game, or of its slice if the first positions take more memory than allowed.
func newDatalog(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error) {
	limits := datalog.Limits{MaxBytes: o.Memory}
	m, err := interpret.New(ctx, g, limits)
	slice, smaller := observable(g)
	if !smaller || err != nil && !errors.Is(err, datalog.ErrLimit) || err == nil && !losesPositions(m) {
		return m, err
	}
	if m, err = interpret.New(ctx, slice, limits); err != nil {
		return nil, err
	}
	leaveOut(m.Names(), g, slice)
	return &described{m, withSlice(reason), m.Info().Stages}, nil
}

// losesPositions reports whether a machine loses the position in the first moves of a random match for want of memory.
func losesPositions(m machine.Machine) bool {
	const steps = 4
	b, rng, s := m.NewNarrowBatch(), machine.NewRand(1), make(machine.State, len(m.Initial()))
	for range steps {
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 != 0 {
			break
		}
		b.ChooseRandom(rng, 1)
		b.Advance(1)
	}
	b.Store(s, 1)
	return m.Names().Lost(s)
}

func newReference(ctx context.Context, g *gdl.Game, _ Options, _ string) (machine.Machine, error) {
	return reference.New(ctx, g)
}

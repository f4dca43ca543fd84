package reasoner

import (
	"context"
	"errors"

	"stackmate/gdl"
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

// engines is the table of all engines, the best machines first. New takes the
// first that works; Begin also brings one of the others where the first takes long.
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

// newDatalog takes the slice of a game of which the first positions do not fit.
func newDatalog(ctx context.Context, g *gdl.Game, o Options, reason string) (machine.Machine, error) {
	limits := datalog.Limits{MaxBytes: o.Memory}
	m, err := datalog.NewMachine(ctx, g, limits)
	slice, smaller := observable(g)
	if !smaller || err != nil && !errors.Is(err, datalog.ErrLimit) || err == nil && !losesPositions(m) {
		return m, err
	}
	if m, err = datalog.NewMachine(ctx, slice, limits); err != nil {
		return nil, err
	}
	leaveOut(m.Names(), g, slice)
	return &described{m, withSlice(reason), m.Info().Stages}, nil
}

// losesPositions tells whether a machine knows nothing of positions at the beginning of a random match.
func losesPositions(m machine.Machine) bool {
	const steps = 4
	b, rng, s := m.NewNarrowBatch(), machine.NewRand(1), make(machine.State, m.Words())
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

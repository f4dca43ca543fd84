package reasoner

import (
	"context"

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

func newDatalog(ctx context.Context, g *gdl.Game, o Options, _ string) (machine.Machine, error) {
	return datalog.NewMachine(ctx, g, datalog.Limits{MaxBytes: o.Memory})
}

func newReference(ctx context.Context, g *gdl.Game, _ Options, _ string) (machine.Machine, error) {
	return reference.New(ctx, g)
}

package reasoner

import (
	"context"
	"errors"
	"fmt"
	"math"
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
//     others besides, where the first takes long (Begin);
//   - but a circuit only if it is worth it (groundWorthwhile): for very large games, whose
//     positions the Datalog machine computes by few matches, it would be slower.
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

// What tells whether a circuit pays, on an EPYC of 2023: it takes some 5 ns a ground rule for a
// pass of 512 lanes; the Datalog machine takes a microsecond for a position, and some 40 ns more
// for each match that it tries (tic-tac-toe, connect four, breakthrough, reversi, chess). A fluent
// counts as ten rules: it is not only computed but written anew in each step, and of one
// position, too, all are placed and read: milliseconds where there are tens of thousands.
const (
	positionWork   = 25
	rulesPerMatch  = 512 * 40 / 5
	rulesPerFluent = 10
	// tuningGain is how many times less work tuning leaves, at most: chess 1.8, amazonsTorus 1.3.
	tuningGain = 4

	// plainInstances is the number of rule instances from which on it is worth the time to look
	// for fewer, by thorough grounding; mostInstances how many there may be then. All but a handful
	// of games have fewer than either.
	plainInstances = 2_500_000
	mostInstances  = 10_000_000
	// From largeInstances on, and from manyFluents, it is worth the time to ask whether a circuit
	// pays: where the whole position is one fluent, of tens of thousands, few rules hold at a time.
	largeInstances = 1_500_000
	manyFluents    = 10_000
)

// errNotWorth says that a circuit would be slower than the Datalog machine.
var errNotWorth = fmt.Errorf("%w: evaluating the rules anew is quicker", datalog.ErrLimit)

// groundWorthwhile is the ground program of a game. A game that hits a limit is grounded again,
// thoroughly. Where the engine is left to the compiler, it must be small enough to be quicker than
// the Datalog machine; asked tells that the game is so large that this was the question.
func groundWorthwhile(ctx context.Context, g *gdl.Game, o Options) (p *datalog.Program, asked bool, err error) {
	var stages machine.Stages
	worth := math.MaxInt // instances
	for _, lim := range []datalog.Limits{{MaxInstances: plainInstances}, {MaxInstances: mostInstances, Thorough: true}} {
		began := time.Now()
		lim.MaxBytes, lim.MaxInstances = o.Memory, max(1, min(lim.MaxInstances, worth))
		var size datalog.Size
		p, size, err = datalog.Ground(ctx, g, lim)
		if err != nil && !errors.Is(err, datalog.ErrLimit) {
			break
		}
		if !asked && (size.Instances > largeInstances || size.Fluents > manyFluents) {
			if asked = true; o.weigh {
				worth = worthwhile(ctx, g, o, size.Fluents)
			}
		}
		if size.Instances > worth {
			p, err = nil, errNotWorth
		}
		if err == nil {
			p.Stages = append(stages, p.Stages...)
			break
		}
		if size.Instances > worth && size.Fluents > manyFluents {
			break // other rules have the same fluents
		}
		stages.Add("grounding, in vain", time.Since(began))
	}
	return p, asked, err
}

// worthwhile is the number of ground rules up to which a circuit with so many fluents is
// quicker than the Datalog machine. Work is counted, not timed: so the same rulesheet always
// gives the same machine.
func worthwhile(ctx context.Context, g *gdl.Game, o Options, fluents int) int {
	lost := rulesPerFluent * int64(fluents)
	enough := tuningGain * (mostInstances + lost) / rulesPerMatch
	work, err := datalog.Work(ctx, g, datalog.Limits{MaxBytes: o.Memory}, enough)
	if err != nil || work == 0 {
		return math.MaxInt // nothing to compare with
	}
	return int(min(math.MaxInt32, (positionWork+work)*rulesPerMatch-lost))
}

func newDatalog(ctx context.Context, g *gdl.Game, o Options, _ string) (machine.Machine, error) {
	return datalog.NewMachine(ctx, g, datalog.Limits{MaxBytes: o.Memory})
}

func newReference(ctx context.Context, g *gdl.Game, _ Options, _ string) (machine.Machine, error) {
	return reference.New(ctx, g)
}

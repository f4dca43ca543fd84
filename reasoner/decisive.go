package reasoner

import (
	"context"
	"math/bits"
	"sync"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// decider is a circuit that can be compiled once more, with decisive moves or for signals,
// and read as a formula (prove.go).
type decider struct {
	machine.Machine
	planning
	game    *circuit.Game
	options circuit.Options

	mu       sync.Mutex
	decisive [2]struct { // in turns, and at once
		tried   bool            // once: what did not fit into the time then is not worth it
		machine machine.Machine // nil if there is none
	}
	sought  bool // the same of signals
	signals machine.Signals

	factored bool // the same of subgames
	subgames []machine.Subgame
}

var _ machine.Machine = (*decider)(nil)

// Decisive implements machine.Analysis.
func (d *decider) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := &d.decisive[0]
	if atOnce {
		found = &d.decisive[1]
	}
	if found.tried {
		return found.machine
	}
	found.tried = true
	sparing, full := circuit.WithDecisiveMoves(ctx, d.game, atOnce)
	if found.machine = d.compile(ctx, full); found.machine == nil {
		if m := d.compile(ctx, sparing); m != nil && d.pays(ctx, m) {
			found.machine = m
		}
	}
	return found.machine
}

// compile makes the machine of a game, or nil if there is none.
func (d *decider) compile(ctx context.Context, g *circuit.Game) machine.Machine {
	if g == nil {
		return nil
	}
	m, err := circuit.Compile(ctx, g, d.options)
	if err != nil {
		return nil
	}
	return m
}

// Decisive moves that take no account of what others can do next pay where random games are mostly
// decided by chance: they end by so much sooner with them, for so many gates more that have to be
// evaluated (search/montecarlo/README.md).
const (
	mostLength = 0.8
	mostWork   = 3
)

// pays tells whether decisive moves that do not look ahead are worth what they cost.
func (d *decider) pays(ctx context.Context, sparing machine.Machine) bool {
	shorter := meanLength(ctx, sparing) / meanLength(ctx, d.Machine)
	more := float64(sparing.Info().Gates) / float64(d.Info().Gates)
	return ctx.Err() == nil && shorter <= mostLength && shorter*more <= mostWork
}

// meanLength is that of one batch of random games.
func meanLength(ctx context.Context, m machine.Machine) float64 {
	b := m.NewBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(b.Lanes())
	moves := 0
	machine.NewLockstep(b).Run(ctx, machine.NewRand(1), b.Lanes(), func(_ int, _, playing []uint64) bool {
		for _, lanes := range playing {
			moves += bits.OnesCount64(lanes)
		}
		return true
	})
	return float64(max(1, moves)) / float64(b.Lanes())
}

// Subgames implements machine.Analysis.
func (d *decider) Subgames(ctx context.Context) []machine.Subgame {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.factored {
		return d.subgames
	}
	d.factored = true
	var list []machine.Subgame
	for _, s := range d.game.Subgames(ctx) {
		m, err := circuit.Compile(ctx, s.Game, d.options)
		if err != nil {
			return nil
		}
		list = append(list, machine.Subgame{Machine: &decider{Machine: m, game: s.Game, options: d.options}, Fluents: s.Fluents, Elsewhere: s.Elsewhere})
	}
	d.subgames = list
	return list
}

package reasoner

import (
	"context"
	"math/bits"
	"sync"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// decider is a circuit that can be compiled once more, with decisive moves or for signals,
// and read as a formula (prove.go). What did not fit into the time of its first call is not
// tried again.
type decider struct {
	machine.Machine
	game    *circuit.Game
	options circuit.Options

	mu       sync.Mutex
	decisive [2]lazy[machine.Machine] // in turns, and at once
	signals  lazy[machine.Signals]
	subgames lazy[[]machine.Subgame]
	planner  lazy[planner]
}

// lazy is a value that is made when it is first asked for.
type lazy[T any] struct {
	made  bool
	value T
}

func (l *lazy[T]) get(mu *sync.Mutex, make func() T) T {
	mu.Lock()
	defer mu.Unlock()
	if !l.made {
		l.value, l.made = make(), true
	}
	return l.value
}

var _ machine.Machine = (*decider)(nil)

// Decisive implements machine.Analysis.
func (d *decider) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	found := &d.decisive[0]
	if atOnce {
		found = &d.decisive[1]
	}
	return found.get(&d.mu, func() machine.Machine {
		sparing, full := circuit.WithDecisiveMoves(ctx, d.game, atOnce)
		if m := d.compile(ctx, full); m != nil {
			return m
		}
		if m := d.compile(ctx, sparing); m != nil && d.pays(ctx, m) {
			return m
		}
		return nil
	})
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
	return d.subgames.get(&d.mu, func() (list []machine.Subgame) {
		for _, s := range d.game.Subgames(ctx) {
			m := d.compile(ctx, s.Game)
			if m == nil {
				return nil
			}
			part := &decider{Machine: m, game: s.Game, options: d.options}
			list = append(list, machine.Subgame{Machine: part, Fluents: s.Fluents, Elsewhere: s.Elsewhere})
		}
		return list
	})
}

package reasoner

import (
	"context"
	"math/bits"
	"sync"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
)

// decider is a circuit that can be compiled once more, with decisive moves or for signals,
// and read as a formula (prove.go).
type decider struct {
	machine.Machine
	game    *circuit.Game
	options circuit.Options

	inTurns, atOnce lazy[machine.Machine] // with decisive moves; nil if there is none
	signals         lazy[machine.Signals]
	subgames        lazy[[]machine.Subgame]
	planner         lazy[planner]
	goalSum         fact[int32]
	length          fact[int]
}

// lazy is what is found when it is first asked for, in the time that there is then: what did not
// fit is not worth it.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(find func() T) T {
	l.once.Do(func() { l.value = find() })
	return l.value
}

var _ machine.Machine = (*decider)(nil)

// Decisive implements machine.Analysis.
func (d *decider) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	found := &d.inTurns
	if atOnce {
		found = &d.atOnce
	}
	return found.get(func() machine.Machine {
		exclusive := prove.Clock(d.game.Whole()).Exclusive()
		sparing, full := circuit.WithDecisiveMoves(ctx, d.game, atOnce, exclusive)
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
	return d.subgames.get(func() []machine.Subgame {
		var list []machine.Subgame
		for _, s := range d.game.Subgames(ctx) {
			m := d.compile(ctx, s.Game)
			if m == nil {
				return nil
			}
			list = append(list, machine.Subgame{Machine: &decider{Machine: m, game: s.Game, options: d.options}, Fluents: s.Fluents, Elsewhere: s.Elsewhere})
		}
		return list
	})
}

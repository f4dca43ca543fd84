package reasoner

import (
	"context"
	"math/bits"
	"sync"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prove"
)

// circuitMachine is the machine of a circuit. It keeps the circuit to compile it again with decisive moves, with signals
// (signals.go) or as subgames, and to prove facts and find plans (prove.go).
type circuitMachine struct {
	machine.Machine
	game    *circuit.Optimised
	options circuit.Options

	inTurns, atOnce lazy[machine.Machine] // with decisive moves; nil if there is none
	signals         lazy[facts.Signals]
	subgames        lazy[[]facts.Subgame]
	planner         lazy[planner]
	goalSum         fact[int32]
	length          fact[int]
}

// lazy computes a value at the first call of get and keeps the result, even if the context of that call ended
// the computation early.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(find func() T) T {
	l.once.Do(func() { l.value = find() })
	return l.value
}

var (
	_ machine.Machine = (*circuitMachine)(nil)
	_ facts.Deciding  = (*circuitMachine)(nil)
	_ facts.Divisible = (*circuitMachine)(nil)
	_ facts.Sensing   = (*circuitMachine)(nil)
	_ facts.Planning  = (*circuitMachine)(nil)
	_ facts.Proving   = (*circuitMachine)(nil)
)

// Unwrap implements machine.Wrapper.
func (c *circuitMachine) Unwrap() machine.Machine { return c.Machine }

// Decisive implements facts.Deciding.
func (c *circuitMachine) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	found := &c.inTurns
	if atOnce {
		found = &c.atOnce
	}
	return found.get(func() machine.Machine {
		exclusive := prove.Clock(c.game.Whole()).Exclusive()
		sparing, full := circuit.WithDecisiveMoves(ctx, c.game, atOnce, exclusive)
		if m := c.compile(ctx, full); m != nil {
			return m
		}
		if m := c.compile(ctx, sparing); m != nil && c.pays(ctx, m) {
			return m
		}
		return nil
	})
}

// compile returns the machine of a game; nil if g is nil or cannot be compiled.
func (c *circuitMachine) compile(ctx context.Context, g *circuit.Game) machine.Machine {
	if g == nil {
		return nil
	}
	m, err := g.Compile(ctx, c.options)
	if err != nil {
		return nil
	}
	m.Inherit(c.Machine)
	return m
}

// Decisive moves that ignore the next moves of other roles pay if chance mostly decides random games: games
// must get shorter by at least mostLength, and the product of length and number of gates may grow by at most
// mostWork (search/montecarlo/README.md).
const (
	mostLength = 0.8
	mostWork   = 3.3
)

// pays reports whether decisive moves without lookahead shorten random games enough for their gates.
func (c *circuitMachine) pays(ctx context.Context, sparing machine.Machine) bool {
	shorter := meanLength(ctx, sparing) / meanLength(ctx, c.Machine)
	more := float64(sparing.Info().Gates) / float64(c.Info().Gates)
	return ctx.Err() == nil && shorter <= mostLength && shorter*more <= mostWork
}

// meanLength returns the mean length of one batch of random games.
func meanLength(ctx context.Context, m machine.Machine) float64 {
	b := m.NewBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(b.Lanes())
	moves := 0
	play.NewLockstep(b).Run(ctx, machine.NewRand(1), b.Lanes(), func(_ int, _, playing []uint64) bool {
		for _, lanes := range playing {
			moves += bits.OnesCount64(lanes)
		}
		return true
	})
	return float64(max(1, moves)) / float64(b.Lanes())
}

// Subgames implements facts.Divisible.
func (c *circuitMachine) Subgames(ctx context.Context) []facts.Subgame {
	return c.subgames.get(func() []facts.Subgame {
		var list []facts.Subgame
		for _, s := range c.game.Subgames(ctx) {
			m, err := s.Game.Compile(ctx, c.options)
			if err != nil {
				return nil
			}
			list = append(list, facts.Subgame{Machine: &circuitMachine{Machine: m, game: s.Game, options: c.options}, Fluents: s.Fluents, Elsewhere: s.Elsewhere})
		}
		return list
	})
}

package factor

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// board is a position of a game and of its subgames.
type board struct {
	machine  machine.Machine
	subgames []facts.Subgame
	whole    machine.Batch
	parts    []machine.Batch // by subgame
}

func newBoard(ctx context.Context, m machine.Machine) *board {
	b := &board{machine: m, whole: m.NewNarrowBatch(), subgames: facts.Subgames(ctx, m)}
	for i := range b.subgames {
		b.parts = append(b.parts, b.subgames[i].NewNarrowBatch())
	}
	return b
}

// set sets the position.
func (b *board) set(q machine.State) {
	b.whole.Load(q, 1)
	b.whole.Evaluate(1)
	for i, part := range b.parts {
		part.Load(b.subgames[i].Project(q), 1)
		part.Evaluate(1)
	}
}

// owner locates the choice of a role: its only move, or the subgame in which it has a choice.
type owner struct {
	only    machine.Move
	subgame int
}

// owners returns the owner of each role's choice, or nil if a role's choice is not in exactly one subgame.
func (b *board) owners() []owner {
	owners := make([]owner, len(b.machine.Names().Roles))
	for r := range owners {
		role := machine.Role(r)
		moves := b.whole.AppendLegal(nil, 0, role)
		if len(moves) == 1 {
			owners[r] = owner{moves[0], -1}
			continue
		}
		in := func(part machine.Batch) bool { return slices.Equal(part.AppendLegal(nil, 0, role), moves) }
		i := slices.IndexFunc(b.parts, in)
		if i < 0 {
			return nil
		}
		owners[r] = owner{machine.NoMove, i}
	}
	return owners
}

// isOver reports whether the whole game is over.
func (b *board) isOver() bool { return b.whole.Terminal()[0]&1 != 0 }

// isStuck reports whether a role has no legal move in a subgame, not even a move elsewhere.
func isStuck(part machine.Batch) bool { return part.Stuck()[0]&1 != 0 }

// overIn returns the number of finished subgames.
func (b *board) overIn() (n int) {
	for _, part := range b.parts {
		if part.Terminal()[0]&1 != 0 {
			n++
		}
	}
	return n
}

const (
	// trialMatches is the number of random trial matches, trialSteps their maximum length.
	trialMatches = 16
	trialSteps   = 200
)

// Subgames returns the subgames of m, or nil if random matches refute the factoring. In each position a
// role must have choices in at most one subgame, and the match must end when some subgame ends, at the
// latest with the last one.
func Subgames(ctx context.Context, m machine.Machine, seed uint64) []facts.Subgame {
	b := newBoard(ctx, m)
	rng, fits := machine.NewRand(seed), len(b.parts) > 0
	for match := 0; match < trialMatches && fits; match++ {
		steps := 0
		play.RandomGame(ctx, b.whole, rng, m.Initial(), func(q machine.State, _ bool) bool {
			b.set(q)
			fits = b.fits()
			steps++
			return fits && steps < trialSteps
		})
	}
	if !fits || ctx.Err() != nil {
		return nil
	}
	return b.subgames
}

// fits reports whether the subgames explain the position: it is over if some subgame is over, at the latest with the last
// one; otherwise each choice is in one subgame, and no role is stuck in any.
func (b *board) fits() bool {
	over := b.overIn()
	if b.isOver() {
		return over > 0
	}
	return over < len(b.parts) && b.owners() != nil && !slices.ContainsFunc(b.parts, isStuck)
}

package protocol

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/prover"
)

// fallback names legal moves from the rules alone, for when the agent doesn't. It
// takes part in a match only then: nothing is computed before. Where the rules are too much
// work, it goes by those alone that legal moves depend on, and does not know when the game ends.
type fallback struct {
	game *gdl.Game
	role string

	mu    sync.Mutex
	slice []string // the relations that are asked for: legal and, at first, terminal
	at    *prover.Position
	heard int // of what was told: how much the position has gone through
}

// errNoMove says that the rules give a role no legal move.
var errNoMove = errors.New("the rules give no legal move here")

// move is a legal move after all that was told. Joint moves that are not legal
// where they are told are passed over. The error is ErrOver or errNoMove if the rules
// say that there is none.
func (f *fallback) move(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	within, cancel := ctx, func() {}
	if deadline, ok := ctx.Deadline(); ok && len(f.slice) > 1 {
		within, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
	}
	defer cancel()
	move, err := f.find(within, told)
	if len(f.slice) > 1 && err != nil && ctx.Err() == nil && !errors.Is(err, ErrOver) && !errors.Is(err, errNoMove) {
		f.slice, f.at = f.slice[:1], nil
		move, err = f.find(ctx, told)
	}
	return move, err
}

// find is move by the rules of the slice.
func (f *fallback) find(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if f.at == nil {
		slice, _ := f.game.Slice(f.slice...)
		at, err := prover.Begin(ctx, slice)
		if err != nil {
			return gdl.Term{}, err
		}
		f.at, f.heard = at, 0
	}
	for ; f.heard < len(told); f.heard++ {
		if err := f.hear(ctx, told[f.heard]); err != nil {
			return gdl.Term{}, err
		}
	}
	if len(f.slice) > 1 {
		if over, err := f.at.IsOver(ctx); over || err != nil {
			return gdl.Term{}, cmp.Or(err, ErrOver)
		}
	}
	moves, err := f.at.Legal(ctx, slices.Index(f.at.Roles, f.role), 1)
	if err != nil || len(moves) == 0 {
		return gdl.Term{}, cmp.Or(err, errNoMove)
	}
	return gdl.ParseTerm(moves[0])
}

// hear goes on by one joint move, if it is legal.
func (f *fallback) hear(ctx context.Context, joint []gdl.Term) error {
	texts := Texts(joint)
	if fault, err := f.at.Fault(ctx, texts); fault != "" || err != nil {
		return err
	}
	return f.at.Advance(ctx, texts)
}

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

// fallback finds legal moves from the rules alone, if the agent fails. It computes nothing before. If the full rules
// take too long, it evaluates only the rules that legal depends on, and does not detect the end of the game.
type fallback struct {
	game *gdl.Game
	role string

	mu    sync.Mutex
	slice []string // the relations asked for: legal and, at first, terminal
	at    *prover.Position
	heard int // number of joint moves of told that at has passed
}

// errNoMove: the role has no legal move.
var errNoMove = errors.New("the rules give no legal move here")

// move returns a legal move after the joint moves of told. Illegal joint moves are skipped. The error is ErrOver at
// the end of the game, and errNoMove if the role has no legal move.
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

// find returns a legal move by the rules of the slice.
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

// hear advances the position by a joint move if it is legal.
func (f *fallback) hear(ctx context.Context, joint []gdl.Term) error {
	texts := Texts(joint)
	if fault, err := f.at.Fault(ctx, texts); fault != "" || err != nil {
		return err
	}
	return f.at.Advance(ctx, texts)
}

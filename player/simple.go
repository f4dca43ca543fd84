package player

import (
	"context"

	"stackmate/reasoner/machine"
)

// firstMove plays the first legal move.
type firstMove struct{}

func (firstMove) begin(context.Context, position)  {}
func (firstMove) ponder(context.Context, position) {}
func (firstMove) choose(_ context.Context, at position) choice {
	return choice{move: at.legal[0], by: byKind}
}

// randomMove plays a random legal move.
type randomMove struct{ rng *machine.Rand }

func (*randomMove) begin(context.Context, position)  {}
func (*randomMove) ponder(context.Context, position) {}
func (r *randomMove) choose(_ context.Context, at position) choice {
	return choice{move: at.legal[r.rng.Intn(len(at.legal))], by: byKind}
}

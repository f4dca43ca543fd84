package conformance

import (
	"context"
	_ "embed"

	"stackmate/gdl"
	"stackmate/reasoner/prover"
)

// The kit's own games: with simultaneous moves, and turn-based.
var (
	//go:embed rules/walk.kif
	walkRules string
	//go:embed rules/turns.kif
	turnsRules string
)

// newPosition returns the initial position of a game.
func newPosition(ctx context.Context, rules string) (*prover.Position, error) {
	game, _, err := gdl.Load(ctx, "rules", []byte(rules))
	if err != nil {
		return nil, err
	}
	return prover.Begin(ctx, game)
}

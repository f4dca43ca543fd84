package conformance

import (
	"context"
	"embed"

	"stackmate/gdl"
	"stackmate/reasoner/prover"
)

//go:embed rules/*.kif
var sheets embed.FS

// sheet is one of the kit's own rulesheets.
func sheet(name string) string {
	text, err := sheets.ReadFile("rules/" + name + ".kif")
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(text)
}

// newPosition is the initial position of a game.
func newPosition(ctx context.Context, rules string) (*prover.Position, error) {
	game, _, err := gdl.Load(ctx, "rules", []byte(rules))
	if err != nil {
		return nil, err
	}
	return prover.Begin(ctx, game)
}

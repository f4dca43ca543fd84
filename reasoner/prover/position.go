package prover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
)

// Position is where a match stands, by the rules alone. Errors are those of the Prover; the
// position stays where it was after each.
type Position struct {
	Roles  []string
	Facts  []string // the fluents that are true
	prover *Prover
}

// Begin is the initial position of a game.
func Begin(ctx context.Context, g *gdl.Game) (*Position, error) {
	p := &Position{prover: New(g)}
	p.Roles = p.prover.roles
	var err error
	p.Facts, err = p.prover.Initial(ctx)
	return p, err
}

// IsOver reports whether the game has ended.
func (p *Position) IsOver(ctx context.Context) (bool, error) { return p.prover.Terminal(ctx, p.Facts) }

// Legal lists legal moves of a role, as Prover.Legal does.
func (p *Position) Legal(ctx context.Context, role, atMost int) ([]string, error) {
	return p.prover.Legal(ctx, p.Facts, p.Roles[role], atMost)
}

// Goal is the goal of a role, or machine.NoGoal.
func (p *Position) Goal(ctx context.Context, role int) (int, error) {
	return p.prover.Goal(ctx, p.Facts, p.Roles[role])
}

// Fault says what is wrong with a joint move, "" if nothing is.
func (p *Position) Fault(ctx context.Context, joint []string) (string, error) {
	if len(joint) != len(p.Roles) {
		return fmt.Sprintf("%d moves of %d roles", len(joint), len(p.Roles)), nil
	}
	for role, move := range joint {
		legal, err := p.Legal(ctx, role, 0)
		if err != nil {
			return "", err
		}
		if !slices.Contains(legal, move) {
			return fmt.Sprintf("%s of %s, whose legal moves are %s", move, p.Roles[role], Few(legal)), nil
		}
	}
	return "", nil
}

// Few shows the first of many moves.
func Few(moves []string) string {
	const shown = 8
	if len(moves) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(moves[:shown], " "), len(moves)-shown)
	}
	return strings.Join(moves, " ")
}

// Advance makes a joint move, which must be legal.
func (p *Position) Advance(ctx context.Context, joint []string) error {
	facts, err := p.prover.Next(ctx, p.Facts, joint)
	if err == nil {
		p.Facts = facts
	}
	return err
}

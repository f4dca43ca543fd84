package prover

import (
	"context"
	"fmt"

	"stackmate/gdl"
)

// Position is the current position of a match, computed from the rules alone. Its methods return the errors of
// Prover, and then leave the position unchanged.
type Position struct {
	Roles  []string
	Facts  []string // the true fluents
	prover *Prover
}

// Begin returns the initial position of a game.
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

// Goal returns the goal of a role, or machine.NoGoal.
func (p *Position) Goal(ctx context.Context, role int) (int, error) {
	return p.prover.Goal(ctx, p.Facts, p.Roles[role])
}

// Fault describes the fault of a joint move, or returns "" for a legal joint move.
func (p *Position) Fault(ctx context.Context, joint []string) (string, error) {
	if len(joint) != len(p.Roles) {
		return fmt.Sprintf("%d moves of %d roles", len(joint), len(p.Roles)), nil
	}
	if over, err := p.IsOver(ctx); over || err != nil {
		return "a joint move after the end of the game", err
	}
	for role, move := range joint {
		isLegal, err := p.prover.IsLegal(ctx, p.Facts, p.Roles[role], move)
		if err != nil {
			return "", err
		}
		if !isLegal {
			return fmt.Sprintf("%s is no legal move of %s", move, p.Roles[role]), nil
		}
	}
	return "", nil
}

// Advance makes a joint move, which must be legal.
func (p *Position) Advance(ctx context.Context, joint []string) error {
	facts, err := p.prover.Next(ctx, p.Facts, joint)
	if err == nil {
		p.Facts = facts
	}
	return err
}

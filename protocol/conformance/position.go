package conformance

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

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

// position is where a match stands, as the rules have it.
type position struct {
	prover  *prover.Prover
	roles   []string
	fluents []string
}

// newPosition is the initial position of a game.
func newPosition(ctx context.Context, rules string) (*position, error) {
	game, _, err := gdl.Load(ctx, "rules", []byte(rules))
	if err != nil {
		return nil, err
	}
	return newPositionOf(ctx, game)
}

func newPositionOf(ctx context.Context, game *gdl.Game) (p *position, err error) {
	p = &position{prover: prover.New(game)}
	for _, r := range game.Roles {
		p.roles = append(p.roles, r.String())
	}
	p.fluents, err = p.prover.Initial(ctx)
	return p, err
}

// legal lists the legal moves of a role.
func (p *position) legal(ctx context.Context, role int) ([]string, error) {
	return p.prover.Legal(ctx, p.fluents, p.roles[role], 0)
}

func (p *position) terminal(ctx context.Context) (bool, error) {
	return p.prover.Terminal(ctx, p.fluents)
}

// fault says what is wrong with a joint move in the position, if anything is.
func (p *position) fault(ctx context.Context, joint []string) (string, error) {
	if len(joint) != len(p.roles) {
		return fmt.Sprintf("%d moves of %d roles", len(joint), len(p.roles)), nil
	}
	for role, move := range joint {
		legal, err := p.legal(ctx, role)
		if err != nil {
			return "", err
		}
		if !slices.Contains(legal, move) {
			return fmt.Sprintf("%s of %s, whose legal moves are %s", move, p.roles[role], list(legal)), nil
		}
	}
	return "", nil
}

// advance makes a joint move, which must be legal.
func (p *position) advance(ctx context.Context, joint []string) (err error) {
	p.fluents, err = p.prover.Next(ctx, p.fluents, joint)
	return err
}

// list shows the first few of many moves.
func list(moves []string) string {
	const few = 8
	if len(moves) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(moves[:few], " "), len(moves)-few)
	}
	return strings.Join(moves, " ")
}

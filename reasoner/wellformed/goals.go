package wellformed

import (
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// Bounds of the random matches that look for a role with several goals.
const (
	goalMatches = 6
	goalSteps   = 300
	goalTime    = 300 * time.Millisecond
)

// FirstGoals plays a few random matches by the prover, for a fraction of a second. If a role has several goals
// at the end of a match, it returns the game in which the first goal counts (gdl.Game.FirstGoals), and the role.
// Otherwise it returns g and "". In that time it may not reach an end of a large game.
func FirstGoals(ctx context.Context, g *gdl.Game) (first *gdl.Game, role string) {
	if !g.MayHaveSeveralGoals() {
		return g, ""
	}
	ctx, cancel := context.WithTimeout(ctx, goalTime)
	defer cancel()
	p, rng := prover.New(g), machine.NewRand(simulationSeed)
	for range goalMatches {
		end, err := randomEnd(ctx, p, g, rng)
		if err != nil {
			return g, ""
		}
		goals, err := p.Facts(ctx, end, "goal", 2)
		if err != nil {
			return g, ""
		}
		count := make(map[string]int)
		for _, goal := range goals {
			if count[goal[0]]++; count[goal[0]] > 1 {
				return g.FirstGoals(), goal[0]
			}
		}
	}
	return g, ""
}

// simulationSeed makes the random matches repeatable.
const simulationSeed = 1

// randomEnd returns the last position of a random match.
func randomEnd(ctx context.Context, p *prover.Prover, g *gdl.Game, rng *machine.Rand) ([]string, error) {
	fluents, err := p.Initial(ctx)
	for range goalSteps {
		if err != nil {
			return nil, err
		}
		over, err := p.Terminal(ctx, fluents)
		if over || err != nil {
			return fluents, err
		}
		var joint []string
		for _, r := range g.Roles {
			legal, err := p.Legal(ctx, fluents, r.String(), 0)
			if err != nil || len(legal) == 0 {
				return nil, err
			}
			joint = append(joint, legal[rng.Intn(len(legal))])
		}
		if fluents, err = p.Next(ctx, fluents, joint); err != nil {
			return nil, err
		}
	}
	return nil, err
}

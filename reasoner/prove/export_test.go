package prove

import (
	"context"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// counted is an engine that counts its clauses.
type counted struct {
	sat.Engine
	clauses int
}

func (c *counted) Add(clause ...sat.Lit) {
	c.clauses++
	c.Engine.Add(clause...)
}

// OneStep returns the formula of a joint move of a game, and its number of clauses.
func OneStep(g *circuit.Game) (*Formula, int) {
	engine := &counted{Engine: sat.New()}
	f := &Formula{unrolling: unroll(g, nil), engine: engine}
	after := f.signalsAt(1, g.Fluents)
	f.Play(1)
	for _, l := range after {
		f.assert(l)
		f.assert(l.Not())
	}
	return f, engine.clauses
}

// GoalSumModels reports whether goal-directed induction proves that the players' goals add up to sum, and returns the
// number of models that it examined.
func GoalSumModels(ctx context.Context, g *circuit.Game, m machine.Machine, sum int32) (proved bool, models int) {
	players := g.Names.Players()
	return holdsEverywhere(ctx, g, m, 1<<30, []property{singleGoals(players), constantSum(players, sum)})
}

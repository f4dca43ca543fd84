package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Threats, as gates: for a role and a false fluent, "if the fluent were true, the game would be over with the best goal
// of the role". This is the cofactor of a win (terminal and best goal) with respect to the fluent, under the assumption
// that the position is not terminal. As in regression, nearly all of it folds away: of all lines of a board, only the
// lines through one cell remain, without this cell.
//
// Cost: fluents in the cone of wins × nodes of this cone.

// threats returns the condition under which each fluent is a threat of a role, without constant conditions.
func (g *Game) threats(ctx context.Context) (list []facts.Signal, signals []logic.Lit) {
	_, best := g.bestGoals()
	r := g.newRegression(append(slices.Clone(best), g.Terminal), false, nil)
	if r == nil {
		return nil, nil
	}
	limit := regressionGrowth * r.net.OperandCount()
	for f, fluent := range g.Fluents {
		if ctx.Err() != nil || r.net.OperandCount() > limit {
			return nil, nil
		}
		if _, needed := slices.BinarySearch(r.rootCone, fluent.Node()); !needed {
			continue
		}
		assumed := r.assume(g.Terminal.Not(), fluent.Not())
		r.computeRoots(func(i int) logic.Lit {
			if i == f {
				return logic.True
			}
			return r.fold(g.Fluents[i])
		})
		for role := range best {
			won := r.conjunction([]logic.Lit{r.valueAfter(g.Terminal), r.valueAfter(best[role])})
			if won = g.Net.And(won, fluent.Not()); won != logic.False && won != fluent.Not() {
				list = append(list, facts.Signal{Role: machine.Role(role), Move: machine.NoMove, Lacks: f})
				signals = append(signals, won)
			}
		}
		for _, i := range assumed {
			r.value[i] = unknown
		}
	}
	return list, signals
}

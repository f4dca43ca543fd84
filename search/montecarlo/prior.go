package montecarlo

import (
	"context"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Moves that begin with what is known: where one role chooses, each move of a node begins with the
// estimate of the position that it leads to, as if it had been tried priorVisits times (Gelly and
// Silver, "Combining online and offline knowledge in UCT", 2007, prior knowledge as equivalent
// experience). So no move need be tried once before others are tried twice, and what is estimated
// to be worst may never be.
//
// Cost: an expansion and an estimate of each child, for each node that is opened. Workers do it
// with the playouts, side by side.

const (
	// priorVisits is how many visits a prior counts for, each of which is a leaf with its playouts;
	// priorExploration the constant of UCT where there are priors, in goal points. As measured (README).
	priorVisits      = 4
	priorExploration = 10
	// priorMoves bounds the moves of positions that have priors: more of them cost more than the playouts of
	// a few leaves; priorBytes bounds an expansion.
	priorMoves = 256
	priorBytes = 1 << 20
)

// priors estimates what moves lead to.
type priors struct {
	estimates Evaluator
	random    machine.Role
	expander  *machine.Expander
	expansion machine.Expansion
	values    []float64 // by child, then role
}

// newPriors makes what estimates the moves of a machine; nil if nothing does.
func newPriors(m machine.Machine, c *Config) *priors {
	if !c.hasPriors() {
		return nil
	}
	p := &priors{estimates: c.Evaluator, random: m.Names().Chance(), expander: machine.NewExpander(m)}
	p.expander.Limit(context.Background(), priorBytes, 0)
	return p
}

// of appends what the moves of the only role that chooses in a position, which are given by role,
// are estimated to bring it, in goal points: none where several roles choose, or chance does, or
// there are too many moves.
func (p *priors) of(dst []float32, q machine.State, moves [][]machine.Move) []float32 {
	chooser := int(onlyChooser(moves))
	if chooser < 0 || len(moves[chooser]) > priorMoves || machine.Role(chooser) == p.random || p.expander.Expand(&p.expansion, q) != nil {
		return dst
	}
	e, roles := &p.expansion, len(moves)
	if e.Children != len(e.Moves[chooser]) {
		return dst // others choose, too, though all but one of their moves are left out of the tree
	}
	p.values = scratch.Resize(p.values, e.Children*roles)
	p.estimates.Values(p.values, e.States)
	child := 0
	for _, m := range moves[chooser] { // ascending, as those of the expansion are, some of which may be left out
		for e.Moves[chooser][child] != m {
			child++
		}
		v := p.values[child*roles+chooser]
		if e.Terminal[child] {
			v = float64(search.Points(e.ChildGoals(child)[chooser]))
		}
		dst = append(dst, float32(v))
	}
	return dst
}

// begin lets the moves of node n, which has just been opened, begin with priors.
func (t *tree) begin(n int32, priors []float32) {
	if len(priors) == 0 {
		return
	}
	stats := t.choices(n, t.at(n))
	for i := range stats {
		stats[i].early, stats[i].earlies = priors[i], 1
	}
}

// priorShare is how much the prior of a move counts after so many visits.
func priorShare(visits float64) float64 { return priorVisits / (priorVisits + visits) }

package montecarlo

import (
	"context"
	"math"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Moves that begin with what is known: where one role chooses, each move of a node begins with the
// estimate of the position that it leads to, as if it had been tried priorVisits times (Gelly and
// Silver, "Combining online and offline knowledge in UCT", 2007, prior knowledge as equivalent
// experience), and is explored in proportion to the probability that a policy would make it, as in
// PUCT (Rosin, "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the game
// of Go with deep neural networks and tree search", 2016). The policy is the softmax of the
// estimates, as there is no network for one. So no move need be tried once before others are tried
// twice, and what is estimated to be worst may never be.
//
// Cost: an expansion and an estimate of each child, for each node that is opened. Workers do it
// with the playouts, side by side.

const (
	// priorVisits is how many visits a prior counts for, each of which is a leaf with its playouts;
	// priorExploration the constant of UCT, in goal points, at nodes without priors of a search that has
	// them. As measured (docs/lab/sampling.md).
	priorVisits      = 4
	priorExploration = 10
	// DefaultPolicyExploration is the constant of PUCT and policyTemperature that of the softmax, both in goal points;
	// policyFloor is the share of the probability that all moves have equally. As measured (docs/lab/sampling.md).
	DefaultPolicyExploration = 30
	policyTemperature        = 12
	policyFloor              = 0.2
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
	p.values = scratch.Resize(p.values, e.Children*roles)
	p.estimates.Values(p.values, e.States)
	for child := range e.Children {
		v := p.values[child*roles+chooser]
		if e.Terminal[child] {
			v = float64(search.Points(e.ChildGoals(child)[chooser]))
		}
		dst = append(dst, float32(v))
	}
	return dst
}

// begin lets the moves of node n, which has just been opened, begin with priors and the policy that
// follows from them.
func (t *tree) begin(n int32, priors []float32) {
	if len(priors) == 0 {
		return
	}
	stats := t.choices(t.at(n))
	best, sum := slices.Max(priors), float32(0)
	for i := range stats {
		s := &stats[i]
		s.early, s.earlies = priors[i], float32(math.Exp(float64(priors[i]-best)/policyTemperature))
		sum += s.earlies
	}
	for i := range stats {
		stats[i].earlies = (1-policyFloor)*stats[i].earlies/sum + policyFloor/float32(len(stats))
	}
}

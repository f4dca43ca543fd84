package montecarlo

import (
	"context"
	"math"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Priors: where one role chooses, each move of a node starts with the evaluation of its successor, counted
// as priorVisits visits (prior knowledge as equivalent experience; Gelly and Silver, "Combining online and
// offline knowledge in UCT", 2007). Exploration is proportional to a policy, as in PUCT (Rosin,
// "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the game of Go with deep
// neural networks and tree search", 2016). The policy is the softmax of the evaluations, as there is no
// policy network. So bad moves need not be tried even once.
//
// Cost: one expansion for each opened node and one evaluation for each of its children. Workers do both
// outside the lock, with the playouts.

const (
	// priorVisits is the number of visits that a prior counts for. priorExploration is the exploration
	// constant of UCT, in goal points, at nodes without priors if priors are in use. Both as measured
	// (docs/lab/sampling.md).
	priorVisits      = 4
	priorExploration = 10
	// DefaultPolicyExploration is the exploration constant of PUCT and policyTemperature the temperature
	// of the softmax, both in goal points. policyFloor is the share of uniform probability in the policy.
	// All as measured (docs/lab/sampling.md).
	DefaultPolicyExploration = 30
	policyTemperature        = 12
	policyFloor              = 0.2
	// priorMoves is the maximum number of moves with priors: more cost more than the playouts of a few
	// leaves. priorBytes bounds the memory of an expansion.
	priorMoves = 256
	priorBytes = 1 << 20
)

// priors evaluates the successors of positions.
type priors struct {
	estimates Evaluator
	random    machine.Role
	expander  *machine.Expander
	expansion machine.Expansion
	values    []float64 // by child, then role
}

// newPriors returns the priors of configuration c on machine m, or nil if c has none.
func newPriors(m machine.Machine, c *Config) *priors {
	if !c.hasPriors() {
		return nil
	}
	p := &priors{estimates: c.Evaluator, random: m.Names().Chance(), expander: machine.NewExpander(m)}
	p.expander.Limit(context.Background(), priorBytes, 0)
	return p
}

// appendPriors appends the evaluations of the moves of the only chooser of a position, in goal points.
// moves lists the legal moves by role. It appends nothing if several roles choose, chance chooses, or
// there are more than priorMoves moves.
func (p *priors) appendPriors(dst []float32, q machine.State, moves [][]machine.Move) []float32 {
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

// setPriors sets the priors of the moves of node n, which has just been opened, and the policy that
// follows from them.
func (t *tree) setPriors(n int32, priors []float32) {
	if len(priors) == 0 {
		return
	}
	stats := t.choices(t.at(n))
	best, sum := slices.Max(priors), float32(0)
	for i := range stats {
		s := &stats[i]
		*s.prior(), *s.probability() = priors[i], float32(math.Exp(float64(priors[i]-best)/policyTemperature))
		sum += *s.probability()
	}
	for i := range stats {
		p := stats[i].probability()
		*p = (1-policyFloor)*(*p)/sum + policyFloor/float32(len(stats))
	}
}

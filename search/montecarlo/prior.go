package montecarlo

import (
	"math"
	"slices"

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
// In adversarial games of two the priors are implicit minimax values (Lanctot, Winands, Pepels and Sturtevant, "Monte
// Carlo tree search with heuristic evaluations using implicit minimax backups", 2014): the prior of a move is the
// evaluation of its successor until the successor is opened, and then the best prior of the successor's moves. A refutation
// shows in it at once, in the mean of the samples only after many visits. So a move's value has the prior in it for ever,
// with a share of at least minimaxShare.
//
// Cost: a lane of a pass and an evaluation for each child of an opened node. Nodes that are opened in one round share
// passes. Workers do both outside the lock, with the playouts.

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
	// leaves.
	priorMoves = 256
	// minimaxShare is the least share of the prior in the value of a move, as measured (docs/lab/sampling.md). Beside
	// playouts it counts in proportion to the part of the evaluation in the value of a leaf.
	minimaxShare = 0.3
)

// priors evaluates the successors of the leaves that a round opens, in passes over all of them.
type priors struct {
	estimates  Evaluator
	random     machine.Role
	batch      machine.Batch
	words      int
	roles      int
	successors []successor // by lane
	states     []uint64    // by lane
	values     []float64   // by lane, then role
	goals      []int32
}

// successor is the position after a move of the only chooser of a leaf.
type successor struct {
	of      *leaf
	chooser machine.Role
	move    machine.Move
}

// newPriors returns the priors of configuration c on machine m, or nil if c has none.
func newPriors(m machine.Machine, c *Config) *priors {
	if !c.hasPriors() {
		return nil
	}
	b, words, roles := m.NewNarrowBatch(), len(m.Initial()), len(m.Names().Roles)
	return &priors{
		estimates: c.Evaluator, random: m.Names().Chance(), batch: b, words: words, roles: roles,
		states: make([]uint64, b.Lanes()*words), values: make([]float64, b.Lanes()*roles), goals: make([]int32, roles),
	}
}

// evaluate writes the evaluations of the moves of the only chooser of each leaf to be opened to its priors, in goal points.
// The leaf gets no priors if several roles choose, chance chooses, or there are more than priorMoves moves.
func (p *priors) evaluate(leaves []leaf) {
	for i := range leaves {
		l := &leaves[i]
		if l.priors = l.priors[:0]; !l.opens {
			continue
		}
		chooser := onlyChooser(l.moves)
		if chooser < 0 || len(l.moves[chooser]) > priorMoves || machine.Role(chooser) == p.random {
			continue
		}
		for _, move := range l.moves[chooser] {
			copy(p.states[len(p.successors)*p.words:], l.state)
			p.successors = append(p.successors, successor{l, machine.Role(chooser), move})
			if len(p.successors) == p.batch.Lanes() {
				p.pass()
			}
		}
	}
	p.pass()
}

// pass evaluates the successors in the lanes, whose states hold the positions before.
func (p *priors) pass() {
	b, n := p.batch, len(p.successors)
	if n == 0 {
		return
	}
	b.Load(p.states, n)
	machine.Prepare(b, n)
	for lane, s := range p.successors {
		for r, moves := range s.of.moves {
			b.Choose(lane, machine.Role(r), moves[0])
		}
		b.Choose(lane, s.chooser, s.move)
	}
	b.Advance(n)
	b.Store(p.states, n)
	b.Evaluate(n)
	p.estimates.Values(p.values[:n*p.roles], p.states[:n*p.words])
	terminal := machine.State(b.Terminal())
	for lane, s := range p.successors {
		v := p.values[lane*p.roles+int(s.chooser)]
		if terminal.Has(lane) && machine.Unknown(b, lane) == nil {
			b.Goals(p.goals, lane)
			v = float64(search.Points(p.goals[s.chooser]))
		}
		s.of.priors = append(s.of.priors, float32(v))
	}
	p.successors = p.successors[:0]
}

// hasPrior reports whether a move of the only chooser of a node has a prior. All moves of a node have one, or none has.
func (w *worker) hasPrior(s *stat) bool { return w.playouts.priors != nil && *s.probability() > 0 }

// priorValue returns the value of a move with a prior: the mean of its paths, blended with the prior.
func (c *Config) priorValue(s *stat) float64 {
	n := float64(s.visits)
	share := max(priorVisits/(priorVisits+n), c.minimaxShare)
	return share*float64(*s.prior()) + (1-share)*s.sum/max(1, n)
}

// backUpPrior sets the prior of a move to the implicit minimax value of the node that step s leads to.
func (w *worker) backUpPrior(s *step, move *stat) {
	if s.link == none || !w.hasPrior(move) || !w.playsMinimax() {
		return
	}
	t, k := w.tree, w.tree.links.at(s.link).to
	r := int(t.at(s.node).chooser)
	if v, ok := w.minimax(k, r); ok {
		*move.prior() = float32(v)
	}
}

// playsMinimax reports whether priors are backed up: interests are opposite, so the other player's best prior is this
// player's worst.
func (w *worker) playsMinimax() bool {
	return w.config.has(Minimax) && w.adversarial && w.second >= 0 && w.sumKnown
}

// minimax returns the implicit minimax value of node k for role r: its proved value, or the best prior of its moves
// within their bounds. It returns false for a node whose moves have no priors.
func (w *worker) minimax(k int32, r int) (value float64, ok bool) {
	t := w.tree
	a := t.at(k)
	switch {
	case a.solved:
		return t.value(k, r), true
	case a.moves == none || a.chooser < 0:
		return 0, false
	}
	stats := t.choices(a)
	if !w.hasPrior(&stats[0]) {
		return 0, false
	}
	best := math.Inf(-1)
	for i := range stats {
		best = max(best, stats[i].clamp(float64(*stats[i].prior())))
	}
	if int(a.chooser) != r {
		best = float64(w.sum) - best
	}
	return best, true
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

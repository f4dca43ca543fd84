package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// DefaultExploration is the exploration constant of UCT in goal points, as measured
// (docs/lab/sampling.md). It is small because rewards are means of several playouts, and virtual loss
// already spreads the paths of a round.
const DefaultExploration = 20

// regretExploration is γ of regret matching: the probability of a uniformly drawn move.
const regretExploration = 0.2

// pick selects a move of role r at node n for each path that step before has led there, and counts the
// visits. It writes one index for each path to picked.
func (w *worker) pick(picked []int32, before, n int32, r int, stats []stat, choosers int) {
	a := w.tree.at(n)
	switch {
	case len(stats) == 1:
		clear(picked)
		stats[0].visits += int32(len(picked))
	case machine.Role(r) == w.tree.random:
		for j := range picked {
			i := w.rng.Intn(len(stats))
			picked[j] = int32(i)
			stats[i].visits++
		}
	case choosers > 1 && w.config.Rule == RegretMatching:
		w.matchRegret(picked, stats, a.visits)
	case choosers > 1:
		b := bandit{w: w, exploration: w.config.Exploration, least: float32(math.Inf(-1))}
		b.pick(picked, stats, a.visits)
	default: // one chooser
		b, secure := w.soleBandit(before, n, stats), search.GoalRange.Lower
		if a.bounded {
			secure = w.tree.boundsOf(n)[r].Lower
		}
		b.least = atLeast(secure + w.config.Epsilon) // rounded like the bounds of moves
		b.pick(picked, stats, a.visits)
	}
}

// bandit selects moves of one role by the largest upper confidence bound, and tries unvisited moves first
// in random order (Kocsis and Szepesvári, 2006). Moves whose upper bound is at most least are pruned. If
// all are pruned, it selects the move with the largest lower bound.
type bandit struct {
	w           *worker
	exploration float64
	least       float32
	policy      bool   // moves have priors (prior.go)
	reference   []stat // moves with all-moves-as-first statistics, or nil (rave.go)
}

// soleBandit returns the bandit of the only role that chooses at node n.
func (w *worker) soleBandit(before, n int32, stats []stat) bandit {
	b := bandit{w: w, exploration: w.config.Exploration}
	if w.hasPrior(&stats[0]) {
		b.policy, b.exploration = true, w.config.PolicyExploration
	} else if b.reference = w.reference(before, n); b.reference != nil {
		b.exploration = raveExploration
	}
	return b
}

// arm holds the value of a move and the factor of its exploration bonus.
type arm struct{ value, spread float64 }

// untriedValue forces every move to be tried once. prunedValue ranks pruned moves by their lower bound;
// they are selected only if all moves are pruned.
const untriedValue, prunedValue = 1e6, -1e6

// pick selects len(picked) moves one after the other and counts each as a visit. visits is the number of
// earlier visits of the node.
func (b *bandit) pick(picked []int32, stats []stat, visits int32) {
	if len(picked) == 0 {
		return
	}
	arms := scratch.Resize(b.w.round.arms, len(stats))
	b.w.round.arms = arms
	for i := range stats {
		arms[i] = b.arm(&stats[i])
	}
	for j := range picked {
		if visits++; j > 0 {
			arms[picked[j-1]] = b.arm(&stats[picked[j-1]])
		}
		factor := b.exploration
		if b.policy {
			factor *= math.Sqrt(float64(visits + 1))
		} else {
			factor *= math.Sqrt(roughLog(float64(visits + 1)))
		}
		best, score := 0, math.Inf(-1)
		for i := range arms {
			if u := arms[i].value + factor*arms[i].spread; u > score {
				best, score = i, u
			}
		}
		stats[best].visits++
		picked[j] = int32(best)
	}
}

// arm returns the value and the exploration factor of move s.
func (b *bandit) arm(s *stat) arm {
	if s.upper <= b.least {
		return arm{value: prunedValue + float64(s.lower)}
	}
	n := float64(s.visits)
	if b.policy { // PUCT: the bonus is proportional to the policy probability
		return arm{s.clamp(b.w.config.priorValue(s)), float64(*s.probability()) / (1 + n)}
	}
	var first *stat
	if b.reference != nil {
		first = lookUp(b.reference, s.move)
	}
	switch {
	case s.visits == 0 && first == nil:
		return arm{value: untriedValue + b.w.rng.Float64()}
	case first != nil:
		mean := s.sum / max(1, n)
		return arm{s.clamp(mean + raveShare(n)*(float64(*first.amaf())-mean)), math.Sqrt(1 / (n + 1))}
	}
	rarity := 1 / n
	return arm{s.clamp(s.sum * rarity), math.Sqrt(rarity)}
}

// choosers returns the number of players with more than one move at the opened node n.
func (w *worker) choosers(n int32) int {
	count := 0
	for r, width := range w.tree.widthsOf(n) {
		if width > 1 && machine.Role(r) != w.tree.random {
			count++
		}
	}
	return count
}

// clamp limits value to the proved bounds of the move.
func (s *stat) clamp(value float64) float64 {
	if value < float64(s.lower) {
		return float64(s.lower)
	}
	if value > float64(s.upper) {
		return float64(s.upper)
	}
	return value
}

// roughLog returns the logarithm of v ≥ 1 with an error of at most 0.06, by linear interpolation between
// powers of two.
func roughLog(v float64) float64 {
	const one, perOctave = 1023 << 52, math.Ln2 / (1 << 52)
	return float64(math.Float64bits(v)-one) * perOctave
}

// mostSecure returns the index of the move with the largest lower bound, the most visited one among
// equals.
func mostSecure(stats []stat) int {
	best := 0
	for i := range stats {
		s, b := &stats[i], &stats[best]
		if s.lower > b.lower || s.lower == b.lower && s.visits > b.visits {
			best = i
		}
	}
	return best
}

// matchRegret draws moves in proportion to their positive regret (Hart and Mas-Colell, 2000; Lanctot, Lisý
// and Winands, 2014) with some exploration. It adds the strategy to the average, in which later visits
// have more weight (Tammelin, 2014), and counts the moves as visits. visits is the number of earlier
// visits of the node.
func (w *worker) matchRegret(picked []int32, stats []stat, visits int32) {
	total, paths := 0.0, float64(len(picked))
	for i := range stats {
		total += float64(*stats[i].regret())
	}
	uniform := 1 / float64(len(stats))
	arms := scratch.Resize(w.round.arms, len(stats))
	w.round.arms = arms
	for i := range stats {
		p := uniform
		if total > 0 {
			p = float64(*stats[i].regret()) / total
		}
		*stats[i].weight() += float32(p * paths * (float64(visits) + (paths+1)/2))
		arms[i].value = regretExploration*uniform + (1-regretExploration)*p
	}
	for j := range picked {
		pick, point := 0, w.rng.Float64()-arms[0].value
		for pick < len(arms)-1 && point >= 0 {
			pick++
			point -= arms[pick].value
		}
		stats[pick].visits++
		picked[j] = int32(pick)
	}
}

// learn adds the goals of the paths of step s, brought, to the moves of its joint move and updates their
// regrets. goals are the unbalanced goals of the same paths. It then solves the matrix game of the node if
// that is due.
func (w *worker) learn(s *step, brought, goals []float64) {
	t, n := w.tree, s.node
	matching := w.config.Rule == RegretMatching && w.choosers(n) > 1 && !t.at(n).balanced
	picks, widths, moves := w.picksOf(s), t.widthsOf(n), t.movesOf(n)
	stride := int64(1)
	for _, width := range widths {
		stride *= int64(width)
	}
	for r, width := range widths {
		own, i := moves[:width], picks[r]
		moves, stride = moves[width:], stride/int64(width)
		own[i].sum += brought[r]
		if matching && width > 1 && machine.Role(r) != t.random {
			w.regret(s, r, s.cell-int64(i)*stride, stride, own, goals[r])
		}
	}
	if a := t.at(n); a.done >= a.due && w.balances() {
		w.balance(n)
	}
}

// regret adds to each move of role r its gain over got, the payoff of the paths of step s. The moves of
// the other roles are unchanged. Negative regret is reset to zero, so a move that turns good is played at
// once (Tammelin, 2014). If s is numbered, the joint move with the role's i-th move has the number base +
// i*stride.
func (w *worker) regret(s *step, r int, base, stride int64, stats []stat, got float64) {
	unknown := w.tree.value(s.node, r)
	for i := range stats {
		instead := unknown
		if s.cell >= 0 {
			if kid := w.tree.kid(s.node, base+int64(i)*stride); kid != none {
				instead = w.tree.value(w.taken(kid), r)
			}
		}
		regret := stats[i].regret()
		*regret = max(0, *regret+float32(float64(s.done)*instead-got))
	}
}

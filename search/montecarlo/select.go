package montecarlo

import (
	"math"

	"stackmate/reasoner/machine"
)

// DefaultExploration is the constant of UCT, in goal points, as measured
// (docs/lab/sampling.md). It is small because rewards are means of several playouts and the
// paths of one round part by themselves.
const DefaultExploration = 20

// estimateExploration is that of UCT where leaves are estimated instead of played out:
// estimates differ less than playouts do.
const estimateExploration = 5

// regretExploration is γ of regret matching: the share of uniform play.
const regretExploration = 0.2

// joint picks a joint move at the opened node n and returns its number, or
// unnumbered, and the link behind it, or none. Which moves make it up is left in picks.
func (w *worker) joint(n int32) (cell int64, way int32) {
	t := w.tree
	if t.at(n).chooser >= 0 {
		return w.choice(n)
	}
	choosers := w.choosers(n)
	visits, moves := t.at(n).visits, t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		stats := moves[:width]
		moves = moves[width:]
		i := 0
		switch {
		case width == 1:
		case machine.Role(r) == t.random:
			i = w.rng.Intn(int(width))
		case choosers > 1 && w.config.Rule == RegretMatching:
			i = w.matchRegret(stats, visits)
		case choosers > 1:
			i = w.uct(stats, nil, visits, math.Inf(-1))
		default: // and chance
			i = w.uct(stats, nil, visits, t.boundsOf(n)[r].Lower)
		}
		stats[i].visits++
		w.picks[r] = int32(i)
		cell = cell*int64(width) + int64(i)
	}
	if !t.at(n).numbered {
		return unnumbered, none
	}
	return cell, t.way(n, cell)
}

// choice is joint where one role has a choice, as at nearly all nodes of games of turns. What it
// looks at are the node and its moves: the tree does not fit into the caches.
func (w *worker) choice(n int32) (cell int64, way int32) {
	t := w.tree
	a := t.at(n)
	c, stats := int(a.chooser), t.choices(n, a)
	i, secure := 0, goalRange.Lower
	if a.bounded {
		secure = t.boundsOf(n)[c].Lower
	}
	switch {
	case machine.Role(c) == t.random:
		i = w.rng.Intn(len(stats))
	case w.priors != nil && stats[0].earlies > 0:
		i = w.puct(stats, a.visits, secure)
	default:
		i = w.uct(stats, w.reference(n, c, stats), a.visits, secure)
	}
	stats[i].visits++
	clear(w.picks)
	w.picks[c] = int32(i)
	return int64(i), stats[i].link
}

// choosers counts the players with more than one move at the opened node n.
func (w *worker) choosers(n int32) int {
	if c := w.tree.at(n).chooser; c >= 0 && machine.Role(c) != w.tree.random {
		return 1
	}
	count := 0
	for r, width := range w.tree.widthsOf(n) {
		if width > 1 && machine.Role(r) != w.tree.random {
			count++
		}
	}
	return count
}

// uct picks the move with the largest upper confidence bound (Kocsis and
// Szepesvári, 2006), untried moves first, in random order. A role that chooses
// alone and is sure of secure goal points leaves out the moves that cannot give
// more, up to the tolerance, unless no other is left. Where there is a reference (rave.go),
// moves with few visits count for what that says of them.
func (w *worker) uct(stats, reference []stat, visits int32, secure float64) int {
	best, score := -1, math.Inf(-1)
	untried, exploration := 0, w.config.Exploration
	if reference != nil {
		exploration = raveExploration
	}
	spread := exploration * exploration * roughLog(float64(visits+1))
	least := atLeast(secure + w.config.Epsilon) // rounded like the bounds of moves
	for i := range stats {
		s := &stats[i]
		if s.upper <= least {
			continue
		}
		var early *stat
		if reference != nil {
			early, reference = lookUp(reference, s.move)
		}
		if s.visits == 0 && early == nil {
			if untried++; w.rng.Intn(untried) == 0 {
				best = i
			}
			continue
		}
		if untried > 0 {
			continue
		}
		rarity := 1 / float64(max(1, s.visits))
		mean := s.sum * rarity
		if early != nil {
			n := float64(s.visits)
			mean += raveShare(n) * (float64(early.early) - mean)
			rarity = 1 / (n + 1)
		}
		if u := s.within(mean) + math.Sqrt(spread*rarity); u > score {
			best, score = i, u
		}
	}
	if best >= 0 {
		return best
	}
	return mostSecure(stats)
}

// puct picks the move with the largest sum of its mean, the prior among it, and of a bonus in
// proportion to its probability by the policy (prior.go). It leaves out what uct does.
func (w *worker) puct(stats []stat, visits int32, secure float64) int {
	best, score := -1, math.Inf(-1)
	bonus := w.config.PolicyExploration * math.Sqrt(float64(visits+1))
	least := atLeast(secure + w.config.Epsilon)
	for i := range stats {
		s := &stats[i]
		if s.upper <= least {
			continue
		}
		n := float64(s.visits)
		mean := (priorVisits*float64(s.early) + s.sum) / (priorVisits + n)
		if u := s.within(mean) + bonus*float64(s.earlies)/(1+n); u > score {
			best, score = i, u
		}
	}
	if best >= 0 {
		return best
	}
	return mostSecure(stats)
}

// within is the value of a move within what is proved of it.
func (s *stat) within(value float64) float64 {
	if value < float64(s.lower) {
		return float64(s.lower)
	}
	if value > float64(s.upper) {
		return float64(s.upper)
	}
	return value
}

// roughLog is the logarithm of v ≥ 1, at most 0.06 too small: linear between powers of two.
func roughLog(v float64) float64 {
	const one, perOctave = 1023 << 52, math.Ln2 / (1 << 52)
	return float64(math.Float64bits(v)-one) * perOctave
}

// mostSecure is the move with the largest lower bound, among equals the one
// tried most.
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

// matchRegret draws a move in proportion to its positive regret (Hart and
// Mas-Colell, 2000; Lanctot, Lisý and Winands, 2014) with some exploration, and
// adds the strategy to the average, in which later visits count for more, as what
// is known grows (Tammelin, 2014).
func (w *worker) matchRegret(stats []stat, visits int32) int {
	total := 0.0
	for i := range stats {
		total += float64(stats[i].regret)
	}
	uniform := 1 / float64(len(stats))
	point := w.rng.Float64()
	pick := len(stats) - 1
	for i := range stats {
		p := uniform
		if total > 0 {
			p = float64(stats[i].regret) / total
		}
		stats[i].weight += p * float64(visits)
		p = regretExploration*uniform + (1-regretExploration)*p
		if point >= 0 && point < p {
			pick = i
		}
		point -= p
	}
	return pick
}

// learn adds to the moves of node n that picks name, which make up joint move cell,
// what that brought, by role; goals are those of the path that has come back.
func (w *worker) learn(n int32, cell int64, picks []int32, brought, goals []float64) {
	t := w.tree
	matching := w.config.Rule == RegretMatching && w.choosers(n) > 1 && !t.at(n).balanced
	widths, moves := t.widthsOf(n), t.movesOf(n)
	first := int32(0)
	for _, width := range widths {
		first += width
	}
	step := int64(1)
	for r := t.roles - 1; r >= 0; r-- {
		first -= widths[r]
		i := picks[r]
		moves[first+i].sum += brought[r]
		if matching && widths[r] > 1 && machine.Role(r) != t.random {
			own := moves[first : first+widths[r]]
			if cell == unnumbered {
				w.regret(n, r, unnumbered, 0, own, goals[r])
			} else {
				w.regret(n, r, cell-int64(i)*step, step, own, goals[r])
			}
		}
		step *= int64(widths[r])
	}
}

// regret adds to each move of role r how much better it would have been than
// what was got, the others' moves being the same. What falls below zero is forgotten, so
// that a move that proves good is played at once (Tammelin, 2014). The number of the joint move
// with the role's i-th move is base + i*step.
func (w *worker) regret(n int32, r int, base, step int64, stats []stat, got float64) {
	unknown := w.tree.value(n, r)
	for i := range stats {
		instead := unknown
		if base != unnumbered {
			if kid := w.tree.kid(n, base+int64(i)*step); kid != none {
				instead = w.tree.value(kid, r)
			}
		}
		stats[i].regret = max(0, stats[i].regret+float32(instead-got))
	}
}

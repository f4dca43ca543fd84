package montecarlo

import (
	"cmp"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// known returns the statistics of the moves of a role, most visited first.
func known(moves []stat) []search.Known {
	order := slices.Clone(moves)
	slices.SortStableFunc(order, func(a, b stat) int { return cmp.Compare(b.visits, a.visits) })
	list := make([]search.Known, len(order))
	for i, s := range order {
		k := &list[i]
		k.Move, k.Visits = s.move, int64(s.visits)
		k.Bounds = search.Interval{Lower: float64(s.lower), Upper: float64(s.upper)}
		if k.Estimate = k.Bounds.Lower; s.visits > 0 {
			k.Estimate = k.Bounds.Clamp(s.sum / float64(s.visits))
		}
	}
	return list
}

// result returns the result of the search, with the counters of this worker.
func (w *worker) result() search.Result {
	t := w.tree
	if t.at(t.root).news > 0 {
		t.at(t.root).news = 0
		w.updateBounds(t.root)
	}
	moves, alone, choosers := w.rootMoves()
	bounds := t.boundsOf(t.root)
	res := search.Result{
		Values:     slices.Clone(bounds),
		Proved:     true,
		Strategies: make([][]search.Weighted, t.roles),
		Moves:      make([][]search.Known, t.roles),
		Line:       w.line(),
		Counters:   search.Counters{Nodes: w.nodes, Playouts: w.games, PeakBytes: w.fixed + t.bytes()},
	}
	for r, own := range moves {
		if machine.Role(r) == t.random {
			res.Values[r] = search.Exact(0) // chance has nothing to win
			continue
		}
		estimate := t.value(w.taken(t.root), r)
		res.Moves[r] = known(own)
		if len(own) > 0 {
			var best *stat
			if res.Strategies[r], best = w.strategy(r, own, bounds[r], choosers); alone == r && best.visits > 0 && !t.complete {
				estimate = best.sum / float64(best.visits)
			}
		}
		// Where several choose, no pure strategy may guarantee the lower bound.
		mixes := choosers > 1 && len(own) > 0 && float64(own[mostSecure(own)].lower) < bounds[r].Lower-closeEnough
		if (mixes || !w.config.isTight(bounds[r])) && w.plan == nil {
			res.Proved = false
			res.Values[r] = estimated(bounds[r], estimate)
		}
	}
	if alone >= 0 && !res.Proved && w.adversarial && w.sumKnown && w.second >= 0 {
		// The sum comes from the playouts so far, which may be few.
		other := w.first + w.second - alone
		res.Values[other] = estimated(bounds[other], float64(w.sum)-res.Values[alone].Lower)
	}
	switch {
	case w.isSolved():
	case t.complete:
		res.Unfinished = errComplete
	case t.most >= maxVisits:
		res.Unfinished = errVisits
	}
	if w.plan != nil {
		w.followPlan(&res)
	}
	return res
}

// followPlan enters the plan in a result. If the tree has proved a higher goal, as in an earlier search, the line of the tree leads to it.
func (w *worker) followPlan(res *search.Result) {
	if p := w.plan; p.goal >= res.Values[0].Lower {
		res.Values[0].Lower, res.Line = p.goal, p.line
	}
	if (w.plan.goal >= 0 || res.Values[0].Lower > search.GoalRange.Lower) && len(res.Line) > 0 {
		res.Strategies[0] = []search.Weighted{{Move: res.Line[0][0], Probability: 1}}
	}
}

// rootMoves returns copies of the statistics of the moves at the root, by role; the only player with a
// choice, or none; and the number of players with a choice.
func (w *worker) rootMoves() (moves [][]stat, alone, choosers int) {
	t := w.tree
	moves, alone = make([][]stat, t.roles), int(none)
	if t.at(t.root).moves == none {
		return moves, alone, 0
	}
	rest := t.movesOf(t.root)
	for r, width := range t.widthsOf(t.root) {
		moves[r], rest = slices.Clone(rest[:width]), rest[width:]
		if width > 1 && machine.Role(r) != t.random {
			alone, choosers = r, choosers+1
		}
	}
	if choosers > 1 {
		alone = int(none)
	}
	if w.balances() && !w.isSolved() {
		w.mixRoot(moves)
	}
	return moves, alone, choosers
}

// strategy returns the strategy of role r over moves. choosers is the number of choosing roles. The second
// result is the played move, or nil for a mixed strategy.
func (w *worker) strategy(r int, moves []stat, bounds search.Interval, choosers int) ([]search.Weighted, *stat) {
	c := &w.config
	if choosers > 1 && c.Rule == RegretMatching && !c.isTight(bounds) {
		return mixed(moves), nil
	}
	rank := tried
	switch {
	case choosers == 1 && w.tree.complete:
		rank = func(s *stat) float64 {
			if s.link == none {
				return math.Inf(-1)
			}
			return w.tree.value(w.tree.links.at(s.link).to, r)
		}
	case choosers == 1 && c.has(Caution):
		rank = w.lowerConfidence(c.Exploration)
	}
	best := c.pick(moves, bounds, rank)
	return []search.Weighted{{Move: best.move, Probability: 1}}, best
}

// estimated returns estimate, limited to the bounds b.
func estimated(b search.Interval, estimate float64) search.Interval {
	return search.Exact(b.Clamp(estimate))
}

// tried returns the number of visits, as a rank of moves.
func tried(s *stat) float64 { return float64(s.visits) }

// lowerConfidence ranks moves by a lower confidence bound of their value. After a proof the mean changes
// at once, the number of visits much later.
func (w *worker) lowerConfidence(exploration float64) func(*stat) float64 {
	doubt := exploration * math.Sqrt(math.Log(float64(w.tree.at(w.tree.root).visits)+1))
	return func(s *stat) float64 {
		if s.visits == 0 {
			return math.Inf(-1)
		}
		value := s.sum / float64(s.visits)
		if w.hasPrior(s) {
			value = w.config.priorValue(s)
		}
		return value - doubt/math.Sqrt(float64(s.visits))
	}
}

// pick returns the move to play: the move with the highest rank, unless another is proved to be at least
// as good.
func (c *Config) pick(moves []stat, bounds search.Interval, rank func(*stat) float64) *stat {
	secure := &moves[mostSecure(moves)]
	if c.isTight(bounds) {
		return secure
	}
	var best *stat
	for i := range moves {
		s := &moves[i]
		if float64(s.upper) > bounds.Lower && (best == nil || rank(s) > rank(best)) {
			best = s
		}
	}
	if best == nil || best.visits > 0 && best.sum/float64(best.visits) < float64(secure.lower) {
		return secure
	}
	return best
}

// mixed returns the average strategy.
func mixed(moves []stat) []search.Weighted {
	sum := 0.0
	var out []search.Weighted
	for _, s := range moves {
		if weight := float64(*s.weight()); weight > 0 {
			out = append(out, search.Weighted{Move: s.move, Probability: weight})
			sum += weight
		}
	}
	if out == nil { // never sampled
		return []search.Weighted{{Move: moves[0].move, Probability: 1}}
	}
	for i := range out {
		out[i].Probability /= sum
	}
	return out
}

// line returns the joint moves from the root along the most visited moves, or moves proved to be at least
// as good. With a plan it follows the greatest proved goal instead, if there is one. It stops at a chance move, a repeated position or the end of the
// tree.
func (w *worker) line() (line [][]machine.Move) {
	t, seen := w.tree, make(map[string]bool)
	for n := t.root; n != none && t.at(n).moves != none && !seen[t.state(n).Key()]; {
		seen[t.state(n).Key()] = true
		cell, moves, joint := int64(0), t.movesOf(n), make([]machine.Move, t.roles)
		for r, width := range t.widthsOf(n) {
			if width > 1 && machine.Role(r) == t.random {
				return line
			}
			own, b := moves[:width], t.boundsOf(n)[r]
			var best int
			if w.plan != nil && b.Lower > search.GoalRange.Lower {
				best = mostSecure(own)
			} else {
				played := w.config.pick(own, b, tried).move
				best = slices.IndexFunc(own, func(s stat) bool { return s.move == played })
			}
			joint[r] = own[best].move
			cell, moves = cell*int64(width)+int64(best), moves[width:]
		}
		if line = append(line, joint); !t.at(n).numbered {
			return line
		}
		n = t.kid(n, cell)
	}
	return line
}

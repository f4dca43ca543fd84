package montecarlo

import (
	"cmp"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// minShare is where a mixed strategy is cut off, relative to its likeliest move:
// smaller shares are what exploration left behind.
const minShare = 0.05

// merge is what the workers have found together.
func (s *Searcher) merge() search.Result {
	total := s.workers[0].opinion()
	for _, w := range s.workers[1:] {
		total.counters.Nodes += w.nodes
		total.counters.Playouts += w.games
		total.counters.PeakBytes += w.fixed
	}
	return total.result(&s.config)
}

// known is what is known of the moves of a role, those tried most first.
func known(moves []stat) []search.Known {
	order := slices.Clone(moves)
	slices.SortStableFunc(order, func(a, b stat) int { return cmp.Compare(b.visits, a.visits) })
	list := make([]search.Known, len(order))
	for i, s := range order {
		k := &list[i]
		k.Move, k.Visits = s.move, int64(s.visits)
		k.Bounds = search.Interval{Lower: float64(s.lower), Upper: float64(s.upper)}
		if k.Estimate = k.Bounds.Lower; s.visits > 0 {
			k.Estimate = min(max(s.sum/float64(s.visits), k.Bounds.Lower), k.Bounds.Upper)
		}
	}
	return list
}

// result is what this worker alone knows.
func (w *worker) result() search.Result {
	o := w.opinion()
	return o.result(&w.config)
}

// opinion is what is known of a root.
type opinion struct {
	random   machine.Role
	bounds   []search.Interval // by role
	totals   []float64         // by role
	visits   float64
	moves    [][]stat // by role
	sum      float64  // of the goals of two opponents; -1 where it is not known or not constant
	plan     float64  // goal of the best line of a single role, or -1
	hasPlan  bool     // the game is one of a single role without chance
	line     [][]machine.Move
	counters search.Counters
}

func (w *worker) opinion() opinion {
	t := w.tree
	if t.at(t.root).news > 0 {
		t.at(t.root).news = 0
		w.updateBounds(t.root)
	}
	o := opinion{
		random:   t.random,
		bounds:   slices.Clone(t.boundsOf(t.root)),
		totals:   slices.Clone(t.totalsOf(t.root)),
		visits:   float64(t.at(t.root).visits),
		moves:    make([][]stat, t.roles),
		sum:      -1,
		plan:     -1,
		counters: search.Counters{Nodes: w.nodes, Playouts: w.games, PeakBytes: w.fixed + t.bytes()},
	}
	if t.at(t.root).moves != none {
		moves := t.movesOf(t.root)
		for r, width := range t.widthsOf(t.root) {
			o.moves[r] = slices.Clone(moves[:width])
			moves = moves[width:]
		}
	}
	if w.balances() && !t.isSolved(t.root) && t.at(t.root).moves != none {
		w.mixWithCaution(o.moves)
	}
	if w.adversarial && w.sumKnown {
		o.sum = float64(w.sum)
	}
	if w.plan != nil {
		o.hasPlan, o.plan, o.line = true, w.plan.goal, w.plan.line
	}
	if o.line == nil {
		o.line = w.line()
	}
	return o
}

func (o *opinion) result(c *Config) search.Result {
	res := search.Result{
		Values:     make([]search.Interval, len(o.bounds)),
		Proved:     true,
		Strategies: make([][]search.Weighted, len(o.bounds)),
		Moves:      make([][]search.Known, len(o.bounds)),
		Line:       o.line,
		Counters:   o.counters,
	}
	choosers, chooser := 0, -1
	for r, moves := range o.moves {
		if machine.Role(r) != o.random && len(moves) > 1 {
			choosers, chooser = choosers+1, r
		}
	}
	for r, moves := range o.moves {
		if machine.Role(r) == o.random {
			res.Values[r] = search.Exact(0) // chance has nothing to win
			continue
		}
		estimate := o.mean(r)
		res.Moves[r] = known(moves)
		switch {
		case len(moves) == 0:
		case choosers > 1 && c.Rule == RegretMatching && !c.isWithin(o.bounds[r]):
			res.Strategies[r] = mixed(moves)
		default:
			best := c.pick(moves, o.bounds[r], tried)
			if choosers == 1 && c.has(Caution) {
				best = c.pick(moves, o.bounds[r], o.sure(c.Exploration))
			}
			res.Strategies[r] = []search.Weighted{{Move: best.move, Probability: 1}}
			if choosers == 1 && len(moves) > 1 && best.visits > 0 {
				estimate = best.sum / float64(best.visits)
			}
		}
		res.Values[r] = o.bounds[r]
		if (!c.isWithin(o.bounds[r]) || o.lacksStrategy(r, choosers)) && !o.hasPlan {
			res.Proved = false
			res.Values[r] = search.Exact(min(max(estimate, o.bounds[r].Lower), o.bounds[r].Upper))
		}
	}
	if r := o.other(chooser); choosers == 1 && !res.Proved && r >= 0 {
		// The sum is that of the playouts so far, which may be few.
		b := o.bounds[r]
		res.Values[r] = search.Exact(min(max(o.sum-res.Values[chooser].Lower, b.Lower), b.Upper))
	}
	if o.hasPlan && o.plan >= 0 {
		res.Values[0].Lower = max(res.Values[0].Lower, o.plan)
		res.Strategies[0] = []search.Weighted{{Move: o.line[0][0], Probability: 1}}
	}
	return res
}

// other is the opponent of a role, where the goals of both have a known sum; else -1.
func (o *opinion) other(role int) int {
	for r := range o.moves {
		if o.sum >= 0 && r != role && machine.Role(r) != o.random {
			return r
		}
	}
	return -1
}

// lacksStrategy tells whether no strategy is known that makes sure of what role r gets:
// the bounds of several workers may meet where no worker has solved the root.
func (o *opinion) lacksStrategy(r, choosers int) bool {
	moves := o.moves[r]
	return choosers > 1 && len(moves) > 0 &&
		float64(moves[mostSecure(moves)].lower) < o.bounds[r].Lower-closeEnough
}

func (o *opinion) mean(r int) float64 {
	if o.visits == 0 {
		return (o.bounds[r].Lower + o.bounds[r].Upper) / 2
	}
	return o.totals[r] / o.visits
}

// tried ranks moves by how often they were tried.
func tried(s *stat) float64 { return float64(s.visits) }

// sure ranks moves by a lower confidence bound of what they give: when something is
// proved, means change at once and visits a long time later.
func (o *opinion) sure(exploration float64) func(*stat) float64 {
	doubt := exploration * math.Sqrt(math.Log(o.visits+1))
	return func(s *stat) float64 {
		if s.visits == 0 {
			return math.Inf(-1)
		}
		return s.sum/float64(s.visits) - doubt/math.Sqrt(float64(s.visits))
	}
}

// pick is the move to play for sure: the one that ranks first, unless another is
// proved to be at least as good.
func (c *Config) pick(moves []stat, bounds search.Interval, rank func(*stat) float64) *stat {
	secure := &moves[mostSecure(moves)]
	if c.isWithin(bounds) {
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

// mixed is the average strategy.
func mixed(moves []stat) []search.Weighted {
	largest := 0.
	for _, s := range moves {
		largest = max(largest, float64(*s.weight()))
	}
	if largest == 0 { // never sampled
		return []search.Weighted{{Move: moves[0].move, Probability: 1}}
	}
	kept := 0.0
	var out []search.Weighted
	for _, s := range moves {
		if weight := float64(*s.weight()); weight >= minShare*largest {
			out = append(out, search.Weighted{Move: s.move, Probability: weight})
			kept += weight
		}
	}
	for i := range out {
		out[i].Probability /= kept
	}
	return out
}

// line follows the moves tried most from the root, until chance moves or the
// tree ends.
func (w *worker) line() [][]machine.Move {
	t := w.tree
	var line [][]machine.Move
	for n := t.root; n != none && t.at(n).moves != none; {
		joint := make([]machine.Move, t.roles)
		moves := t.movesOf(n)
		cell := int64(0)
		for r, width := range t.widthsOf(n) {
			if width > 1 && machine.Role(r) == t.random {
				return line
			}
			best := int32(0)
			for i := range width {
				if moves[i].visits > moves[best].visits {
					best = i
				}
			}
			joint[r] = moves[best].move
			cell = cell*int64(width) + int64(best)
			moves = moves[width:]
		}
		line = append(line, joint)
		if !t.at(n).numbered {
			return line
		}
		n = t.kid(n, cell)
	}
	return line
}

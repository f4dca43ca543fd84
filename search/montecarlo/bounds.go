package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// Score bounds (Cazenave and Saffidine, 2010): every node carries, for each role, an interval that
// contains its payoff under perfect play. The lower end is the maximin value over pure moves. In
// adversarial games (one player, or two with constant sum) the upper end is the minimax value over pure
// moves; else it is the largest payoff still possible. Chance counts with its mean.
//
// Cost: the bounds of a node are recomputed only when a child becomes terminal or its bounds change. That
// takes time proportional to the children where one role chooses, else to the joint moves. A node with
// more than boundedCells joint moves keeps its bounds.

const boundedCells = 4096

// moveBounds are extremes of one role's bounds after one move of some role, over the moves of all other
// roles.
type moveBounds struct{ minLower, maxUpper float64 }

// boundsMemory is scratch memory for bounds.
type boundsMemory struct {
	outcomes []search.Interval // by joint move of the players, then role
	byMove   []moveBounds
}

// propagateBounds updates the bounds of all ancestors of node k, whose bounds have just changed.
func (w *worker) propagateBounds(k int32) {
	t := w.tree
	if !w.config.has(Bounds) {
		return
	}
	w.changed = append(w.changed[:0], k)
	for len(w.changed) > 0 {
		last := len(w.changed) - 1
		n := w.changed[last]
		w.changed = w.changed[:last]
		if n == t.root {
			continue
		}
		for l := t.at(n).in; l != none; l = t.links.at(l).parallel {
			a := t.links.at(l)
			if t.at(a.from).solved {
				continue
			}
			if t.isDue(a.from, newsWeight) && w.updateBounds(a.from) {
				w.changed = append(w.changed, a.from)
			}
		}
	}
}

// newsWeight is the number of visits that a change of a child's bounds counts for, see isDue.
const newsWeight = 16

// isDue adds worth to the news of node n, and reports whether its bounds are to be recomputed. Where
// several roles choose, they are once the news equals the number of joint moves, which bounds the cost.
func (t *tree) isDue(n int32, worth int32) bool {
	a := t.at(n)
	if a.chooser >= 0 {
		return true
	}
	a.news += worth
	if cells, _, _, _ := t.cells(n); int64(a.news) < cells {
		return false
	}
	a.news = 0
	return true
}

// narrow intersects known with b and reports whether that changes known.
func narrow(known *search.Interval, b search.Interval) bool {
	was := *known
	*known = was.Meet(b)
	return *known != was
}

// updateBounds recomputes the bounds of node n and of its moves from its children. It reports whether the
// bounds of n changed.
func (w *worker) updateBounds(n int32) bool {
	t, adversarial := w.tree, w.adversarial
	if !t.collect(n) {
		return false
	}
	changed, solved := false, true
	bounds := t.boundsOf(n)
	stats := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		own := stats[:width]
		stats = stats[width:]
		if machine.Role(r) == t.random {
			continue
		}
		b := search.Interval{Lower: math.Inf(-1), Upper: math.Inf(-1)}
		for i, p := range t.boundsByMove(n, r, r) {
			b.Lower, b.Upper = max(b.Lower, p.minLower), max(b.Upper, p.maxUpper)
			own[i].lower, own[i].upper = atMost(p.minLower), atLeast(p.maxUpper)
		}
		if o := t.opponent(r); adversarial && o >= 0 {
			b.Upper = math.Inf(1)
			for _, p := range t.boundsByMove(n, o, r) {
				b.Upper = min(b.Upper, p.maxUpper)
			}
		}
		changed = narrow(&bounds[r], b) || changed
		solved = solved && w.config.isTight(bounds[r])
	}
	a := t.at(n)
	a.solved, a.bounded = solved, a.bounded || changed
	return changed
}

// taken follows proved best moves from node n while no other move looks better, and returns the node
// reached. In general-sum games the other roles get the value of that node, not the mean over exploring
// paths.
func (w *worker) taken(n int32) int32 {
	t := w.tree
	for {
		a := t.at(n)
		if w.adversarial || !a.bounded || a.moves == none || a.chooser < 0 || machine.Role(a.chooser) == t.random {
			return n
		}
		b := t.boundsOf(n)[a.chooser]
		if b.Lower <= search.GoalRange.Lower {
			return n
		}
		s := w.config.pick(t.choices(a), b, tried)
		if s.lower < atMost(b.Lower) || s.link == none {
			return n
		}
		n = t.links.at(s.link).to
	}
}

// Means over chance have rounding errors. They are snapped to exact.Grid; bounds closer than closeEnough are merged.
const closeEnough = 1. / (1 << 20)

// atMost and atLeast convert a bound to float32 and round it outward, so that no move is pruned because of
// rounding.
func atMost(v float64) float32 {
	if f := float32(v); float64(f) <= v {
		return f
	}
	return math.Nextafter32(float32(v), float32(math.Inf(-1)))
}

func atLeast(v float64) float32 { return -atMost(-v) }

// opponent returns the other player of a two-player game, or -1 in a game with one player.
func (t *tree) opponent(role int) int {
	for r := range t.roles {
		if r != role && machine.Role(r) != t.random {
			return r
		}
	}
	return -1
}

// collect fills outcomes with the bounds of the children of node n, averaged over chance. It returns false
// if there are too many joint moves.
func (t *tree) collect(n int32) bool {
	cells, chance, step, ok := t.cells(n)
	if !ok {
		return false
	}
	m := &t.memory
	m.outcomes = scratch.Resize(m.outcomes, int(cells/chance)*t.roles)
	for i := range m.outcomes {
		m.outcomes[i] = search.Interval{Lower: search.GoalRange.Lower, Upper: search.GoalRange.Upper * float64(chance)}
	}
	for l := t.at(n).out; l != none; {
		a := t.links.at(l)
		// step is the stride of chance in the number of the joint move. The digits above and below the
		// digit of chance belong to the players.
		group := int(a.cell/(step*chance)*step+a.cell%step) * t.roles
		for r, b := range t.boundsOf(a.to) {
			m.outcomes[group+r].Lower += b.Lower
			m.outcomes[group+r].Upper -= search.GoalRange.Upper - b.Upper
		}
		l = a.sibling
	}
	for i, b := range m.outcomes {
		b = search.Interval{Lower: exact.Snap(b.Lower / float64(chance)), Upper: exact.Snap(b.Upper / float64(chance))}
		if b.Upper-b.Lower < closeEnough { // rounding
			b = search.Exact(b.Lower)
		}
		m.outcomes[i] = b
	}
	return true
}

// cells returns the numbers of joint moves and of chance moves at the opened node n, and the stride of
// chance in the numbers of joint moves. It returns ok = false if there are more than boundedCells joint
// moves; the counts are then incomplete.
func (t *tree) cells(n int32) (cells, chance, step int64, ok bool) {
	cells, chance, step = 1, 1, 1
	widths := t.widthsOf(n)
	for r := t.roles - 1; r >= 0; r-- {
		w := int64(widths[r])
		if machine.Role(r) == t.random {
			step, chance = cells, w
		}
		if cells *= w; cells > boundedCells {
			return cells, chance, step, false
		}
	}
	return cells, chance, step, true
}

// boundsByMove returns bounds of the payoff of role r after each move of the role mover. The slice is
// valid until the next call.
func (t *tree) boundsByMove(n int32, mover, r int) []moveBounds {
	stride, width := 1, 1
	for q := t.roles - 1; q >= mover; q-- {
		if machine.Role(q) == t.random {
			continue
		}
		stride *= width
		width = int(t.widthsOf(n)[q])
	}
	out := t.memory.byMove[:0]
	for range width {
		out = append(out, moveBounds{math.Inf(1), math.Inf(-1)})
	}
	for g := 0; g*t.roles < len(t.memory.outcomes); g++ {
		b, p := t.memory.outcomes[g*t.roles+r], &out[g/stride%width]
		p.minLower, p.maxUpper = min(p.minLower, b.Lower), max(p.maxUpper, b.Upper)
	}
	t.memory.byMove = out
	return out
}

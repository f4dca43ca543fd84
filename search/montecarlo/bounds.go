package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Score bounds (Cazenave and Saffidine, 2010): every node carries, for each
// role, an interval that contains what the role gets under perfect play. The
// lower end is what the role can force against anything. The upper end is,
// where the game is adversarial (one player, or two with constant sum), what
// the other can force it down to; else it is the most that can still happen.
// Both use pure moves.
// Chance counts with its mean.
//
// Cost: the bounds of a node are computed again only when a child turned out terminal or its
// bounds moved, in time proportional to its children where a role chooses alone, else to its
// joint moves. Where these are more than boundedCells a node is left with what it has.

// goalRange is what is known of a goal before anything is.
var goalRange = search.Interval{Lower: 0, Upper: 100}

const boundedCells = 4096

// moveBounds are the extremes of what one role gets after one move of some role, over
// the moves of all others.
type moveBounds struct{ minLower, minUpper, maxUpper float64 }

// boundsMemory is the working memory for bounds.
type boundsMemory struct {
	outcomes []search.Interval // by joint move of the players, then role
	byMove   []moveBounds
}

// settle updates the bounds of all that lead to node k, of which something has just been
// proved, and of all that that changes.
func (w *worker) settle(k int32) {
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

// newsWeight is how many visits a change of the bounds of a child counts for, see isDue.
const newsWeight = 16

// isDue tells whether the bounds of the opened node n, of whose children there is news, are
// computed now: where several roles choose not for each of many joint moves alone, but as
// often as there were enough visits and news to pay for it.
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

// narrow takes the bounds b, too, into what is known. It tells whether that changes.
func narrow(known *search.Interval, b search.Interval) bool {
	was := *known
	*known = search.Interval{Lower: max(b.Lower, was.Lower), Upper: min(b.Upper, was.Upper)}
	return *known != was
}

// updateBounds computes the bounds of node n and of its moves from its children. It
// tells whether those of n changed.
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
			if adversarial {
				own[i].upper = atLeast(p.minUpper)
			}
		}
		if o := t.opponent(r); adversarial && o >= 0 {
			b.Upper = math.Inf(1)
			for _, p := range t.boundsByMove(n, o, r) {
				b.Upper = min(b.Upper, p.maxUpper)
			}
		}
		changed = narrow(&bounds[r], b) || changed
		solved = solved && w.config.isWithin(bounds[r])
	}
	a := t.at(n)
	a.solved, a.bounded = solved, a.bounded || changed
	return changed
}

// taken is the node to which the chooser of node n goes by a move that is proved to give it what it can make sure of, if all others
// seem to give less, and so on from there; or n. Where interests are not opposite, what it gets does not say what the others get:
// they get what they get there, not what the paths bring that look for still more.
func (w *worker) taken(n int32) int32 {
	t := w.tree
	for {
		a := t.at(n)
		if w.adversarial || !a.bounded || a.moves == none || a.chooser < 0 || machine.Role(a.chooser) == t.random {
			return n
		}
		b := t.boundsOf(n)[a.chooser]
		if b.Lower <= goalRange.Lower {
			return n
		}
		s := w.config.pick(t.choices(a), b, tried)
		if s.lower < atMost(b.Lower) || s.link == none {
			return n
		}
		n = t.links.at(s.link).to
	}
}

// Means over chance are right up to rounding. Snapped to a grid they are the same where they should
// be; bounds nearer to each other than closeEnough meet.
const (
	grid        = 1. / (1 << 30)
	closeEnough = 1. / (1 << 20)
)

func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }

// atMost and atLeast round a bound to where it still is one: a move that is left out because
// it seems to give no more must not have been worth a little more.
func atMost(v float64) float32 {
	if f := float32(v); float64(f) <= v {
		return f
	}
	return math.Nextafter32(float32(v), float32(math.Inf(-1)))
}

func atLeast(v float64) float32 { return -atMost(-v) }

// opponent is the other player of a game of two, -1 in a game of one.
func (t *tree) opponent(role int) int {
	for r := range t.roles {
		if r != role && machine.Role(r) != t.random {
			return r
		}
	}
	return -1
}

// collect fills outcomes with the bounds of the children of node n, the moves
// of chance averaged. It returns false where there are too many.
func (t *tree) collect(n int32) bool {
	cells, chance, step, ok := t.cells(n)
	if !ok {
		return false
	}
	m := &t.memory
	m.outcomes = scratch.Resize(m.outcomes, int(cells/chance)*t.roles)
	for i := range m.outcomes {
		m.outcomes[i] = search.Interval{Lower: goalRange.Lower, Upper: goalRange.Upper * float64(chance)}
	}
	for l := t.at(n).out; l != none; {
		a := t.links.at(l)
		// With step as the place of chance in the number of the joint move, the
		// digits above and below it belong to the players.
		group := int(a.cell/(step*chance)*step+a.cell%step) * t.roles
		for r, b := range t.boundsOf(a.to) {
			m.outcomes[group+r].Lower += b.Lower
			m.outcomes[group+r].Upper -= goalRange.Upper - b.Upper
		}
		l = a.sibling
	}
	for i, b := range m.outcomes {
		b = search.Interval{Lower: snap(b.Lower / float64(chance)), Upper: snap(b.Upper / float64(chance))}
		if b.Upper-b.Lower < closeEnough { // rounding
			b = search.Exact(b.Lower)
		}
		m.outcomes[i] = b
	}
	return true
}

// cells is the number of joint moves at the opened node n, how many moves of chance there are
// among them, and the step in their numbers from one move of chance to the next; not ok where
// they are too many for bounds.
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

// boundsByMove bounds, for each move of the role mover, what role r gets after it.
// The answer is valid until the next call.
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
		out = append(out, moveBounds{math.Inf(1), math.Inf(1), math.Inf(-1)})
	}
	for g := 0; g*t.roles < len(t.memory.outcomes); g++ {
		b, p := t.memory.outcomes[g*t.roles+r], &out[g/stride%width]
		p.minLower, p.minUpper = min(p.minLower, b.Lower), min(p.minUpper, b.Upper)
		p.maxUpper = max(p.maxUpper, b.Upper)
	}
	t.memory.byMove = out
	return out
}

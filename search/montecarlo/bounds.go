package montecarlo

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Score bounds (Cazenave and Saffidine, 2010): every node carries, for each
// role, an interval that contains what the role gets under perfect play. The
// lower end is what the role can force against anything. The upper end is,
// where the game is adversarial (one player, or two with constant sum), what
// the other can force it down to; else it is the most that can still happen.
// Both use pure moves; where two opponents choose at once, mixed ones besides (matrix.go).
// Chance counts with its mean.
//
// Cost: the bounds of a node are computed again, in time proportional to its joint
// moves, only when a child turned out terminal or its bounds moved. Nodes with more
// than boundedCells joint moves are left with what they have.

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

// settle updates the bounds of the ancestors of node k, which has just been solved,
// and the means of those that that does not solve.
func (w *worker) settle(k int32) {
	t := w.tree
	if !w.config.has(Bounds) {
		return
	}
	changed := true
	for n := t.at(k).parent; n != none && changed; n = t.at(n).parent {
		changed = w.updateBounds(n)
		switch {
		case t.isSolved(n):
			k = n
		case t.at(k).parent == n && w.config.has(Cleansing):
			w.cleanse(n, k)
		}
	}
}

// cleanse takes what playouts said of child k of node n, which has been solved, out of
// the means of n and of its ancestors. Instead they get the value of the child or, if
// nobody who chooses at n need go there, the mean of the others: what was played there
// before that was known must not count for ever.
func (w *worker) cleanse(n, k int32) {
	t := w.tree
	visits := float64(t.at(k).done)
	others := float64(t.at(n).done) - visits
	replaced := w.isRefuted(n, k)
	if replaced && others <= 0 {
		return
	}
	was, all := t.totalsOf(k), t.totalsOf(n)
	for r := range w.delta {
		instead := t.value(k, r)
		if replaced {
			instead = (all[r] - was[r]) / others
		}
		w.delta[r] = instead*visits - was[r]
	}
	for a := k; ; {
		parent, cell := t.at(a).parent, t.at(a).cell
		if parent == none {
			break
		}
		t.split(parent, cell, w.picks)
		moves, totals := t.movesOf(parent), t.totalsOf(parent)
		for r, width := range t.widthsOf(parent) {
			totals[r] += w.delta[r]
			moves[w.picks[r]].sum += w.delta[r]
			moves = moves[width:]
		}
		a = parent
	}
}

// isRefuted tells whether the only role that chooses at node n, and not chance, has no
// use for its child k: it is sure of more elsewhere, or nothing is worse.
func (w *worker) isRefuted(n, k int32) bool {
	t := w.tree
	c := int(t.at(n).chooser)
	if c < 0 || machine.Role(c) == t.random {
		return false
	}
	most := t.boundsOf(k)[c].Upper
	return most < t.boundsOf(n)[c].Lower || most <= goalRange.Lower
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
			own[i].lower, own[i].upper = float32(p.minLower), float32(p.maxUpper)
			if adversarial {
				own[i].upper = float32(p.minUpper)
			}
		}
		if o := t.opponent(r); adversarial && o >= 0 {
			b.Upper = math.Inf(1)
			for _, p := range t.boundsByMove(n, o, r) {
				b.Upper = min(b.Upper, p.maxUpper)
			}
		}
		b = search.Interval{Lower: max(b.Lower, bounds[r].Lower), Upper: min(b.Upper, bounds[r].Upper)}
		changed = changed || b != bounds[r]
		bounds[r] = b
		solved = solved && b.Solved()
	}
	t.at(n).solved = solved
	if w.isMatrix(n) && w.config.has(Mixing) && w.mixBounds(n) {
		changed = true
	}
	return changed
}

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
	cells, chance := int64(1), int64(1)
	step := int64(1) // from one move of chance to the next
	widths := t.widthsOf(n)
	for r := t.roles - 1; r >= 0; r-- {
		w := int64(widths[r])
		if machine.Role(r) == t.random {
			step, chance = cells, w
		}
		if cells *= w; cells > boundedCells {
			return false
		}
	}
	t.memory.outcomes = t.memory.outcomes[:0]
	for group := range cells / chance {
		// With step as the place of chance in the number of the joint move, the
		// digits above and below it belong to the players.
		cell := group/step*step*chance + group%step
		for r := range t.roles {
			t.memory.outcomes = append(t.memory.outcomes, t.average(n, cell, step, chance, r))
		}
	}
	return true
}

// average is the mean of the bounds of role r over the moves of chance.
func (t *tree) average(n int32, cell, step, chance int64, r int) search.Interval {
	var sum search.Interval
	for k := range chance {
		b := goalRange
		if kid := t.kid(n, cell+k*step); kid != none {
			b = t.boundsOf(kid)[r]
		}
		sum.Lower += b.Lower
		sum.Upper += b.Upper
	}
	return search.Interval{Lower: sum.Lower / float64(chance), Upper: sum.Upper / float64(chance)}
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

package sequential

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search"
)

// Move ordering: the table move comes first. Other moves are ordered by the history scores of the fluents that they make
// true (history.go), minus the number of replies that they leave. Ties keep the order of the machine.

const (
	// tableScore is the score of the table move, above all other scores.
	tableScore = 1 << 50
	// replyScore is the penalty for each reply that does not end the game. Half and a quarter of it take 1.10 and
	// 1.09 times the nodes on connect four 5×4, and 1.06 and 1.08 times on breakthrough 3×5.
	replyScore = historyLimit / 4
)

// next returns the unsearched action of f with the highest score, or -1 if there is
// none.
func (r *run) next(f *frame) int {
	pick, score := -1, int64(math.MinInt64)
	for a, s := range f.scores {
		if s > score && !f.done[a] {
			pick, score = a, s
		}
	}
	return pick
}

// rank scores the actions of f; best is the table move's action, or -1.
func (r *run) rank(f *frame, best int) {
	f.scores = scratch.Resize(f.scores, f.Actions)
	clear(f.scores)
	if r.Without&Ordering != 0 || f.Decider < 0 {
		return
	}
	for a := range f.Actions {
		if a == best {
			f.scores[a] = tableScore
			continue
		}
		f.scores[a] = r.history.score(f, a)
		if c := f.ChildNumber(a, 0); f.Replies == 1 && f.ahead.has(c) {
			f.scores[a] -= replyScore * int64(replies(&f.ahead.expansions[c]))
		}
	}
}

// credit rewards action a, which closed the window of a position, and penalises the actions that were searched
// before it.
func (r *run) credit(f *frame, a, depth int) {
	if f.Decider < 0 {
		return
	}
	merit := min(int64(depth)*int64(depth), historyLimit/16)
	for b, done := range f.done {
		switch {
		case b == a:
			r.history.learn(f, b, merit)
		case done && f.searched[b]:
			r.history.learn(f, b, -merit)
		}
	}
}

// preview sets the bounds of all children before the search of the first: terminal children get their goals, other
// children their bounds from the table.
func (r *run) preview(f *frame, depth int) {
	n := f.children.Children
	r.looked += int64(n)
	f.kids = scratch.Resize(f.kids, n)
	f.keys = scratch.Resize(f.keys, n)
	f.images = scratch.Resize(f.images, n*r.words)
	f.values = scratch.Resize(f.values, f.Actions)
	f.done, f.searched = scratch.Resize(f.done, f.Actions), scratch.Resize(f.searched, f.Actions)
	clear(f.done)
	clear(f.searched)
	f.ahead.clear(n, r.parallel && depth > 0 && r.Without&Ahead == 0)
	for c := range n {
		if f.kids[c] = unknown; f.children.Terminal[c] && r.Without&Lookahead == 0 {
			f.kids[c] = r.terminal(f.children.ChildGoals(c))
		}
	}
	r.recallChildren(f, depth)
	for a := range f.Actions {
		f.values[a] = f.mean(a)
	}
}

// recallChildren looks up the non-terminal children of f in a batch.
func (r *run) recallChildren(f *frame, depth int) {
	r.wanted = r.wanted[:0]
	for c := range f.children.Children {
		if !f.children.Terminal[c] {
			r.find(&f.keys[c], f.images[c*r.words:(c+1)*r.words], f.children.Child(c))
			r.wanted = append(r.wanted, f.keys[c].Key)
		}
	}
	if r.Without&Table != 0 {
		return
	}
	r.table.Touch(r.wanted)
	for c := range f.children.Children {
		if !f.children.Terminal[c] && r.Without&Lookahead == 0 {
			f.kids[c], _ = r.recall(&f.keys[c], depth)
		}
	}
}

// mean returns the value of action a: the mean over the replies of chance (C3). A fresh sum has no accumulated
// rounding errors.
func (f *frame) mean(a int) value {
	if f.Replies == 1 {
		return f.kids[f.ChildNumber(a, 0)]
	}
	var v value
	for k := range f.Replies {
		kid := &f.kids[f.ChildNumber(a, k)]
		v.proved.Lower += kid.proved.Lower
		v.proved.Upper += kid.proved.Upper
		v.guess.Lower += kid.guess.Lower
		v.guess.Upper += kid.guess.Upper
	}
	n := float64(f.Replies)
	scaled := func(i search.Interval) search.Interval {
		return search.Interval{Lower: i.Lower / n, Upper: i.Upper / n}
	}
	return value{scaled(v.proved), scaled(v.guess)}
}

// best returns the value of the position by its actions (C1, C2).
func (f *frame) best(maximise bool) value {
	v := f.values[0]
	for _, u := range f.values[1:] {
		v.proved = better(v.proved, u.proved, maximise)
		v.guess = better(v.guess, u.guess, maximise)
	}
	return v
}

// bestAction returns the action with the best guaranteed value: the choice of a bounded-suboptimal player, and the
// first action to search the next time. Parameter best is the previous best action, or -1; it wins ties.
func (f *frame) bestAction(maximise bool, best int) int {
	best = max(best, 0)
	for a, u := range f.values {
		if prefers(u.guess, f.values[best].guess, maximise) {
			best = a
		}
	}
	return best
}

// prefers reports whether a guarantees more than b to the side that moves, or as much with a better
// optimistic bound.
func prefers(a, b search.Interval, maximise bool) bool {
	if maximise {
		return a.Lower > b.Lower || a.Lower == b.Lower && a.Upper > b.Upper
	}
	return a.Upper < b.Upper || a.Upper == b.Upper && a.Lower < b.Lower
}

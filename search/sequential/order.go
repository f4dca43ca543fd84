package sequential

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Moves are tried in the order: the best of the last time (table), the two that
// last closed a window at the same ply (killers), then by how often and how
// deep they closed windows anywhere (history), then as the machine lists them.

// historyLimit is where all scores are halved, so that they fit and old merits
// fade.
const historyLimit = 1 << 40

// Scores of the table move and of killers, above every history score.
const (
	tableScore  = 1 << 50
	killerScore = 1 << 45
)

// history scores the moves of each role, as far as there was anything to score.
type history struct{ scores [][]int64 }

func newHistory(m machine.Machine) *history {
	return &history{make([][]int64, len(m.Names().Roles))}
}

func (h *history) of(r machine.Role, m machine.Move) int64 {
	if int(m) < len(h.scores[r]) {
		return h.scores[r][m]
	}
	return 0
}

// from holds the scores of the moves of a role, m among them.
func (h *history) from(r machine.Role, m machine.Move) []int64 {
	if missing := int(m) + 1 - len(h.scores[r]); missing > 0 {
		h.scores[r] = append(h.scores[r], make([]int64, missing)...)
	}
	return h.scores[r]
}

// next picks the most promising action of f that was not searched yet, -1 if
// there is none.
func (r *run) next(f *frame, best int) int {
	pick, score := -1, int64(-1)
	for a := range f.actions {
		if f.done[a] {
			continue
		}
		if r.Without&Ordering != 0 {
			return a
		}
		if s := r.score(f, a, best); s > score {
			pick, score = a, s
		}
	}
	return pick
}

func (r *run) score(f *frame, a, best int) int64 {
	if f.decider < 0 {
		return 0
	}
	m := f.children.Moves[f.decider][a]
	switch {
	case a == best:
		return tableScore
	case m == f.killers[0] || m == f.killers[1]:
		return killerScore
	}
	return r.history.of(f.decider, m)
}

// credit notes that action a closed the window of a position.
func (r *run) credit(f *frame, a, depth int) {
	if f.decider < 0 {
		return
	}
	m := f.children.Moves[f.decider][a]
	if f.killers[0] != m {
		f.killers[0], f.killers[1] = m, f.killers[0]
	}
	scores := r.history.from(f.decider, m)
	if scores[m] += int64(depth) * int64(depth); scores[m] > historyLimit {
		for i := range scores {
			scores[i] /= 2
		}
	}
}

// preview sets the bounds of all children to what is known before any of them
// is searched: terminal children and, if depth is positive, the table.
func (r *run) preview(f *frame, depth int) {
	n := f.children.Children
	f.kids = scratch.Resize(f.kids, n)
	f.values = scratch.Resize(f.values, f.actions)
	f.done = scratch.Resize(f.done, f.actions)
	clear(f.done)
	for c := range n {
		switch {
		case r.Without&Lookahead != 0:
			f.kids[c] = value{r.Goals, r.Goals}
		case f.children.Terminal[c]:
			f.kids[c] = r.terminal(f.children.ChildGoals(c))
		default:
			f.kids[c], _ = r.recall(f.children.Child(c), depth)
		}
	}
	for a := range f.actions {
		f.values[a] = f.mean(a)
	}
}

// mean is the value of action a: the mean over the replies of chance (C3).
// Summing afresh keeps it exact where all replies are.
func (f *frame) mean(a int) value {
	if f.replies == 1 {
		return f.kids[a*f.actionStep]
	}
	var v value
	for k := range f.replies {
		kid := &f.kids[a*f.actionStep+k*f.replyStep]
		v.proved.Lower += kid.proved.Lower
		v.proved.Upper += kid.proved.Upper
		v.guess.Lower += kid.guess.Lower
		v.guess.Upper += kid.guess.Upper
	}
	n := float64(f.replies)
	scaled := func(i search.Interval) search.Interval {
		return search.Interval{Lower: i.Lower / n, Upper: i.Upper / n}
	}
	return value{scaled(v.proved), scaled(v.guess)}
}

// best is the value of the position by all its actions (C1, C2).
func (f *frame) best(maximise bool) value {
	v := f.values[0]
	for _, u := range f.values[1:] {
		v.proved = better(v.proved, u.proved, maximise)
		v.guess = better(v.guess, u.guess, maximise)
	}
	return v
}

// bestAction is the action that guarantees most: the one a bounded-suboptimal
// player takes, and the one to try first the next time. Among equals it is best,
// the best so far (-1 for none).
func (f *frame) bestAction(maximise bool, best int) int {
	best = max(best, 0)
	for a, u := range f.values {
		if prefers(u.guess, f.values[best].guess, maximise) {
			best = a
		}
	}
	return best
}

// prefers compares two intervals by what they guarantee to the side that
// chooses, then by the most that they leave possible.
func prefers(a, b search.Interval, maximise bool) bool {
	if maximise {
		return a.Lower > b.Lower || a.Lower == b.Lower && a.Upper > b.Upper
	}
	return a.Upper < b.Upper || a.Upper == b.Upper && a.Lower < b.Lower
}

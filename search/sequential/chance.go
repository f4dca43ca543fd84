package sequential

import (
	"stackmate/reasoner/machine"
	"stackmate/search/exact"
)

// windowSlack, in goal points, widens the windows of the children of a chance
// node. So rounding in the division by a probability never closes a child
// whose parent stays open.
const windowSlack = 1e-9

// chance searches action a, followed by chance. The window of a child follows from the
// bounds of its siblings (C6, the windows of Star1). With ShareEpsilon the
// tolerances of the children differ, but their mean is at most ε (Eq. 26): each child
// passes its unused tolerance on to its later siblings.
//
// A first pass searches only the best action of each child (Star2, Ballard 1983): the resulting bounds often close
// the window. Without a table this work would be done twice.
func (r *run) chance(f *frame, a, ply, depth int, w window) value {
	if r.Without&(Probing|Lookahead|Table) == 0 && f.Replies > 1 && depth > 1 && r.probe < 0 {
		r.probe = ply + 1
		for k := range f.Replies {
			v := f.mean(a)
			if w.isClosed(v.guess) || r.isStopped() {
				break
			}
			r.reply(f, a, k, ply, depth, r.inner(f, a, k, w, v))
		}
		r.probe = -1
	}
	v := f.mean(a)
	spent := 0.0 // sum of the widths of the searched children
	for k := range f.Replies {
		if r.isStopped() || w.isClosed(v.guess) {
			break
		}
		inner := r.inner(f, a, k, w, v)
		if r.ShareEpsilon {
			inner.epsilon = max(0, (w.epsilon*float64(f.Replies)-spent)/float64(f.Replies-k)-windowSlack)
		}
		r.reply(f, a, k, ply, depth, inner)
		v = f.mean(a)
		kid := &f.kids[f.ChildNumber(a, k)]
		spent += kid.guess.Upper - kid.guess.Lower
	}
	return v
}

// inner returns the window of reply k to action a with value v.
func (r *run) inner(f *frame, a, k int, w window, v value) window {
	alpha, beta := exact.Window(w.alpha, w.beta, v.guess, f.kids[f.ChildNumber(a, k)].guess, f.Replies)
	return window{
		alpha:   max(0, alpha) - windowSlack,
		beta:    min(machine.MaxGoal, beta) + windowSlack,
		epsilon: w.epsilon,
	}
}

// reply searches reply k to action a, unless its bounds close the window.
func (r *run) reply(f *frame, a, k, ply, depth int, w window) {
	c := f.ChildNumber(a, k)
	if r.Without&Lookahead != 0 || !w.isClosed(f.kids[c].guess) {
		r.child(f, c, ply, depth, w)
	}
}

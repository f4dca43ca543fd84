package montecarlo

import (
	"errors"

	"stackmate/reasoner/machine"
)

// A tree is complete where nothing is left to search: every joint move of every position that
// matters leads to a node, and every leaf is an end. Then samples add nothing. The values of all
// nodes are computed once from those of their children (backward induction, in floating point):
// the best child for a role that chooses alone, the mean over chance, and the value of the matrix
// game for two opponents who choose at the same time. A tree with other nodes is never complete.

// errComplete is why a search ends whose bounds do not meet.
var errComplete = errors.New("every position is in the tree, and pure moves prove no more; other methods solve simultaneous moves")

// barrenRounds is the number of successive rounds without a new leaf after which a worker looks
// whether the tree is complete. The number doubles each time that the tree is not.
const barrenRounds = 16

// mostComplete bounds the nodes of a tree that is looked at: the look takes some 50 bytes for each.
const mostComplete = 1 << 20

// isComplete reports whether the tree below the root is complete. It looks at all nodes after a
// number of rounds without a new leaf, and computes the values of a complete tree.
func (w *worker) isComplete(leaves int) bool {
	if leaves > 0 || w.ctx.Err() != nil || !w.config.has(Bounds) {
		w.barren = 0
		return w.tree.complete
	}
	if w.barren++; w.tree.complete || w.barren < w.patience {
		return w.tree.complete
	}
	w.barren = 0
	order, ok := w.postorder()
	if !ok {
		w.patience *= 2
		return false
	}
	for _, n := range order {
		w.induce(n)
	}
	w.tree.complete = true
	return true
}

// postorder returns the nodes below the root that are not solved, children first. It reports false
// where the tree is not complete, or not looked at in full.
func (w *worker) postorder() (order []int32, ok bool) {
	t := w.tree
	const open, closed = 1, 2
	state, stack := map[int32]int{}, []int32{t.root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if a := t.at(n); a.solved || state[n] == closed {
			stack = stack[:len(stack)-1]
			continue
		}
		if state[n] == open {
			state[n], stack, order = closed, stack[:len(stack)-1], append(order, n)
			continue
		}
		state[n] = open
		if !w.hasAllKids(n) || len(state) > mostComplete || len(state)%1024 == 0 && w.ctx.Err() != nil {
			return nil, false
		}
		for l := t.at(n).out; l != none; l = t.links.at(l).sibling {
			if k := t.links.at(l).to; state[k] == 0 {
				stack = append(stack, k)
			}
		}
	}
	return order, true
}

// hasAllKids reports whether every joint move of node n leads to a node, and induce has a rule for
// it. Moves of a role that chooses alone may be missing if they are proved to give it no more than
// it is sure of.
func (w *worker) hasAllKids(n int32) bool {
	t := w.tree
	a := t.at(n)
	if a.moves == none || !a.numbered {
		return false
	}
	if w.choosers(n) > 1 {
		if _, _, ok := w.size(n); !ok || !w.balances() {
			return false
		}
	}
	if a.chooser >= 0 && machine.Role(a.chooser) != t.random {
		for i := range t.choices(a) {
			s := &t.choices(a)[i]
			if s.link == none && s.upper > atMost(t.boundsOf(n)[a.chooser].Lower) {
				return false
			}
		}
		return true
	}
	cells, kids := int64(1), int64(0)
	for _, width := range t.widthsOf(n) {
		cells *= int64(width)
	}
	for l := a.out; l != none; l = t.links.at(l).sibling {
		kids++
	}
	return kids == cells
}

// induce computes the values of node n from those of its children.
func (w *worker) induce(n int32) {
	t := w.tree
	a := t.at(n)
	switch {
	case a.chooser >= 0 && machine.Role(a.chooser) != t.random:
		best := none
		for l := a.out; l != none; l = t.links.at(l).sibling {
			if k := t.links.at(l).to; best == none || t.value(k, int(a.chooser)) > t.value(best, int(a.chooser)) {
				best = k
			}
		}
		w.setValue(n, func(r int) float64 { return t.value(best, r) })
	case w.choosers(n) == 0: // chance, or one joint move
		w.setValue(n, func(r int) (mean float64) {
			kids := 0.
			for l := a.out; l != none; l = t.links.at(l).sibling {
				mean, kids = mean+t.value(t.links.at(l).to, r), kids+1
			}
			return mean / kids
		})
	default:
		w.balance(n)
	}
}

// setValue makes the mean of the goals at node n what value says, by role.
func (w *worker) setValue(n int32, value func(r int) float64) {
	totals, done := w.tree.totalsOf(n), float64(w.tree.at(n).done)
	for r := range totals {
		totals[r] = value(r) * done
	}
}

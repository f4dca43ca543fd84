package montecarlo

import (
	"errors"

	"stackmate/reasoner/machine"
)

// A tree is complete if nothing is left to search: every joint move of every relevant node leads to a
// node, and every leaf is terminal. Then more samples add nothing. The values of all nodes are computed
// once by backward induction in floating point: the best child for a single chooser, the mean over chance,
// the value of the matrix game for two opponents. Trees with other kinds of nodes are never complete.

// errComplete is the reason to stop if the tree is complete and its bounds do not meet.
var errComplete = errors.New("the tree is complete, and its bounds do not meet; use another method")

// barrenRounds is the number of successive rounds without a new leaf after which a worker checks whether
// the tree is complete. It doubles after each failed check.
const barrenRounds = 16

// mostComplete is the maximum number of nodes of a checked tree: the check takes some 50 bytes a node.
const mostComplete = 1 << 20

// isComplete reports whether the tree below the root is complete. It traverses the tree after some rounds
// without a new leaf, and computes the values of a complete tree.
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

// postorder returns the unsolved nodes below the root, children first. It returns false if the tree is
// incomplete or the traversal was cut off.
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

// hasAllKids reports whether every joint move of node n leads to a node, and induce has a rule for n. A
// single chooser's moves without a node are allowed if they are proved to give no more than its lower
// bound.
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

// induce computes the value of node n from the values of its children.
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

// setValue sets the mean goals of node n to value, by role.
func (w *worker) setValue(n int32, value func(r int) float64) {
	totals, done := w.tree.totalsOf(n), float64(w.tree.at(n).done)
	for r := range totals {
		totals[r] = value(r) * done
	}
}

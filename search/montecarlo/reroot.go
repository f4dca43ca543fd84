package montecarlo

import "stackmate/reasoner/machine"

// Between two searches the game goes on, and what the tree knows of the next
// position becomes the tree. Nothing is copied or cleared away for that, whatever
// the size: the node becomes the root, and the old one is waste, of which new nodes
// take a node whenever they need one. What only waste leads to becomes waste with it;
// what is found again before that is used again.

// findNodes bounds the nodes that are looked at for a position: some milliseconds'
// worth. What follows from one or two joint moves is found.
const findNodes = 1 << 16

// below returns the node for position s: among those that the fewest joint moves lead
// to from the root, the one most visited; or none.
func (t *tree) below(s machine.State) int32 {
	if t.root == none {
		return none
	}
	level, looked := []int32{t.root}, 0
	for len(level) > 0 && looked < findNodes {
		found := none
		var below []int32
		for _, n := range level {
			if t.state(n).Equal(s) && (found == none || t.at(n).visits > t.at(found).visits) {
				found = n
			}
			for l := t.at(n).out; l != none && looked < findNodes; l = t.links.at(l).sibling {
				below = append(below, t.links.at(l).to)
				looked++
			}
		}
		if found != none {
			return found
		}
		level = below
	}
	return none
}

// reroot makes node n the root, or leaves the tree without one if n is none. All
// that is not below n becomes waste.
func (t *tree) reroot(n int32) {
	old := t.root
	t.root = n
	if n != old && old != none && t.at(old).in == none {
		t.discard(old)
	}
}

// discard makes node n, to which nothing leads, waste.
func (t *tree) discard(n int32) {
	if t.shares {
		t.remove(n)
	}
	t.at(n).next, t.waste = t.waste, n
}

const (
	// spanTries bounds the waste that is searched for a span or a link where there is no
	// room for more, rootTries that for the root: a millisecond's worth.
	spanTries = 1 << 6
	rootTries = 1 << 14
)

// bareWaste frees the links and moves of a node of waste, if there is one.
func (t *tree) bareWaste() bool {
	if t.waste == none {
		return false
	}
	n := t.recycle()
	t.at(n).next, t.bare = t.bare, n
	return true
}

// recycle frees a node of waste and returns it: one without links, whose moves
// are given back.
func (t *tree) recycle() int32 {
	for {
		n := t.waste
		a := t.at(n)
		if a.out == none {
			t.waste = a.next
			t.strip(n)
			return n
		}
		// What nothing else leads to becomes the first of the waste, n stays behind it.
		if k := t.cut(a.out); t.at(k).in == none && k != t.root {
			t.discard(k)
		}
	}
}

// strip gives back the moves of node n, which nothing leads to nor leaves from.
func (t *tree) strip(n int32) {
	if t.at(n).moves == none {
		return
	}
	count := 0
	for _, width := range t.widthsOf(n) {
		count += int(width)
	}
	t.moves.giveBack(t.at(n).moves, count)
	t.at(n).moves = none
}

package montecarlo

import "stackmate/reasoner/machine"

// Between two searches the game advances, and the subtree of the new position becomes the tree. Nothing is
// copied or cleared: the node becomes the root, and the old root becomes waste, whose memory new nodes
// take one at a time. A node becomes waste with its last predecessor. Until its memory is reused, a waste
// node that is reached again returns to use.

// findNodes bounds the nodes that below visits, which takes some milliseconds. It suffices to find
// positions one or two joint moves below the root.
const findNodes = 1 << 16

// below returns the node for position s closest to the root, the most visited one if several are equally
// close; or none.
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

// reroot makes node n the root, or empties the tree if n is none. All nodes that are not below n become
// waste.
func (t *tree) reroot(n int32) {
	old := t.root
	t.root = n
	if n != old && old != none && t.at(old).in == none {
		t.discard(old)
	}
}

// discard adds node n, which has no incoming link, to the waste list.
func (t *tree) discard(n int32) {
	if t.shares {
		t.remove(n)
	}
	t.at(n).next, t.waste = t.waste, n
}

const (
	// spanTries is the number of waste nodes stripped to find a span or a link when memory is full;
	// rootTries is this number for the root. They take about a millisecond.
	spanTries = 1 << 6
	rootTries = 1 << 14
)

// bareWaste frees the links and moves of one waste node. It returns false if there is none.
func (t *tree) bareWaste() bool {
	if t.waste == none {
		return false
	}
	n := t.recycle()
	t.at(n).next, t.bare = t.bare, n
	return true
}

// recycle removes a waste node without outgoing links from the list, frees its moves and returns it.
func (t *tree) recycle() int32 {
	for {
		n := t.waste
		a := t.at(n)
		if a.out == none {
			t.waste = a.next
			t.strip(n)
			return n
		}
		// A child without other incoming links goes to the head of the list, before n.
		if k := t.cut(a.out); t.at(k).in == none && k != t.root {
			t.discard(k)
		}
	}
}

// strip frees the moves of node n, which has no links.
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

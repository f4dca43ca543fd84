package montecarlo

import "stackmate/reasoner/machine"

// Between two searches the game goes on, and what the tree knows of the next
// position becomes the tree. Nothing is copied or cleared away for that, whatever
// the size: the node becomes the root, and all others are waste, of which new nodes
// take a place whenever they need one.

// findNodes bounds the nodes that are looked at for a position: some milliseconds'
// worth. What follows from one or two joint moves is found.
const findNodes = 1 << 16

// find returns the node for position s: among those that the fewest joint moves lead
// to from the root, the one most visited; or none.
func (t *tree) find(s machine.State) int32 {
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
			for k := t.at(n).kid; k != none && looked < findNodes; k = t.at(k).next {
				below = append(below, k)
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
	if n == t.root {
		return
	}
	old := t.root
	if n != none {
		t.detach(n)
	}
	if old != none {
		t.at(old).next, t.waste = t.waste, old
	}
	t.root = n
}

// detach takes node n away from its parent.
func (t *tree) detach(n int32) {
	a := t.at(n)
	link := &t.at(a.parent).kid
	for *link != n {
		link = &t.at(*link).next
	}
	*link = a.next
	t.link(a.parent, a.cell, none)
	a.parent, a.next = none, none
}

const (
	// spanTries bounds the waste that is searched for a span where there is no room for
	// more, rootTries that for the root: a millisecond's worth.
	spanTries = 1 << 6
	rootTries = 1 << 14
)

// takeFromWaste returns a span for the moves of a node out of what so many nodes of
// waste give back, or none. Those nodes are bare then.
func (t *tree) takeFromWaste(moves, tries int) int32 {
	span := none
	for ; span == none && t.waste != none && tries > 0; tries-- {
		n := t.recycle()
		t.at(n).next, t.bare = t.bare, n
		span = t.moves.take(moves, t.room-t.bytes())
	}
	return span
}

// recycle frees a node of waste and returns it: one without children, whose moves
// are given back.
func (t *tree) recycle() int32 {
	for {
		n := t.waste
		b, i := t.place(n)
		a := &b.nodes[i]
		k := a.kid
		if k == none {
			t.waste = a.next
			if a.moves != none {
				count := 0
				for _, width := range t.widthsOf(n) {
					count += int(width)
				}
				t.moves.giveBack(a.moves, count)
			}
			return n
		}
		// The first child becomes the first of the waste, its parent stays behind it.
		b, i = t.place(k)
		kid := &b.nodes[i]
		a.kid, kid.next, t.waste = kid.next, t.waste, k
		t.link(n, kid.cell, none)
	}
}

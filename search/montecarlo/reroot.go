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
	delete(t.kids, edge{a.parent, a.cell})
	a.parent, a.next = none, none
}

// rootTries bounds the waste that is searched for a span for the root: a millisecond's
// worth.
const rootTries = 1 << 14

// takeForRoot returns a span for the moves of the root where there is no room for
// one: out of what nodes of waste give back, or beyond the room.
func (t *tree) takeForRoot(moves int) int32 {
	span, emptied := none, none
	for tries := 0; span == none && t.waste != none && tries < rootTries; tries++ {
		n := t.recycle()
		a := t.at(n)
		a.moves, a.next, emptied = none, emptied, n
		span = t.moves.take(moves, t.room-t.bytes())
	}
	for emptied != none {
		n := emptied
		emptied, t.at(n).next, t.waste = t.at(n).next, t.waste, n
	}
	if span == none {
		const anyRoom = 1 << 62
		span = t.moves.take(moves, anyRoom)
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
		delete(t.kids, edge{n, kid.cell})
	}
}

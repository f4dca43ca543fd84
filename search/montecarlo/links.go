package montecarlo

import (
	"math/bits"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search/table"
)

// link is a way from one node to another.
type link struct {
	cell     int64 // the joint move
	from, to int32
	sibling  int32 // the next that leaves from the same node, or none
	parallel int32 // the next that leads to the same node, or none
	next     int32 // in its bucket of ways, where several roles choose; or of those that are free
}

// links is the memory for links, in chunks of equal size, and the tables in which nodes and
// links are looked up. The tables have as many buckets as the room makes sensible, from the
// beginning on, so that nothing is ever entered anew; a bucket is a chain through what it
// holds. Their entries are complemented, so that memory of zeros is an empty table.
type links struct {
	shift  uint
	chunks [][]link
	fresh  int32 // links from this one on were never used
	free   int32 // the first of those that were given back, or none
	bytes  int64

	positions []int32 // by hash of state and ply: a node
	ways      []int32 // by hash of node and joint move: a link; nil until it is needed
}

const linkBytes = int64(unsafe.Sizeof(link{}))

// bucketBytes is how many bytes of the room there are for each bucket of a table: about
// those of a node with its moves and links.
const bucketBytes = 1 << 9

func newLinks(chunkBytes, room int64) links {
	shift := uint(bits.Len64(uint64(max(1, chunkBytes/linkBytes))) - 1)
	buckets := 1 << (bits.Len64(uint64(max(1, room/bucketBytes))) - 1)
	return links{shift: shift, free: none, positions: make([]int32, buckets), bytes: 4 * int64(buckets)}
}

func (k *links) at(l int32) *link {
	return &k.chunks[l>>(k.shift&31)][l&(1<<(k.shift&31)-1)]
}

func (k *links) giveBack(l int32) {
	k.at(l).next, k.free = k.free, l
}

// takeLink is a link for use, or none where there is no room for one.
func (t *tree) takeLink() int32 {
	k := &t.links
	for tries := spanTries; k.free == none && tries > 0 && t.bareWaste(); tries-- {
	}
	if l := k.free; l != none {
		k.free = k.at(l).next
		return l
	}
	if int(k.fresh)>>k.shift == len(k.chunks) {
		if !t.hasRoom(linkBytes << k.shift) {
			if !t.forget() {
				return none
			}
			return t.takeLink()
		}
		k.chunks = append(k.chunks, make([]link, 1<<k.shift))
		k.bytes += linkBytes << k.shift
	}
	k.fresh++
	return k.fresh - 1
}

// connect makes l the link by which joint move cell leads from the opened node n to node k.
func (t *tree) connect(l, n int32, cell int64, k int32) {
	from, to := t.at(n), t.at(k)
	*t.links.at(l) = link{cell: cell, from: n, to: k, sibling: from.out, parallel: to.in, next: none}
	from.out, to.in = l, l
	if s := t.only(n, cell); s != nil {
		s.link = l
		return
	}
	if t.links.ways == nil {
		t.links.ways = make([]int32, len(t.links.positions))
		t.links.bytes += 4 * int64(len(t.links.ways))
	}
	from.ways |= wayBit(cell)
	bucket := t.bucketOf(n, cell)
	t.links.at(l).next, *bucket = ^*bucket, ^l
}

// wayBit stands for a joint move among those that lead from a node to others, beside a 32nd of the rest.
func wayBit(cell int64) uint32 { return 1 << (uint64(cell) * hashFactor >> 59) }

// way is the link of a joint move at the opened node n, or none.
func (t *tree) way(n int32, cell int64) int32 {
	if s := t.only(n, cell); s != nil {
		return s.link
	}
	if t.at(n).ways&wayBit(cell) == 0 {
		return none // the table is not in the caches
	}
	l := ^*t.bucketOf(n, cell)
	for l != none {
		if a := t.links.at(l); a.from == n && a.cell == cell {
			break
		} else {
			l = a.next
		}
	}
	return l
}

// cut gives link l back, and returns where it led.
func (t *tree) cut(l int32) int32 {
	a := t.links.at(l)
	n, k := a.from, a.to
	out := &t.at(n).out
	for *out != l {
		out = &t.links.at(*out).sibling
	}
	*out = a.sibling
	in := &t.at(k).in
	for *in != l {
		in = &t.links.at(*in).parallel
	}
	*in = a.parallel
	if s := t.only(n, a.cell); s != nil {
		s.link = none
	} else if bucket := t.bucketOf(n, a.cell); ^*bucket == l {
		*bucket = ^a.next
	} else {
		before := t.links.at(^*bucket)
		for before.next != l {
			before = t.links.at(before.next)
		}
		before.next = a.next
	}
	t.links.giveBack(l)
	return k
}

// hashFactor is odd, with bits all over: 2⁶⁴ divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

func (t *tree) bucketOf(n int32, cell int64) *int32 {
	high, low := bits.Mul64(uint64(n+1)*hashFactor^uint64(cell), hashFactor)
	return &t.links.ways[(high^low)&uint64(len(t.links.ways)-1)]
}

func (t *tree) bucketFor(s machine.State, ply int32) *int32 {
	h := table.Hash(s) + uint64(ply)*hashFactor
	return &t.links.positions[h>>32&uint64(len(t.links.positions)-1)]
}

// find is the node of a position after so many joint moves, or none.
func (t *tree) find(s machine.State, ply int32) int32 {
	n := ^*t.bucketFor(s, ply)
	for n != none && (t.at(n).ply != ply || !t.state(n).Equal(s)) {
		n = t.at(n).next
	}
	return n
}

// enter makes node n one that is found.
func (t *tree) enter(n int32) {
	bucket := t.bucketFor(t.state(n), t.at(n).ply)
	t.at(n).next, *bucket = ^*bucket, ^n
}

// remove makes node n one that is not found any more.
func (t *tree) remove(n int32) {
	bucket := t.bucketFor(t.state(n), t.at(n).ply)
	if ^*bucket == n {
		*bucket = ^t.at(n).next
		return
	}
	before := t.at(^*bucket)
	for before.next != n {
		before = t.at(before.next)
	}
	before.next = t.at(n).next
}

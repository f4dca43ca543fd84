package montecarlo

import (
	"math/bits"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search/table"
)

// link is an edge of the tree.
type link struct {
	cell     int64 // the joint move
	from, to int32
	sibling  int32 // next link from the same node, or none
	parallel int32 // next link to the same node, or none
	next     int32 // in the bucket of its edge, where several roles choose; or in the free list
}

// links holds the links, in chunks of equal size, and the hash tables of nodes and edges. The number of
// buckets follows from the memory limit, so the tables are never rehashed. A bucket is a chain through its
// elements. Entries are complemented, so zeroed memory is an empty table.
type links struct {
	shift  uint
	chunks [][]link
	fresh  int32 // first link that was never used
	free   int32 // head of the free list, or none
	bytes  int64

	positions []int32 // node by hash of state and ply
	edges     []int32 // link by hash of node and joint move; nil until the first use
}

const linkBytes = int64(unsafe.Sizeof(link{}))

// bucketBytes is the memory limit for each bucket of a table: about the size of a node with its moves and
// links.
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

// takeLink returns an unused link, or none if memory is full.
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

// connect makes l the link for joint move cell from the opened node n to node k.
func (t *tree) connect(l, n int32, cell int64, k int32) {
	from, to := t.at(n), t.at(k)
	*t.links.at(l) = link{cell: cell, from: n, to: k, sibling: from.out, parallel: to.in, next: none}
	from.out, to.in = l, l
	if s := t.soleMove(n, cell); s != nil {
		s.link = l
		return
	}
	if t.links.edges == nil {
		t.links.edges = make([]int32, len(t.links.positions))
		t.links.bytes += 4 * int64(len(t.links.edges))
	}
	from.edges |= edgeBit(cell)
	bucket := t.bucketOf(n, cell)
	t.links.at(l).next, *bucket = ^*bucket, ^l
}

// edgeBit returns the bit of a joint move in the Bloom filter of its node. About one in 32 joint moves
// shares it.
func edgeBit(cell int64) uint32 { return 1 << (uint64(cell) * hashFactor >> 59) }

// findLink returns the link for joint move cell of the opened node n, or none.
func (t *tree) findLink(n int32, cell int64) int32 {
	if s := t.soleMove(n, cell); s != nil {
		return s.link
	}
	if t.at(n).edges&edgeBit(cell) == 0 {
		return none // avoids a cache miss in the table
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

// cut frees link l and returns the node it led to.
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
	if s := t.soleMove(n, a.cell); s != nil {
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

// hashFactor is 2⁶⁴ divided by the golden ratio, rounded to an odd number (Fibonacci hashing).
const hashFactor = 0x9e3779b97f4a7c15

func (t *tree) bucketOf(n int32, cell int64) *int32 {
	high, low := bits.Mul64(uint64(n+1)*hashFactor^uint64(cell), hashFactor)
	return &t.links.edges[(high^low)&uint64(len(t.links.edges)-1)]
}

func (t *tree) bucketFor(s machine.State, ply int32) *int32 {
	h := table.Hash(s) + uint64(ply)*hashFactor
	return &t.links.positions[h>>32&uint64(len(t.links.positions)-1)]
}

// find returns the node for position s at depth ply, or none.
func (t *tree) find(s machine.State, ply int32) int32 {
	n := ^*t.bucketFor(s, ply)
	for n != none && (t.at(n).ply != ply || !t.state(n).Equal(s)) {
		n = t.at(n).next
	}
	return n
}

// insert adds node n to the table of positions.
func (t *tree) insert(n int32) {
	bucket := t.bucketFor(t.state(n), t.at(n).ply)
	t.at(n).next, *bucket = ^*bucket, ^n
}

// remove deletes node n from the table of positions.
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

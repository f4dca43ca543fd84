// Package table owns the transposition table of the exact searches: a map from
// positions to whatever a search proved of them, in bounded memory. It knows
// packed states (reasoner/machine), not what the values mean.
package table

import (
	"math/bits"
	"unsafe"

	"stackmate/reasoner/machine"
)

// The table is an extendible hash (Fagin, Nievergelt, Pippenger and Strong,
// 1979): a directory, indexed by the top bits of the hash, of segments of equal
// size. A segment that is 7/8 full is split in two by one more bit of the hash,
// so memory grows in small steps and never exceeds the bound, not even while
// growing.
//
//	hash  63 ............. 63-depth | 55 ........ 24 | 9 ...... 3 |
//	      segment (directory index) |  tag (24 bits) |   bucket   |
//
//	segment  meta:   [buckets × 8] tag<<8 | work   0 = empty slot
//	         keys:   [buckets × 8] words × uint64
//	         values: [buckets × 8] V
//
// A position lives in the first bucket with room at or after its home bucket,
// cyclically; a bucket fills from its first slot. Slots are never emptied and
// about one in eight stays free, so a probe ends at the first bucket with an
// empty slot. When memory is used up the entry of the home bucket that was the
// cheapest to compute makes room: expensive ones stay, and the newcomer always
// gets in. (A newcomer whose home bucket is empty exceeds segmentLimit. There are at
// most 16 empty buckets in a segment at its limit, so it never gets full.)
//
// Cost: one access to the directory, one to meta (32 bytes, one cache line), and
// one each to key and value where the tag matches (by chance: once in 2²¹).
const (
	bucketSlots    = 8
	segmentBuckets = 128
	segmentSlots   = bucketSlots * segmentBuckets
	segmentLimit   = segmentSlots / 8 * 7
	maxDepth       = 40 // directory bits; memory ends long before
	metaBytes      = 4
	directoryBytes = 8
)

// Stats says what a table holds and what it was good for.
type Stats struct {
	Lookups   int64 // calls of Lookup
	Hits      int64 // of which successful
	Entries   int64 // positions held
	Evictions int64 // positions lost for want of memory
	Bytes     int64 // memory of keys, values and directory
}

// Table maps positions to values of type V. Positions are compared word by
// word: different positions are never taken for each other. V should contain no
// pointers, then the garbage collector does not look into the table. A Table
// belongs to one goroutine.
type Table[V any] struct {
	words     int
	maxBytes  int64
	depth     uint // the directory has 1<<depth elements
	directory []*segment[V]
	stats     Stats
}

type segment[V any] struct {
	depth  uint // hash bits that all entries share
	count  int
	meta   []uint32
	keys   []uint64
	values []V
}

// New makes a table for positions of the given number of words. It starts with
// one segment of 1024 slots and grows up to maxBytes; zero means no bound. The
// one segment is there even if it exceeds the bound.
func New[V any](words int, maxBytes int64) *Table[V] {
	t := &Table[V]{words: words, maxBytes: maxBytes}
	t.directory = []*segment[V]{t.newSegment(0)}
	t.stats.Bytes = t.segmentBytes() + directoryBytes
	return t
}

// Lookup returns what is stored for position s, or nil. The pointer is valid
// until the next Insert; the value may be changed through it.
func (t *Table[V]) Lookup(s machine.State) *V { return t.LookupHashed(s, Hash(s)) }

// LookupHashed is Lookup for whoever knows Hash(s).
func (t *Table[V]) LookupHashed(s machine.State, h uint64) *V {
	t.stats.Lookups++
	g := t.directory[t.index(h)]
	slot, found := g.find(s, h)
	if !found {
		return nil
	}
	t.stats.Hits++
	return &g.values[slot]
}

// Insert returns the value stored for position s, or a new zero value if there
// was none. The pointer is valid until the next Insert. The value cost work
// nodes to compute: where memory is short, cheap entries make room for others.
func (t *Table[V]) Insert(s machine.State, work int64) *V { return t.InsertHashed(s, Hash(s), work) }

// InsertHashed is Insert for whoever knows Hash(s).
func (t *Table[V]) InsertHashed(s machine.State, h uint64, work int64) *V {
	cost := uint32(bits.Len64(uint64(max(work, 1))))
	for {
		g := t.directory[t.index(h)]
		slot, found := g.find(s, h)
		switch {
		case found:
			g.meta[slot] = g.meta[slot]&^0xff | max(g.meta[slot]&0xff, cost)
			return &g.values[slot]
		case g.count < segmentLimit || g.meta[home(h)] == 0:
			g.count++
			t.stats.Entries++
		case t.split(t.index(h)):
			continue
		default:
			slot = g.cheapest(h)
			t.stats.Evictions++
		}
		g.meta[slot] = tag(h) | cost
		copy(g.keys[slot*len(s):], s)
		var zero V
		g.values[slot] = zero
		return &g.values[slot]
	}
}

// Stats returns the counters of the table.
func (t *Table[V]) Stats() Stats { return t.stats }

func (t *Table[V]) index(h uint64) int { return int(h >> 1 >> (63 - t.depth)) }

func home(h uint64) int { return int(h>>3) % segmentBuckets * bucketSlots }

func tag(h uint64) uint32 { return uint32(h>>24) << 8 }

// find returns the slot of s, or else the first free slot for it.
func (g *segment[V]) find(s machine.State, h uint64) (slot int, found bool) {
	want := tag(h)
	for bucket := home(h); ; bucket = (bucket + bucketSlots) % segmentSlots {
		for i, m := range g.meta[bucket : bucket+bucketSlots] {
			if m == 0 {
				return bucket + i, false
			}
			if m&^0xff == want && s.Equal(g.key(bucket+i, len(s))) {
				return bucket + i, true
			}
		}
	}
}

func (g *segment[V]) key(slot, words int) machine.State {
	return g.keys[slot*words : (slot+1)*words]
}

// cheapest is the taken slot of the home bucket of h, which is not empty, whose
// entry cost least.
func (g *segment[V]) cheapest(h uint64) int {
	best := home(h)
	for slot := best + 1; slot < home(h)+bucketSlots && g.meta[slot] != 0; slot++ {
		if g.meta[slot]&0xff < g.meta[best]&0xff {
			best = slot
		}
	}
	return best
}

// split divides the segment at a directory index in two, doubling the directory
// first where that is needed. It returns false if the memory bound forbids it.
func (t *Table[V]) split(index int) bool {
	old := t.directory[index]
	need := t.segmentBytes()
	if old.depth == t.depth {
		need += directoryBytes << t.depth
	}
	if old.depth == maxDepth || t.maxBytes > 0 && t.stats.Bytes+need > t.maxBytes {
		return false
	}
	t.stats.Bytes += need
	if old.depth == t.depth {
		t.doubleDirectory()
		index *= 2
	}
	upper := t.newSegment(old.depth + 1)
	old.depth++
	span := 1 << (t.depth - old.depth)
	first := index &^ (2*span - 1)
	for i := range span {
		t.directory[first+span+i] = upper
	}
	t.redistribute(old, upper)
	return true
}

func (t *Table[V]) doubleDirectory() {
	wide := make([]*segment[V], 2*len(t.directory))
	for i, g := range t.directory {
		wide[2*i], wide[2*i+1] = g, g
	}
	t.directory = wide
	t.depth++
}

// redistribute moves the entries of old whose deciding bit is set to upper and
// places the others anew, because probes must not cross the gaps.
func (t *Table[V]) redistribute(old, upper *segment[V]) {
	bit := 64 - old.depth
	kept := *old
	*old = *t.newSegment(kept.depth)
	for slot, m := range kept.meta {
		if m == 0 {
			continue
		}
		s := kept.key(slot, t.words)
		h := Hash(s)
		g := old
		if h>>bit&1 != 0 {
			g = upper
		}
		to, _ := g.find(s, h)
		g.count++
		g.meta[to] = m
		copy(g.key(to, t.words), s)
		g.values[to] = kept.values[slot]
	}
}

func (t *Table[V]) newSegment(depth uint) *segment[V] {
	return &segment[V]{
		depth:  depth,
		meta:   make([]uint32, segmentSlots),
		keys:   make([]uint64, segmentSlots*t.words),
		values: make([]V, segmentSlots),
	}
}

func (t *Table[V]) segmentBytes() int64 {
	var v V
	slot := metaBytes + 8*int64(t.words) + int64(unsafe.Sizeof(v))
	return segmentSlots*slot + int64(unsafe.Sizeof(segment[V]{}))
}

// Hash mixes the words of a packed state to 64 bits that all depend on every
// bit of it: a chain of 64×64→128-bit products, folded.
func Hash(s machine.State) uint64 {
	const (
		seed = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
		odd  = 0xd1b54a32d192ed03 // 2⁶⁴/ρ², ρ the plastic number
	)
	h := uint64(seed)
	for _, w := range s {
		hi, lo := bits.Mul64(w^odd, h)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	hi, lo := bits.Mul64(h^odd, seed)
	return hi ^ lo
}

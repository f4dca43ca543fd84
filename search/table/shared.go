package table

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"stackmate/reasoner/machine"
)

// A Shared table has the hash, the buckets and the rule of replacement of a Table. What
// makes it one for several goroutines:
//
//	block    version: odd while somebody writes, and for ever once it is split
//	         meta:    [buckets × 8] tag<<8 | work       0 = empty slot
//	         slots:   [buckets × 8] key words, value words
//
// A reader takes the version, reads, and believes what it has read if the version is the
// same as before and even (a sequence lock): so a position with half of one value and half
// of another is never seen, and neither is one position in place of another. Who writes
// makes the version odd first, which keeps other writers out. A block that is split is
// copied into two new ones, then the directory points to these; it stays odd, and whoever
// holds it looks into the directory again.
//
// Nobody waits for a goroutine that the system has stopped while it was writing: after
// some attempts a lookup finds nothing, and an update does not happen. That is no fault
// of a memory which may forget. With one goroutine it never occurs, and what the table
// holds is determined by the calls.
//
// Cost: of a lookup that of Table's, with key and value beside each other, and no write to
// memory that is shared; of an update two locked instructions and one for each word.

// Shared maps positions to values of a fixed number of words. Positions are compared word
// by word. All its methods may be called by several goroutines at once.
type Shared struct {
	words, stride int
	maxBytes      int64
	directory     atomic.Pointer[blocks]
	growing       sync.Mutex // of whoever changes the directory
	bytes         atomic.Int64
}

// blocks is a directory: 1<<depth elements.
type blocks struct {
	depth uint
	list  []atomic.Pointer[block]
}

type block struct {
	version   atomic.Uint32
	depth     uint  // hash bits that all entries share
	count     int   // entries; of the one who writes
	evictions int64 // of the one who writes
	meta      []uint32
	slots     []uint64
}

// patience is how often a block that is being written is looked at: some microseconds, in
// which every update and every split ends unless its thread is stopped.
const patience = 256

// NewShared makes a table for positions and values of the given numbers of words. Memory
// is that of New.
func NewShared(words, valueWords int, maxBytes int64) *Shared {
	t := &Shared{words: words, stride: words + valueWords, maxBytes: maxBytes}
	d := &blocks{list: make([]atomic.Pointer[block], 1)}
	d.list[0].Store(t.newBlock(0))
	t.directory.Store(d)
	t.bytes.Store(t.blockBytes() + directoryBytes)
	return t
}

// Touch begins to read what Lookup needs of several hashes: their accesses to memory
// overlap, while those of lookups follow each other.
func (t *Shared) Touch(hashes []uint64) {
	d := t.directory.Load()
	for _, h := range hashes {
		atomic.LoadUint32(&d.of(h).Load().meta[home(h)])
	}
}

// Lookup copies the value of position s, whose Hash is h, and tells whether there is one.
func (t *Shared) Lookup(value []uint64, s machine.State, h uint64) bool {
	for try := range patience {
		b := t.directory.Load().of(h).Load()
		version := b.version.Load()
		if version&1 == 0 {
			slot, found := b.find(s, h, t.stride)
			if found {
				for i := range value {
					value[i] = atomic.LoadUint64(&b.slots[slot*t.stride+t.words+i])
				}
			}
			if b.version.Load() == version {
				return found
			}
		}
		rest(try)
	}
	return false
}

// Update stores the value of position s, whose Hash is h and which cost work nodes to
// compute. Where there is a value already, merge is called first: it adds to the new value
// what the old one tells. Merge must be quick, and not use the table.
func (t *Shared) Update(value []uint64, s machine.State, h uint64, work int64, merge func(value, old []uint64)) {
	cost := uint32(bits.Len64(uint64(max(work, 1))))
	for try := range patience {
		b := t.directory.Load().of(h).Load()
		version := b.version.Load()
		if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
			rest(try)
			continue
		}
		slot, found := b.find(s, h, t.stride)
		entry := b.slots[slot*t.stride : (slot+1)*t.stride]
		switch {
		case found:
			merge(value, entry[t.words:])
			cost = max(cost, b.meta[slot]&0xff)
		case b.count < segmentLimit || b.meta[home(h)] == 0:
			b.count++
		case t.split(b, h):
			continue // it stays odd
		default:
			b.evictions++
			slot = b.cheapest(h)
			entry = b.slots[slot*t.stride : (slot+1)*t.stride]
		}
		atomic.StoreUint32(&b.meta[slot], tag(h)|cost)
		if !found {
			storeAll(entry, s)
		}
		storeAll(entry[t.words:], value)
		b.version.Store(version + 2)
		return
	}
}

// Stats returns what the table holds; lookups and hits are not counted.
func (t *Shared) Stats() Stats {
	s := Stats{Bytes: t.bytes.Load()}
	t.each(func(b *block) {
		s.Entries += int64(b.count)
		s.Evictions += b.evictions
	}, func() bool { return true })
	return s
}

// Each calls yield with the position and the value of every entry and with the logarithm
// of its work, until yield returns false. Both are valid until it returns. What other
// goroutines do meanwhile may be missing.
func (t *Shared) Each(yield func(s machine.State, value []uint64, cost uint8) bool) {
	kept := t.newBlock(0)
	goOn := true
	t.each(func(b *block) {
		copy(kept.meta, b.meta)
		copy(kept.slots, b.slots)
	}, func() bool {
		for slot, m := range kept.meta {
			if goOn && m != 0 {
				entry := kept.slots[slot*t.stride : (slot+1)*t.stride]
				goOn = yield(entry[:t.words], entry[t.words:], uint8(m))
			}
		}
		return goOn
	})
}

// Costs counts the entries by the logarithm of their work.
func (t *Shared) Costs() (entries [65]int64) {
	t.each(func(b *block) {
		for _, m := range b.meta {
			if m != 0 {
				entries[m&0xff]++
			}
		}
	}, func() bool { return true })
	return entries
}

// each calls held with every block, in which nobody writes meanwhile, and then after,
// until that returns false.
func (t *Shared) each(held func(*block), after func() bool) {
	for h, try := uint64(0), 0; ; try++ {
		b := t.directory.Load().of(h).Load()
		version := b.version.Load()
		if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
			rest(try)
			continue
		}
		held(b)
		b.version.Store(version + 2)
		if h += 1 << (64 - b.depth); !after() || h == 0 {
			return
		}
	}
}

// rest lets others go on, after so many attempts.
func rest(try int) {
	if try >= patience/4 {
		runtime.Gosched()
	}
}

func storeAll(dst, src []uint64) {
	for i, w := range src {
		atomic.StoreUint64(&dst[i], w)
	}
}

func (d *blocks) of(h uint64) *atomic.Pointer[block] { return &d.list[h>>1>>(63-d.depth)] }

// find returns the slot of s, or else the first free slot for it. Of a block that is
// being written it returns some slot.
func (b *block) find(s machine.State, h uint64, stride int) (slot int, found bool) {
	want := tag(h)
	bucket := home(h)
	for range segmentBuckets {
		meta := b.meta[bucket : bucket+bucketSlots : bucket+bucketSlots]
		for i := range meta {
			m := atomic.LoadUint32(&meta[i])
			if m == 0 {
				return bucket + i, false
			}
			if m&^0xff == want && b.holds(s, (bucket+i)*stride) {
				return bucket + i, true
			}
		}
		bucket = (bucket + bucketSlots) % segmentSlots
	}
	return bucket, false
}

// holds tells whether the entry at an offset is that of s.
func (b *block) holds(s machine.State, at int) bool {
	for i, w := range s {
		if atomic.LoadUint64(&b.slots[at+i]) != w {
			return false
		}
	}
	return true
}

// cheapest is segment.cheapest.
func (b *block) cheapest(h uint64) int {
	best := home(h)
	for slot := best + 1; slot < home(h)+bucketSlots && b.meta[slot] != 0; slot++ {
		if b.meta[slot]&0xff < b.meta[best]&0xff {
			best = slot
		}
	}
	return best
}

// split divides block b, of hash h among others, in two, if the memory allows it. The
// caller is the one who writes to b.
func (t *Shared) split(b *block, h uint64) bool {
	t.growing.Lock()
	defer t.growing.Unlock()
	d := t.directory.Load()
	need := t.blockBytes()
	if b.depth == d.depth {
		need += directoryBytes << d.depth
	}
	if b.depth == maxDepth || t.maxBytes > 0 && t.bytes.Load()+need > t.maxBytes {
		return false
	}
	t.bytes.Add(need)
	lower, upper := t.divided(b)
	if b.depth == d.depth {
		d = d.doubled()
	}
	span := 1 << (d.depth - lower.depth)
	first := int(h>>1>>(63-d.depth)) &^ (2*span - 1)
	for i := range span {
		d.list[first+i].Store(lower)
		d.list[first+span+i].Store(upper)
	}
	t.directory.Store(d)
	return true
}

func (d *blocks) doubled() *blocks {
	wide := &blocks{depth: d.depth + 1, list: make([]atomic.Pointer[block], 2*len(d.list))}
	for i := range wide.list {
		wide.list[i].Store(d.list[i/2].Load())
	}
	return wide
}

// divided makes two blocks of the entries of b, by the next bit of their hashes.
func (t *Shared) divided(b *block) (lower, upper *block) {
	lower, upper = t.newBlock(b.depth+1), t.newBlock(b.depth+1)
	lower.evictions = b.evictions
	for slot, m := range b.meta {
		if m == 0 {
			continue
		}
		entry := b.slots[slot*t.stride : (slot+1)*t.stride]
		h := Hash(entry[:t.words])
		half := lower
		if h>>(63-b.depth)&1 != 0 {
			half = upper
		}
		to, _ := half.find(entry[:t.words], h, t.stride)
		half.count++
		half.meta[to] = m
		copy(half.slots[to*t.stride:], entry)
	}
	return lower, upper
}

func (t *Shared) newBlock(depth uint) *block {
	return &block{depth: depth, meta: make([]uint32, segmentSlots), slots: make([]uint64, segmentSlots*t.stride)}
}

func (t *Shared) blockBytes() int64 {
	const header = 128 // of a block, at most
	return segmentSlots*(metaBytes+8*int64(t.stride)) + header
}

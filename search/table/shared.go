package table

import (
	"iter"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"stackmate/reasoner/machine"
)

// A Shared table is an extendible hash (Fagin, Nievergelt, Pippenger and Strong, 1979): a directory,
// indexed by the top bits of a hash, of blocks of equal size. A block that is 7/8 full is split in two by
// one more bit of the hash, so memory grows in small steps and never exceeds the bound.
//
// The hash is the first word of the position, packed and mixed (Key). entry.go defines the entries.
//
// A position is stored in the first bucket with a free slot at or after its home bucket, cyclically; the
// displacement is its distance from home. A bucket fills from its first slot. Slots are never emptied, and
// an eighth is free, so a probe ends at the first bucket with an empty slot. When memory is full, the
// cheapest entry of the home bucket is replaced and the other entries of the bucket age: expensive entries
// stay for long, and a new entry always gets in.
//
// Positions that do not pack go to an overflow table of plain positions.
//
// Concurrency: each block has a version, odd during a write, and forever once the block is split. Readers
// use it as a sequence lock, so they never see a torn entry. A writer makes the version odd first, which
// locks out other writers. A split copies a block into two new blocks, then points the directory to them;
// the old block stays odd, which sends its readers and writers back to the directory.
//
// No goroutine waits for a writer whose thread the system has stopped: after some attempts a lookup
// misses and an update is dropped, which a cache may do. With one goroutine neither happens, and the
// calls determine the contents of the table.
//
// Cost: a lookup accesses the directory, the block and a cache line of first words, and one line for each
// further word if the first word matches; it writes no shared memory. An update takes two locked
// instructions and one store for each word.

const (
	bucketSlots    = 8
	maxDepth       = 40 // directory bits; memory is exhausted long before
	directoryBytes = 8
	// A block has the maximum number of buckets within maxBlockBytes and 1/blockShare of the memory.
	minBucketBits, maxBucketBits = 6, 9
	maxBlockBytes                = 64 << 10
	blockShare                   = 32
)

// Shared maps positions to values of a fixed number of bits. All methods are safe for concurrent use.
type Shared struct {
	packing *Packing
	mixer
	layout
	valueBits int
	maxBytes  int64
	directory atomic.Pointer[blocks]
	growing   sync.Mutex             // held while the directory changes
	bytes     *atomic.Int64          // of this table and its overflow table
	behind    atomic.Pointer[Shared] // see overflow
}

// Key is a position in the encoding of one table. It is valid as long as its memory.
type Key struct {
	words []uint64
	plain bool // the position does not pack
}

// Hash returns a number that depends on every bit of the position.
func (k Key) Hash() uint64 {
	if k.plain {
		return Hash(k.words)
	}
	return k.words[0]
}

// blocks is a directory of 1<<depth elements; blocks never written to are nil.
type blocks struct {
	depth uint
	list  []atomic.Pointer[block]
}

type block struct {
	version   atomic.Uint32
	depth     uint   // number of prefix bits, common to all entries
	prefix    uint64 // the common first bits, without the bits of the initial directory
	count     int    // entries; owned by the writer
	evictions int64  // owned by the writer
	words     []uint64
}

// patience is the maximum number of attempts to read a block during writes: some microseconds, in
// which every update and every split ends unless its thread is stopped.
const patience = 256

// NewShared returns a table for positions of m and values of valueBits bits. It grows up to maxBytes;
// zero means no bound. The initial blocks may exceed the bound.
func NewShared(m machine.Machine, valueBits int, maxBytes int64) *Shared {
	return newShared(choosePacking(m, 2, valueBits, maxBytes), valueBits, maxBytes, new(atomic.Int64))
}

// choosePacking returns the packing of positions of m: plain words, which are faster, unless that makes entries
// at least `times` as long.
func choosePacking(m machine.Machine, times float64, valueBits int, maxBytes int64) *Packing {
	p := PackingOf(m)
	plain := p.Plain()
	if float64(newLayout(plain, valueBits, maxBytes).entry) < times*float64(newLayout(p, valueBits, maxBytes).entry) {
		return plain
	}
	return p
}

func newShared(p *Packing, valueBits int, maxBytes int64, bytes *atomic.Int64) *Shared {
	t := &Shared{packing: p, maxBytes: maxBytes, bytes: bytes, valueBits: valueBits, layout: newLayout(p, valueBits, maxBytes)}
	t.mixer = newMixer(t.width)
	d := &blocks{depth: t.first, list: make([]atomic.Pointer[block], 1<<t.first)}
	t.directory.Store(d)
	t.bytes.Add(directoryBytes << t.first)
	return t
}

// ValueWords returns the length of a value.
func (t *Shared) ValueWords() int { return t.valueWords }

// Key returns the key of position s. memory holds at least as many words as s.
func (t *Shared) Key(memory []uint64, s machine.State) Key {
	if !t.packing.Pack(memory, s) {
		return Key{memory[:copy(memory, s)], true}
	}
	t.mix(memory[:t.keyWords])
	return Key{memory[:t.keyWords], false}
}

// overflow returns the table of plain positions. If it does not exist, overflow creates it or, if make is false, returns nil.
func (t *Shared) overflow(make bool) *Shared {
	if r := t.behind.Load(); r != nil || !make {
		return r
	}
	t.growing.Lock()
	defer t.growing.Unlock()
	if t.behind.Load() == nil {
		r := newShared(PlainPacking(t.packing.StateWords()), t.valueBits, t.maxBytes, t.bytes)
		t.behind.Store(r)
	}
	return t.behind.Load()
}

// address is the address of the entries of a key.
type address struct {
	prefix, index uint64 // index: the first word of the key, from the top bit on
	home          int
	first         uint64 // the first word of an entry, without meta
}

func (t *Shared) address(k Key) address {
	h := k.words[0]
	return address{
		prefix: h >> (t.width - t.first), index: h << (64 - t.width),
		home:  int(h & (1<<t.bucket - 1)),
		first: h >> t.bucket & (1<<t.remainder - 1) << metaBits,
	}
}

// Touch prefetches the memory that Lookup reads for several keys, so that the accesses overlap.
func (t *Shared) Touch(keys []Key) {
	d := t.directory.Load()
	for _, k := range keys {
		if k.plain {
			continue
		}
		at := t.address(k)
		if b := d.of(at.index).Load(); b != nil {
			atomic.LoadUint64(&b.words[at.home*t.entry*bucketSlots])
		}
	}
}

// Lookup copies the value of a position to value and reports whether the table holds the position.
func (t *Shared) Lookup(value []uint64, k Key) bool {
	if k.plain {
		r := t.overflow(false)
		return r != nil && r.Lookup(value, r.plainKey(k))
	}
	at := t.address(k)
	for try := range patience {
		b := t.directory.Load().of(at.index).Load()
		if b == nil {
			return false
		}
		version := b.version.Load()
		if version&1 == 0 {
			slot, _, found := t.find(b, k, at)
			if found {
				t.read(value, b.words, slot)
			}
			if b.version.Load() == version {
				return found
			}
		}
		yieldAfter(try)
	}
	return false
}

// plainKey returns the key, in this overflow table, of a position that does not pack.
func (t *Shared) plainKey(k Key) Key {
	words := slices.Clone(k.words)
	return t.Key(words, words)
}

// Update stores the value of a position, which cost work nodes to compute. If the table has an old
// value, merge combines it into the new value first. merge must be quick, and must not use the table.
// The memory of value has room for the old value behind the new value.
func (t *Shared) Update(value []uint64, k Key, work int64, merge func(value, old []uint64)) {
	if k.plain {
		r := t.overflow(true)
		r.Update(value, r.plainKey(k), work, merge)
		return
	}
	value, old := value[:t.valueWords], value[t.valueWords:2*t.valueWords]
	cost := uint64(min(bits.Len64(uint64(max(work, 1))), workMask))
	at := t.address(k)
	for try := range patience {
		b := t.directory.Load().of(at.index).Load()
		if b == nil {
			t.allocate(at)
			continue
		}
		version := b.version.Load()
		if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
			yieldAfter(try)
			continue
		}
		slot, displaced, found := t.find(b, k, at)
		switch {
		case found:
			t.read(old, b.words, slot)
			merge(value, old)
			cost = max(cost, b.words[slot]&workMask)
		case displaced >= 0 && (b.count < t.slotsOfBlock()/8*7 || displaced == 0):
			b.count++
		case t.split(b, at):
			continue // the version stays odd
		default:
			slot, displaced = t.evict(b, at.home), 0
		}
		t.write(b.words, slot, k, at.first|uint64(displaced)<<workBits|cost, value)
		b.version.Store(version + 2)
		return
	}
}

// find returns the slot of a key, or else the first free slot for it and its distance from home; -1 if
// there is none. A slot is the index of the first word of an entry. During a write to the block, any slot
// may be returned.
func (t *Shared) find(b *block, k Key, at address) (slot, displaced int, found bool) {
	mask := (uint64(1)<<t.remainder-1)<<metaBits | (1<<displacedBits-1)<<workBits
	stride := t.entry * bucketSlots
	for displaced := range 1 << displacedBits {
		want := at.first | uint64(displaced)<<workBits
		slot := (at.home + displaced) & (1<<t.bucket - 1) * stride
		for i := slot; i < slot+bucketSlots; i++ {
			w := atomic.LoadUint64(&b.words[i])
			if w == 0 {
				return i, displaced, false
			}
			if (w^want)&mask == 0 && t.holds(b.words, i, k) {
				return i, displaced, true
			}
		}
	}
	return -1, -1, false
}

// evict returns the cheapest slot of a full bucket, for replacement. The other entries age: an entry whose
// cost exceeds the cheapest by d, in logarithms, loses one with probability 2^-⌈d/2⌉. So entries that are
// not stored again leave in the end (after GreedyDual; Young, 1994).
func (t *Shared) evict(b *block, home int) int {
	first := home * t.entry * bucketSlots
	bucket := b.words[first : first+bucketSlots]
	best := 0
	for i, w := range bucket {
		if w&workMask < bucket[best]&workMask {
			best = i
		}
	}
	b.evictions++
	coins := spread(uint64(b.evictions))
	for i, w := range bucket {
		cost, d := w&workMask, w&workMask-bucket[best]&workMask
		if i != best && cost > 1 && bits.RotateLeft64(coins, 8*i)&(1<<((d+1)/2)-1) == 0 {
			atomic.StoreUint64(&bucket[i], w-1)
		}
	}
	return first + best
}

// Stats returns the size of the table.
func (t *Shared) Stats() Stats {
	s := Stats{Bytes: t.bytes.Load()}
	for t := t; t != nil; t = t.overflow(false) {
		t.each(func(b *block) {
			s.Entries += int64(b.count)
			s.Evictions += b.evictions
		}, func(*block) bool { return true })
	}
	return s
}

// Each calls yield with the position, the value and the logarithm of the work of every entry, until yield
// returns false. Position and value are valid during the call. Each may miss concurrent updates.
func (t *Shared) Each(yield func(s machine.State, value []uint64, cost uint8) bool) {
	kept := make([]uint64, t.slotsOfBlock()*t.entry)
	s, key, value := make(machine.State, t.packing.StateWords()), make([]uint64, t.keyWords), make([]uint64, t.valueWords)
	goOn := true
	t.each(func(b *block) {
		copy(kept, b.words)
	}, func(b *block) bool {
		for slot := range t.slots(kept) {
			t.recover(key, kept, slot, b.prefix)
			t.unmix(key)
			t.packing.Unpack(s, key)
			t.read(value, kept, slot)
			if goOn = yield(s, value, uint8(kept[slot]&workMask)); !goOn {
				break
			}
		}
		return goOn
	})
	if r := t.overflow(false); r != nil && goOn {
		r.Each(yield)
	}
}

// slots yields the slots in use.
func (t *Shared) slots(words []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for bucket := 0; bucket < len(words); bucket += t.entry * bucketSlots {
			for slot := bucket; slot < bucket+bucketSlots && words[slot] != 0; slot++ {
				if !yield(slot) {
					return
				}
			}
		}
	}
}

// Costs counts the entries by the logarithm of their work.
func (t *Shared) Costs() (entries [65]int64) {
	for t := t; t != nil; t = t.overflow(false) {
		t.each(func(b *block) {
			for slot := range t.slots(b.words) {
				entries[b.words[slot]&workMask]++
			}
		}, func(*block) bool { return true })
	}
	return entries
}

// each calls held with every block, locked against writers, and then after, until after returns false.
func (t *Shared) each(held func(*block), after func(*block) bool) {
	for h, try := uint64(0), 0; ; try++ {
		d := t.directory.Load()
		b, depth := d.of(h).Load(), d.depth
		goOn := true
		if b != nil {
			version := b.version.Load()
			if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
				yieldAfter(try)
				continue
			}
			held(b)
			b.version.Store(version + 2)
			depth, goOn = b.depth, after(b)
		}
		if h += 1 << (64 - depth); !goOn || h == 0 {
			return
		}
	}
}

// yieldAfter yields the processor after many attempts.
func yieldAfter(try int) {
	if try >= patience/4 {
		runtime.Gosched()
	}
}

func (d *blocks) of(index uint64) *atomic.Pointer[block] { return &d.list[index>>1>>(63-d.depth)] }

// allocate allocates the first block of a place.
func (t *Shared) allocate(at address) {
	t.growing.Lock()
	defer t.growing.Unlock()
	d := t.directory.Load()
	span := 1 << (d.depth - t.first)
	first := int(at.index>>1>>(63-d.depth)) &^ (span - 1)
	if d.list[first].Load() == nil {
		b := t.newBlock(t.first, at.prefix)
		t.bytes.Add(t.blockBytes())
		for i := range span {
			d.list[first+i].Store(b)
		}
	}
}

// split splits block b, which contains a place, if memory allows. The caller holds the write lock of b.
func (t *Shared) split(b *block, at address) bool {
	t.growing.Lock()
	defer t.growing.Unlock()
	d := t.directory.Load()
	need := t.blockBytes()
	if b.depth == d.depth {
		need += directoryBytes << d.depth
	}
	if b.depth == min(maxDepth, t.width-t.bucket) || t.maxBytes > 0 && t.bytes.Load()+need > t.maxBytes {
		return false
	}
	t.bytes.Add(need)
	lower, upper := t.halves(b)
	if b.depth == d.depth {
		d = d.doubled()
	}
	span := 1 << (d.depth - lower.depth)
	first := int(at.index>>1>>(63-d.depth)) &^ (2*span - 1)
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

// halves copies the entries of b to two blocks, by the next bit of their keys.
func (t *Shared) halves(b *block) (lower, upper *block) {
	lower, upper = t.newBlock(b.depth+1, b.prefix), t.newBlock(b.depth+1, b.prefix)
	lower.evictions = b.evictions
	k := Key{words: make([]uint64, t.keyWords)}
	for slot := range t.slots(b.words) {
		t.recover(k.words, b.words, slot, b.prefix)
		half := lower
		if k.words[0]>>(t.width-1-b.depth)&1 != 0 {
			half = upper
		}
		to, displaced, _ := t.find(half, k, t.address(k))
		if to < 0 {
			continue // too many entries with this home: dropped
		}
		half.count++
		for i := range t.entry {
			half.words[to+i*bucketSlots] = b.words[slot+i*bucketSlots]
		}
		half.words[to] = half.words[to]&^((1<<displacedBits-1)<<workBits) | uint64(displaced)<<workBits
	}
	return lower, upper
}

func (t *Shared) newBlock(depth uint, prefix uint64) *block {
	return &block{depth: depth, prefix: prefix, words: make([]uint64, t.slotsOfBlock()*t.entry)}
}

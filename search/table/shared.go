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
// The hash is the first word of the position, packed and mixed (Key). What an entry keeps of it: entry.go.
//
// A position lives in the first bucket with room at or after its home bucket, cyclically; displacement
// is how far that is. A bucket fills from its first slot. Slots are never emptied, and an eighth is free, so a
// probe ends at the first bucket with an empty slot. When memory is used up the entry of the home bucket
// that was the cheapest to compute makes room, and the others age: expensive ones stay for long, and the newcomer always gets in.
//
// Positions that the packing does not take are kept in a table of plain positions behind this one.
//
// What makes it a table for several goroutines is a version of each block, odd while somebody writes, and for ever once
// the block is split. A reader takes the version, reads, and believes what it has read if the version is the same as before
// and even (a sequence lock): so a position with half of one value and half of another is never seen,
// and neither is one position in place of another. Who writes makes the version odd first, which keeps other
// writers out. A block that is split is copied into two new ones, then the directory points to these; it stays odd, and
// whoever holds it looks into the directory again.
//
// Nobody waits for a goroutine that the system has stopped while it was writing: after some attempts a lookup finds
// nothing, and an update does not happen. That is no fault of a memory which may forget. With one
// goroutine it never occurs, and what the table holds is determined by the calls.
//
// Cost: of a lookup an access to the directory, to the block and to a cache line of first words, and one for each
// other word where the first one matches, without a write to memory that is shared; of an update two locked instructions and
// one for each word.

const (
	bucketSlots    = 8
	maxDepth       = 40 // directory bits; memory ends long before
	directoryBytes = 8
	// A block has the most buckets that fit into blockBytes, and into a part of the memory.
	minBucketBits, maxBucketBits = 6, 9
	maxBlockBytes                = 64 << 10
	blockShare                   = 32
)

// Shared maps positions to values of a fixed number of bits. All its methods may be called by several
// goroutines at once.
type Shared struct {
	packing *machine.Packing
	mixer
	layout
	valueBits int
	maxBytes  int64
	directory atomic.Pointer[blocks]
	growing   sync.Mutex             // of whoever changes the directory
	bytes     *atomic.Int64          // of this table and the one behind it
	behind    atomic.Pointer[Shared] // see overflow
}

// Key is a position as a table calls it. It is valid for the table that made it, as long as its memory is.
type Key struct {
	words []uint64
	plain bool // the packing does not take it
}

// Hash is a number that depends on every bit of the position.
func (k Key) Hash() uint64 {
	if k.plain {
		return Hash(k.words)
	}
	return k.words[0]
}

// blocks is a directory: 1<<depth elements, of which those are nil that nothing was ever written to.
type blocks struct {
	depth uint
	list  []atomic.Pointer[block]
}

type block struct {
	version   atomic.Uint32
	depth     uint   // bits that all entries share
	prefix    uint64 // the first ones of these, which entries leave out
	count     int    // entries; of the one who writes
	evictions int64  // of the one who writes
	words     []uint64
}

// patience is how often a block that is being written is looked at: some microseconds, in
// which every update and every split ends unless its thread is stopped.
const patience = 256

// NewShared makes a table for positions of m and values of so many bits. It grows up to
// maxBytes; zero means no bound. A few blocks are there even if they exceed the bound.
func NewShared(m machine.Machine, valueBits int, maxBytes int64) *Shared {
	return newShared(choose(m, 2, valueBits, maxBytes), valueBits, maxBytes, new(atomic.Int64))
}

// choose is the packing of positions of m. They stay as they are, which is quicker, unless their entries would be so many
// times as long.
func choose(m machine.Machine, times float64, valueBits int, maxBytes int64) *machine.Packing {
	p := m.Packing()
	plain := p.Plain()
	if float64(lay(plain, valueBits, maxBytes).entry) < times*float64(lay(p, valueBits, maxBytes).entry) {
		return plain
	}
	return p
}

func newShared(p *machine.Packing, valueBits int, maxBytes int64, bytes *atomic.Int64) *Shared {
	t := &Shared{packing: p, maxBytes: maxBytes, bytes: bytes, valueBits: valueBits, layout: lay(p, valueBits, maxBytes)}
	t.mixer = newMixer(t.width)
	d := &blocks{depth: t.first, list: make([]atomic.Pointer[block], 1<<t.first)}
	t.directory.Store(d)
	t.bytes.Add(directoryBytes << t.first)
	return t
}

// ValueWords is the length of a value.
func (t *Shared) ValueWords() int { return t.valueWords }

// Key makes the key of position s in memory for as many words.
func (t *Shared) Key(memory []uint64, s machine.State) Key {
	if !t.packing.Pack(memory, s) {
		return Key{memory[:copy(memory, s)], true}
	}
	t.mix(memory[:t.keyWords])
	return Key{memory[:t.keyWords], false}
}

// overflow is the table of plain positions, made when it is first needed; nil if make is false and there is none.
func (t *Shared) overflow(make bool) *Shared {
	if r := t.behind.Load(); r != nil || !make {
		return r
	}
	t.growing.Lock()
	defer t.growing.Unlock()
	if t.behind.Load() == nil {
		r := newShared(machine.PlainPacking(t.packing.StateWords()), t.valueBits, t.maxBytes, t.bytes)
		t.behind.Store(r)
	}
	return t.behind.Load()
}

// place is where entries of a key are.
type place struct {
	prefix, index uint64 // index: the first word of the key, from the top bit on
	home          int
	first         uint64 // the first word of an entry, without meta
}

func (t *Shared) place(k Key) place {
	h := k.words[0]
	return place{
		prefix: h >> (t.width - t.first), index: h << (64 - t.width),
		home:  int(h & (1<<t.bucket - 1)),
		first: h >> t.bucket & (1<<t.remainder - 1) << metaBits,
	}
}

// Touch begins to read what Lookup needs of several keys: their accesses to memory
// overlap, while those of lookups follow each other.
func (t *Shared) Touch(keys []Key) {
	d := t.directory.Load()
	for _, k := range keys {
		if k.plain {
			continue
		}
		at := t.place(k)
		if b := d.of(at.index).Load(); b != nil {
			atomic.LoadUint64(&b.words[at.home*t.entry*bucketSlots])
		}
	}
}

// Lookup copies the value of a position and tells whether there is one.
func (t *Shared) Lookup(value []uint64, k Key) bool {
	if k.plain {
		r := t.overflow(false)
		return r != nil && r.Lookup(value, r.plainKey(k))
	}
	at := t.place(k)
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
		rest(try)
	}
	return false
}

// plainKey is the key of a position that the table before does not take.
func (t *Shared) plainKey(k Key) Key {
	words := slices.Clone(k.words)
	return t.Key(words, words)
}

// Update stores the value of a position, which cost work nodes to compute. Where there is a value
// already, merge is called first: it adds to the new value what the old one tells. Merge must
// be quick, and not use the table. Value has memory for the old value behind the new one.
func (t *Shared) Update(value []uint64, k Key, work int64, merge func(value, old []uint64)) {
	if k.plain {
		r := t.overflow(true)
		r.Update(value, r.plainKey(k), work, merge)
		return
	}
	value, old := value[:t.valueWords], value[t.valueWords:2*t.valueWords]
	cost := uint64(min(bits.Len64(uint64(max(work, 1))), workMask))
	at := t.place(k)
	for try := range patience {
		b := t.directory.Load().of(at.index).Load()
		if b == nil {
			t.begin(at)
			continue
		}
		version := b.version.Load()
		if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
			rest(try)
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
			continue // it stays odd
		default:
			slot, displaced = t.evict(b, at.home), 0
		}
		t.write(b.words, slot, k, at.first|uint64(displaced)<<workBits|cost, value)
		b.version.Store(version + 2)
		return
	}
}

// find returns the slot of a key, or else the first free slot for it, and how far that is from home: -1 if there
// is none. A slot is the index of the first word of an entry. Of a block that is being written it
// returns some slot.
func (t *Shared) find(b *block, k Key, at place) (slot, displaced int, found bool) {
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

// evict is the slot of a full bucket whose entry cost least, and makes room. The others age: what cost d more, in logarithms,
// loses one with a probability of 2^-⌈d/2⌉, so that what nobody stores again leaves at last (after GreedyDual; Young, 1994).
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

// Stats returns what the table holds.
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

// Each calls yield with the position and the value of every entry and with the logarithm
// of its work, until yield returns false. Both are valid until it returns. What other
// goroutines do meanwhile may be missing.
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

// slots are those with an entry.
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

// each calls held with every block, in which nobody writes meanwhile, and then after,
// until that returns false.
func (t *Shared) each(held func(*block), after func(*block) bool) {
	for h, try := uint64(0), 0; ; try++ {
		d := t.directory.Load()
		b, depth := d.of(h).Load(), d.depth
		goOn := true
		if b != nil {
			version := b.version.Load()
			if version&1 != 0 || !b.version.CompareAndSwap(version, version+1) {
				rest(try)
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

// rest lets others go on, after so many attempts.
func rest(try int) {
	if try >= patience/4 {
		runtime.Gosched()
	}
}

func (d *blocks) of(index uint64) *atomic.Pointer[block] { return &d.list[index>>1>>(63-d.depth)] }

// begin makes the first block for a place.
func (t *Shared) begin(at place) {
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

// split divides block b, of a place among others, in two, if the memory allows it. The
// caller is the one who writes to b.
func (t *Shared) split(b *block, at place) bool {
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
	lower, upper := t.divided(b)
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

// divided makes two blocks of the entries of b, by the next bit of their keys.
func (t *Shared) divided(b *block) (lower, upper *block) {
	lower, upper = t.newBlock(b.depth+1, b.prefix), t.newBlock(b.depth+1, b.prefix)
	lower.evictions = b.evictions
	k := Key{words: make([]uint64, t.keyWords)}
	for slot := range t.slots(b.words) {
		t.recover(k.words, b.words, slot, b.prefix)
		half := lower
		if k.words[0]>>(t.width-1-b.depth)&1 != 0 {
			half = upper
		}
		to, displaced, _ := t.find(half, k, t.place(k))
		if to < 0 {
			continue // so many with one home are forgotten
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

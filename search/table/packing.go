package table

import (
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"stackmate/reasoner/machine"
)

// A Packing shortens positions for tables. Fluents that depend on each other form clusters: the contents of a
// cell, the cells of a column that fills from below. Of the 2ⁿ patterns of a cluster of n fluents, a game
// reaches far fewer. Each pattern gets a number when it first appears. The numbers of the patterns of all
// clusters are the digits of a packed position, one number in a mixed radix:
//
//	position  00 01 10 00 | 01 00 00 00 | …      a pattern for each cluster
//	digits        17      |      1      | …      its number in the dictionary of the cluster
//	packed    17 + 127·(1 + 127·(…))             digits of radix 127, in words
//
// A single-valued cluster, of which at most one fluent is true at a time, needs no dictionary: its digit is
// the number of the true fluent.
//
// Random games suggest the clusters and their numbers of patterns. Correctness does not depend on the sample:
// Unpack(Pack(s)) = s for every s that Pack accepts. Pack fails if a dictionary is full, or if two fluents of
// a single-valued cluster are true.
//
// Invariant: a number once given to a pattern is never given to another pattern. So packed positions are
// equal exactly if the positions are, at all times and for all goroutines.
//
// Cost: a step for each true fluent, and a dictionary lookup for each cluster that has a dictionary.

// Packing is safe for concurrent use.
type Packing struct {
	states int // words of a position
	words  int // words of a packed position, at least 1
	bits   int // bits in use of the last of these
	// plainBits is the number of bits in use of the last word of a position.
	plainBits     int
	clusters      []*cluster     // clusters with a dictionary first
	contributions []contribution // by fluent
	patterns      int            // words of Pack's scratch memory for patterns
}

// A contribution is the effect of a true fluent on a packed position. In a cluster with a dictionary it is a
// bit of the pattern. In a single-valued cluster it is a digit of the packed position, and a bit that all
// fluents of the cluster share.
type contribution struct {
	bit     uint64
	digit   uint64
	pattern int32
	word    int32
}

// cluster is a set of fluents with the dictionary of their patterns.
type cluster struct {
	fluents   []int32
	capacity  uint32 // capacity of the dictionary
	exclusive bool   // at most one fluent is true at a time: there is no dictionary
	word      int    // position of the digit: its word, and its weight there
	weight    uint64

	// The dictionary maps a pattern to its digit. For few fluents, direct holds the digit plus 1 by pattern,
	// or 0. For more fluents, slots is a hash table with linear probing, whose slots are never emptied.
	direct []atomic.Uint32
	slots  []slot
	shift  uint // of a hash, to a slot number

	full     atomic.Bool // the dictionary has `capacity` patterns
	adding   sync.Mutex
	patterns []uint64 // by digit; protected by adding
}

// slot holds a pattern plus 1, and its digit, which is written first.
type slot struct {
	pattern atomic.Uint64
	digit   uint32
}

// Bounds on a cluster: patterns are words, of which one stands for an empty slot; a dictionary of maxPatterns
// takes 64 KiB at least.
const (
	maxClustered    = 63
	maxPatterns     = 2048
	maxDictionaries = 512
	maxDirect       = 12
)

// Words returns the number of words of a packed position.
func (p *Packing) Words() int { return p.words }

// LastBits returns the number of bits that packed positions use of their last word; they use every bit of the
// other words.
func (p *Packing) LastBits() int { return p.bits }

// StateWords returns the number of words of a position that is not packed.
func (p *Packing) StateWords() int { return p.states }

// Pack writes the packed form of s into the first Words() words of dst. It reports whether it succeeded.
func (p *Packing) Pack(dst []uint64, s machine.State) bool {
	switch { // to clear no more than needed
	case p.clusters == nil:
		copy(dst, s)
		return true
	case p.patterns <= 8:
		var patterns [8]uint64
		return p.pack(dst, s, patterns[:])
	case p.patterns <= 64:
		var patterns [64]uint64
		return p.pack(dst, s, patterns[:])
	}
	var patterns [maxDictionaries]uint64
	return p.pack(dst, s, patterns[:])
}

func (p *Packing) pack(dst []uint64, s machine.State, patterns []uint64) bool {
	dst = dst[:p.words]
	clear(dst)
	conflict := uint64(0)
	for i, w := range s {
		if w == 0 {
			continue
		}
		contributions := p.contributions[i<<6:]
		for ; w != 0; w &= w - 1 {
			at := &contributions[bits.TrailingZeros64(w)]
			pattern := &patterns[at.pattern]
			conflict |= *pattern & at.bit
			*pattern |= at.bit
			dst[at.word] += at.digit
		}
	}
	for i, c := range p.clusters {
		if c.exclusive {
			break
		}
		digit, ok := c.digit(patterns[i])
		if !ok {
			return false
		}
		dst[c.word] += uint64(digit) * c.weight
	}
	return conflict == 0
}

// Unpack writes the position with the packed form src into s.
func (p *Packing) Unpack(s machine.State, src []uint64) {
	if p.clusters == nil {
		copy(s, src)
		return
	}
	clear(s)
	for _, c := range p.clusters {
		digit := src[c.word] / c.weight % uint64(c.capacity)
		if c.exclusive {
			if digit > 0 {
				s.Set(int(c.fluents[digit-1]))
			}
			continue
		}
		c.adding.Lock()
		pattern := c.patterns[digit]
		c.adding.Unlock()
		for ; pattern != 0; pattern &= pattern - 1 {
			s.Set(int(c.fluents[bits.TrailingZeros64(pattern)]))
		}
	}
}

// digit returns the number of a pattern, and gives a number to a new pattern; false if the dictionary is
// full.
func (c *cluster) digit(pattern uint64) (digit uint32, ok bool) {
	if digit, ok = c.lookup(pattern); !ok && !c.full.Load() {
		return c.add(pattern)
	} else if !ok {
		return c.lookup(pattern) // another goroutine may have added it as the last pattern
	}
	return digit, ok
}

// lookup returns the number of a pattern in the dictionary.
func (c *cluster) lookup(pattern uint64) (uint32, bool) {
	if c.direct != nil {
		n := c.direct[pattern].Load()
		return n - 1, n > 0
	}
	if at := &c.slots[c.slotOf(pattern)]; at.pattern.Load() == pattern+1 {
		return at.digit, true
	}
	return 0, false
}

// slotOf returns the slot of a pattern, or the free slot for it.
func (c *cluster) slotOf(pattern uint64) int {
	at := int((pattern + 1) * 0x9e3779b97f4a7c15 >> c.shift)
	for {
		if have := c.slots[at].pattern.Load(); have == pattern+1 || have == 0 {
			return at
		}
		at = (at + 1) & (len(c.slots) - 1)
	}
}

// add gives a number to a new pattern.
func (c *cluster) add(pattern uint64) (uint32, bool) {
	c.adding.Lock()
	defer c.adding.Unlock()
	if digit, ok := c.lookup(pattern); ok || c.full.Load() {
		return digit, ok // another goroutine was faster
	}
	digit := uint32(len(c.patterns))
	c.patterns = append(c.patterns, pattern)
	if c.direct != nil {
		c.direct[pattern].Store(digit + 1)
	} else {
		at := c.slotOf(pattern)
		c.slots[at].digit = digit
		c.slots[at].pattern.Store(pattern + 1)
	}
	c.full.Store(len(c.patterns) == int(c.capacity))
	return digit, true
}

// PlainPacking returns the packing that leaves positions of the given words as they are.
func PlainPacking(words int) *Packing {
	return &Packing{states: words, words: words, bits: 64, plainBits: 64}
}

// Plain returns the packing that leaves positions of the same machine as they are.
func (p *Packing) Plain() *Packing {
	return &Packing{states: p.states, words: p.states, bits: p.plainBits}
}

// packings holds the packing of each game, by its names, as long as these are in use.
var packings struct {
	sync.Mutex
	of map[weak.Pointer[machine.Names]]func() *Packing
}

// PackingOf returns the packing of the game of m. The first call for a game may take a tenth of a second.
func PackingOf(m machine.Machine) *Packing {
	key := weak.Make(m.Names())
	packings.Lock()
	found, ok := packings.of[key]
	if !ok {
		if packings.of == nil {
			packings.of = make(map[weak.Pointer[machine.Names]]func() *Packing)
		}
		found = sync.OnceValue(func() *Packing { return newPacking(m) })
		packings.of[key] = found
		runtime.AddCleanup(m.Names(), forget, key)
	}
	packings.Unlock()
	return found()
}

// forget drops the packing of names that are not in use.
func forget(key weak.Pointer[machine.Names]) {
	packings.Lock()
	defer packings.Unlock()
	delete(packings.of, key)
}

// newPacking finds the packing of a machine whose table of fluents is complete, and whose batches are parallel; for
// other machines it returns a plain packing. It takes some hundredths of a second, and depends on the rules alone.
func newPacking(m machine.Machine) *Packing {
	for w, ok := m.(machine.Wrapper[machine.Machine]); ok; w, ok = m.(machine.Wrapper[machine.Machine]) {
		m = w.Unwrap()
	}
	fluents := len(m.Names().Fluents)
	if fluents == 0 || fluents > maxSampled || !m.Info().Parallel {
		return PlainPacking(len(m.Initial()))
	}
	s := drawSample(m, fluents)
	p := &Packing{states: len(m.Initial()), plainBits: fluents - 64*(len(m.Initial())-1), contributions: make([]contribution, fluents)}
	for _, found := range s.clusters() {
		p.add(found)
	}
	p.layOut()
	if p.words > p.states || p.patterns > maxDictionaries {
		return p.Plain()
	}
	return p
}

// add appends a cluster that was found in the sample, with the patterns that the sample has.
func (p *Packing) add(found *labelled) {
	c := &cluster{fluents: found.fluents, capacity: found.capacity(), exclusive: found.exclusive}
	p.clusters = append(p.clusters, c)
	if c.exclusive {
		c.capacity = uint32(len(c.fluents) + 1)
		return
	}
	if len(c.fluents) <= maxDirect {
		c.direct = make([]atomic.Uint32, 1<<len(c.fluents))
	} else {
		width := max(bits.Len32(2*c.capacity), 3) // half of the slots are free
		c.slots, c.shift = make([]slot, 1<<width), uint(64-width)
	}
	for _, pattern := range found.patterns {
		c.digit(pattern)
	}
}

// layOut assigns a word and a weight to the digit of each cluster, and a contribution to each fluent.
func (p *Packing) layOut() {
	slices.SortStableFunc(p.clusters, func(a, b *cluster) int {
		if a.exclusive != b.exclusive {
			return map[bool]int{false: -1, true: 1}[a.exclusive]
		}
		return int(b.capacity) - int(a.capacity)
	})
	size, exclusives := uint64(1), 0 // size: product of the radices in the word
	for i, c := range p.clusters {
		high, low := bits.Mul64(size, uint64(c.capacity))
		if high != 0 {
			p.words, low, size = p.words+1, uint64(c.capacity), 1
		}
		c.word, c.weight = p.words, size
		size = low
		for k, f := range c.fluents {
			p.contributions[f] = contribution{bit: 1 << k, pattern: int32(i)}
			if c.exclusive {
				p.contributions[f] = contribution{
					bit: 1 << (exclusives % 64), pattern: int32(i - exclusives + exclusives/64), digit: uint64(k+1) * c.weight, word: int32(c.word),
				}
			}
		}
		if c.exclusive {
			exclusives++
		}
	}
	p.patterns = len(p.clusters) - exclusives + (exclusives+63)/64
	p.words++
	p.bits = max(bits.Len64(size-1), 1)
}

// capacity returns the capacity of the cluster's dictionary.
func (l *labelled) capacity() uint32 {
	seen, once, twice := l.frequencies()
	if once == 0 && twice == 0 {
		return uint32(max(l.minCapacity, seen))
	}
	return uint32(max(l.minCapacity, int(math.Ceil(chao(seen, once, twice)))+once+seen/spareShare))
}

// constantCapacity is the least capacity of the cluster of fluents that never changed in the sample: games
// between real players may change them.
const constantCapacity = 64

// If the sample has rare patterns, the dictionary has one further place for each spareShare patterns.
const spareShare = 16
